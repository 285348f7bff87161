#include "run_window.hpp"

#include <thalweg/flow/own_schedule.hpp>

#include <algorithm>
#include <chrono>

#include "parts.hpp"
#include "rank_windows.hpp"

namespace THALWEG_NAMESPACE::run_detail {

namespace {

using std::chrono::nanoseconds;

nanoseconds processor_part_of(const stage_report& s) {
  return std::chrono::duration_cast<nanoseconds>(s.busy() * std::min(1.0, s.computing().value_or(1.0)));
}

}  // namespace

run_windows::run_windows(const engine& run, const adaptation::bounds& within, bool all)
    : run_(run), within_(within), all_(all) {
  const auto& state = run.state();
  for (std::size_t i = 0; i < state.stages.size();) {
    const auto& info = *state.stages[i].info;
    entry e{i, i + 1};
    while (info.farm >= 0 && e.last < state.stages.size() && same_farm(state.stages[i], state.stages[e.last]))
      ++e.last;
    e.farm = info.farm >= 0;
    for (auto s = i; s < e.last; ++s) e.names.push_back(state.stages[s].info->name);
    const bool ranged = info.most_replicas != 0;
    if (const int possible = run.most_replicas(i); possible > 0 && (all || ranged)) {
      e.most = std::max(1, std::min(possible, within.most_replicas));
      e.least = std::clamp(within.least_replicas, 1, e.most);
      if (ranged) {
        e.most = std::max(1, std::min(e.most, info.most_replicas));
        e.least = std::min(std::max(e.least, info.least_replicas), e.most);
      }
    }
    e.batches = all && info.batches != nullptr && run.executed_by(i) < 0 && !(info.farm >= 0 && state.others);
    entries_.push_back(e);
    i = e.last;
  }
}

const adaptation::stage_window* run_windows::farm_named(const adaptation::window& seen,
                                                        std::string_view name) const noexcept {
  const auto is_meant = [&](const std::string& stage) {
    return stage == name ||
           (stage.size() > name.size() && stage.starts_with(name) && stage[name.size()] == '/');
  };
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto& e = entries_[k];
    if (e.farm && std::any_of(e.names.begin(), e.names.end(), is_meant)) return &seen.stages[k];
  }
  return nullptr;
}

bool run_windows::anything_to_change() const noexcept {
  const auto has_credits = [&](const entry& e) { return run_.credits(e.first).has_value(); };
  return stages_to_change() || (all_ && (run_.run_length() || run_.message_bytes() || run_.most_ranks() > 1 ||
                                         std::any_of(entries_.begin(), entries_.end(), has_credits)));
}

bool run_windows::stages_to_change() const noexcept {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const entry& e) { return e.most > 1 || e.batches; });
}

adaptation::window run_windows::between(const report& before, const report& now) const {
  const auto seen = now.since(before);
  adaptation::window w;
  w.at = now.elapsed();
  w.length = seen.elapsed() - seen.paused();
  w.cores = now.cores();
  w.workers = now.workers();
  w.cpu = seen.cpu_time();
  w.latency = seen.latency().histogram();
  w.latency_from_due = seen.latency().from_due();
  w.changed = !seen.resizes().empty() || !seen.rate_changes().empty() || !seen.batch_changes().empty();
  std::vector<std::size_t> entry_of(seen.stages().size());
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto& e = entries_[k];
    std::fill(entry_of.begin() + static_cast<std::ptrdiff_t>(e.first),
              entry_of.begin() + static_cast<std::ptrdiff_t>(e.last), k);
  }
  const auto sources =
      std::ranges::count_if(seen.stages(), [](const stage_report& s) { return s.is_source(); });
  for (const auto& e : entries_) {
    const auto& first = seen.stages()[e.first];
    const auto& last = seen.stages()[e.last - 1];
    adaptation::stage_window s;
    s.name = first.name();
    for (const auto from : first.data().inputs) s.inputs.push_back(entry_of[from]);
    s.source = first.is_source();
    s.sink = last.is_sink();
    s.replicas = first.replicas();
    s.least = e.least;
    s.most = e.most;
    s.items_in = first.items_in();
    s.items_out = last.items_out();
    s.runs = first.runs();
    for (auto i = e.first; i < e.last; ++i) {
      s.busy += seen.stages()[i].busy();
      s.cpu += processor_part_of(seen.stages()[i]);
    }
    s.waited_in = first.waited_for_input();
    s.waited_out = last.waited_for_output();
    s.queued = first.occupancy().mean;
    s.capacity = first.occupancy().capacity;
    s.due_rate = s.source && !first.data().paced && sources == 1 ? flow::own_due_rate() : first.due_rate();
    if (e.batches) s.batch = first.batch();
    if (all_) s.credits = run_.credits(e.first);
    w.stages.push_back(std::move(s));
  }
  if (all_) {
    w.run_length = run_.run_length();
    w.message_bytes = run_.message_bytes();
  }
  w.bounds = within_;
  w.ranks = rank_windows(before, now, run_);
  bound_ranks(w);
  return w;
}

// As for stages: where the number cannot be changed, the only one is that which there is.
void run_windows::bound_ranks(adaptation::window& to) const {
  const int possible = all_ ? run_.most_ranks() : 0;
  const int least = least_ranks(run_);
  to.bounds.most_ranks =
      possible > 0 ? std::max(least, std::min(possible, within_.most_ranks)) : to.working_ranks();
  to.bounds.least_ranks =
      possible > 0 ? std::clamp(within_.least_ranks, least, to.bounds.most_ranks) : to.working_ranks();
}

}  // namespace THALWEG_NAMESPACE::run_detail
