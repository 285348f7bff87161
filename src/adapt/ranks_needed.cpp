#include "ranks_needed.hpp"

#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include "numbers.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

constexpr int longest_patience = 128;
// What serial stages add to as many replicas as there are workers is not worth another rank.
constexpr double more_than_workers = 0.5;

// A replica that computes fills a worker, also where it gets but a part of a crowded core. Others leave their
// worker to somebody while they wait.
double workers_for_replica(const stage_window& s) {
  return s.computing() < 0.5 ? s.computing() : 1.0;
}

int replicas_of(const stage_window& s, const changes& wanted) {
  const auto one = std::ranges::find(wanted.replicas, s.name, &replicas_wanted::stage);
  return one == wanted.replicas.end() ? s.replicas : one->replicas;
}

double workers_needed(const window& w, const changes& wanted) {
  const auto length = std::max(1e-9, as_seconds(w.length));
  double all = 0;
  for (const auto& s : w.stages) {
    all += s.farm() || s.replicas > 1 ? replicas_of(s, wanted) * workers_for_replica(s)
                                      : std::min(1.0, as_seconds(s.cpu) / length);
  }
  return all;
}

}  // namespace

int ranks_needed(const window& w, const changes& wanted) {
  const int there = static_cast<int>(w.ranks.size());
  const auto needed = workers_needed(w, wanted);
  double held = more_than_workers;
  int n = 0;
  while (n < there && (n == 0 || held < needed)) held += w.ranks[static_cast<std::size_t>(n++)].workers;
  const int most = std::min(w.bounds.most_ranks, there);
  return std::clamp(n, std::min(w.bounds.least_ranks, most), most);
}

std::optional<int> rank_memory::look(const window& w, const changes& wanted) {
  if (w.ranks.empty()) return std::nullopt;
  const int needed = ranks_needed(w, wanted), now = w.working_ranks();
  if (needed >= now) unused_ = 0;
  if (needed > now) {
    const bool soon = shrank_ > 0 && w.number - shrank_ < static_cast<std::uint64_t>(4 * patience_);
    if (soon) patience_ = std::min(2 * patience_, longest_patience);
    shrank_ = 0;
    return needed;
  }
  if (needed == now || ++unused_ < patience_) return std::nullopt;
  unused_ = 0;
  shrank_ = w.number;
  return now - 1;
}

void rank_memory::decide(const window& w, changes& wanted) {
  const auto ranks = look(w, wanted);
  if (!ranks) return;
  int workers = 0;
  for (int r = 0; r < w.working_ranks(); ++r) workers += w.ranks[static_cast<std::size_t>(r)].workers;
  add_reason(wanted, "what computes takes " + observe::number_text(workers_needed(w, wanted)) +
                         " workers, and the ranks at work have " + std::to_string(workers));
  wanted.ranks = ranks;
}

}  // namespace THALWEG_NAMESPACE::adaptation
