#include "waiting.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "batch_seen.hpp"
#include "numbers.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

constexpr double highest_load = 0.98;                         // what is beyond it has no steady state
constexpr double least_variation = 0.05, most_variation = 4;  // a burst that has passed says little

void add_batches(const window& w, std::size_t stage, std::vector<stage_times>& times) {
  const auto& s = w.stages[stage];
  const auto closed = batches_closed(w, s);
  if (!(closed > 0)) return;
  const auto seen = look_at_batches(w, stage);
  times[stage].batching =
      s.batch->interval.count() > 0 ? std::min(as_seconds(s.batch->interval), seen.interval) : seen.interval;
  for (const auto& one : seen.behind) {
    if (one.stage == stage && !s.farm()) continue;  // it only collects
    auto& t = times[one.stage];
    // What it gets of a batch is shared out to its replicas, as far as that goes.
    const auto parts = static_cast<double>(w.stages[one.stage].items_in) / closed;
    t.service = one.seconds / std::clamp(parts, 1.0, std::max(1.0, t.replicas));
    t.run = 0;
  }
}

}  // namespace

double waiting_for(double service, double load, double replicas) {
  const auto u = std::clamp(load, 0.0, highest_load);
  return service * std::pow(u, std::sqrt(2 * (replicas + 1)) - 1) / (replicas * (1 - u));
}

double stage_times::wait() const {
  return varies * waiting_for(service, load, replicas);
}

std::vector<stage_times> times_of(const window& w) {
  std::vector<stage_times> times;
  const auto length = as_seconds(w.length);
  for (const auto& s : w.stages) {
    stage_times t;
    t.inputs = s.inputs;
    t.replicas = std::max(1, s.replicas);
    t.service = s.source ? 0 : s.seconds_per_item();
    t.load = length > 0 ? as_seconds(s.busy) / (length * t.replicas) : 0;
    if (!s.source && s.runs > 0)
      t.run = std::max(0.0, as_seconds(s.busy) / static_cast<double>(s.runs) - t.service);
    times.push_back(std::move(t));
  }
  for (std::size_t i = 0; i < times.size(); ++i)
    if (w.stages[i].batch) add_batches(w, i, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    auto& t = times[i];
    const auto& s = w.stages[i];
    const auto formula = waiting_for(t.service, t.load, t.replicas);
    if (s.source || s.items_in == 0 || formula <= 0) continue;
    t.varies = std::clamp(s.queued * length / static_cast<double>(s.items_in) / formula, least_variation,
                          most_variation);
  }
  return times;
}

latency_parts predicted_latency(const std::vector<stage_times>& stages, double quantile) {
  // Waiting times have a long tail; all else is nearly the same for all items.
  const auto tail = std::max(1.0, -std::log(std::max(1 - quantile, 1e-9)));
  std::vector<latency_parts> until(stages.size());
  latency_parts longest;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& t = stages[i];
    auto& here = until[i];
    for (const auto from : t.inputs)
      if (from < i && until[from].all() > here.all()) here = until[from];
    here.batches += t.batching;
    here.runs += t.run;
    here.service += t.service;
    here.waiting += t.wait() * tail;
    if (here.all() > longest.all()) longest = here;
  }
  return longest;
}

}  // namespace THALWEG_NAMESPACE::adaptation
