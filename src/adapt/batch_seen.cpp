#include "batch_seen.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "numbers.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// The stages that work on batches of this one, without itself.
std::vector<bool> stages_behind(const window& w, std::size_t batch) {
  std::vector<bool> behind(w.stages.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < w.stages.size(); ++i) {
      if (behind[i] || i == batch) continue;
      behind[i] = std::ranges::any_of(w.stages[i].inputs, [&](auto from) {
        return from == batch || (behind[from] && !w.stages[from].batch);
      });
      more |= behind[i];
    }
  }
  return behind;
}

}  // namespace

double batches_seen::time() const {
  double longest = 0;
  for (const auto& one : behind) longest = std::max(longest, one.time());
  return longest;
}

double batches_closed(const window& w, const stage_window& s) {
  const auto& limits = *s.batch;
  const bool by_bytes_alone = limits.items == 0 && limits.interval.count() == 0;
  if (!s.farm() || by_bytes_alone || s.items_in == 0) return static_cast<double>(s.items_out);
  // Each replica has batches of its own: one begins with an item, and closes a while after it.
  const auto length = as_seconds(w.length);
  const auto to_the_next = length * s.replicas / static_cast<double>(s.items_in);
  auto interval = std::numeric_limits<double>::infinity();
  if (limits.interval.count() > 0) interval = as_seconds(limits.interval) + to_the_next;
  if (limits.items > 0) interval = std::min(interval, static_cast<double>(limits.items) * to_the_next);
  return length * s.replicas / interval;
}

batches_seen look_at_batches(const window& w, std::size_t stage) {
  const auto& s = w.stages[stage];
  const auto length = as_seconds(w.length);
  const auto closed = batches_closed(w, s);
  const auto replicas = static_cast<double>(std::max(1, s.replicas));
  batches_seen seen{.interval = length * replicas / closed, .behind = {}};
  // A window does not end where a batch does. If it could be as many as the interval says, they are.
  const auto interval = as_seconds(s.batch->interval);
  if (interval > 0 && std::abs(length / interval - closed / replicas) <= 1) seen.interval = interval;
  seen.items = static_cast<double>(s.items_in) / length * seen.interval / replicas;
  const auto behind = stages_behind(w, stage);
  for (std::size_t i = 0; i < w.stages.size(); ++i) {
    const auto& other = w.stages[i];
    if (!behind[i] && i != stage) continue;
    // A stage right behind it counts its batches itself, so those that still wait do not matter.
    const bool counts = !s.farm() && i != stage && other.inputs.size() == 1 && other.inputs.front() == stage;
    const auto seconds = counts ? other.seconds_per_item() : as_seconds(other.busy) / closed;
    seen.behind.push_back({i, seconds, replicas / std::max(1, other.replicas)});
  }
  return seen;
}

}  // namespace THALWEG_NAMESPACE::adaptation
