// The whole stream as one loop on one worker, while that is faster than sharing it.
#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <numeric>

#include "engine.hpp"

namespace thalweg::run_detail::pooled {

bool pool_engine::run_inline(worker& w, partition& p) {
  auto& run = *state_;
  auto& component = *run.plan.components.front();
  auto& ctx = *w.contexts.front();
  const auto& infos = component.stages();
  const model::range whole{0, infos.size()};
  if (!inline_prepared_) {
    for (const auto& farm : farms_) {
      bool fresh = false;
      const int r = farm->acquire(0, fresh);
      if (fresh) start_farm(farm.get(), r);
      farm->release(r);
    }
    inline_prepared_ = true;
  }
  ctx.here = {&p.source(), 0, 0, 0, 0};
  ctx.paced = infos.front().source.paced;
  run.inlined.store(true, std::memory_order_relaxed);
  std::size_t n = inline_run_;
  int worth = 0;
  for (;;) {
    if (stopping() || run.paused() || run.ending.load(std::memory_order_relaxed)) return false;
    stopwatch time(w);
    const auto begin = time.began;
    model::produced made;
    std::int64_t sampled_source = 0;
    std::int64_t sampled_rest = 0;
    const bool ok = run.guard(0, inline_position_, 0, [&] {
      ctx.sample = workers_ > 1 || run.observes();
      made = component.produce(whole, ctx, 1, nullptr);
      ctx.sample = false;
      for (std::size_t i = 0; i < infos.size(); ++i) {
        const auto ns = std::max<std::int64_t>(0, ctx.tallies[i].sampled_ns - observe::clock_cost_ns());
        (i == 0 ? sampled_source : sampled_rest) += ns;
        if (ctx.tallies[i].sampled != 0) {
          auto& cost = cost_ns_[i];
          cost = cost == 0 ? static_cast<double>(ns) + 1 : cost + (static_cast<double>(ns) - cost) / 8;
        }
      }
      if (ctx.arrived_at(infos.size() - 1) > 0 && !ctx.paced) w.log->arrived(sampled_rest, 1, true);
      if (!made.ended && n > 1) {
        const auto more = component.produce(whole, ctx, n - 1, nullptr);
        made = {made.items + more.items, more.ended};
      }
    });
    const auto waited = ctx.waited_ns;
    const auto took = time.lap(observe::now_ns()) - waited;
    if (made.items > 0) sampled_source += waited / static_cast<std::int64_t>(made.items);
    ++inline_position_;
    ctx.collect(whole, took + waited);
    if (!ok) throw thalweg::cancelled{};
    trace(w, {0, whole, 0}, begin, took, made.items, inline_position_);
    if (made.ended) return true;
    // A stream that may be worth sharing is looked at more often.
    const bool settled =
        workers_ == 1 || static_cast<double>(took) < static_cast<double>(made.items) * inline_below_ns;
    const auto target = settled ? inline_run_ns : grant_ns;
    inline_run_ = n = static_cast<double>(took) < target / 2
                          ? std::min(n * 2, settled ? longest_inline_run : longest_grant)
                      : static_cast<double>(took) > target * 2 ? std::max<std::size_t>(1, n / 4)
                                                               : n;
    if (workers_ == 1 || made.items == 0) continue;
    grant_.gave(made.items, static_cast<double>(sampled_source), 1);
    worth = worth_sharing(static_cast<double>(took) / static_cast<double>(made.items), sampled_source,
                          sampled_rest)
                ? worth + 1
                : 0;
    // One slow run may be a preemption; one of a few dear items is not.
    if (worth >= runs_before_sharing ||
        (worth > 0 && static_cast<double>(took) > 4 * grant_ns && made.items <= 4)) {
      scale_costs(static_cast<double>(took) / static_cast<double>(made.items),
                  static_cast<double>(sampled_source) > slow_call_ns);
      const auto each = std::max(1.0, std::accumulate(cost_ns_.begin() + 1, cost_ns_.end(), 0.0));
      grant_.begin(each);
      run.inlined.store(false, std::memory_order_relaxed);
      inlining_ = false;
      return false;
    }
  }
}

bool pool_engine::worth_sharing(double per_item, std::int64_t source, std::int64_t rest) const {
  if (static_cast<double>(source) > slow_call_ns)
    return static_cast<double>(rest) > static_cast<double>(wake_ns);
  if (per_item < inline_below_ns) return false;
  double all = 0;
  double dearest = 0;
  for (std::size_t i = 0; i < cost_ns_.size(); ++i) {
    all += cost_ns_[i];
    const auto parallel = farm_of_stage_[i] == nullptr ? 1 : std::min(workers_, farm_of_stage_[i]->allowed());
    dearest = std::max(dearest, cost_ns_[i] / parallel);
  }
  // Samples miss work that only some items come to (that behind a batch): then a try tells more.
  if (!samples_explain(per_item)) return per_item > wake_ns;
  const auto shared = per_item * std::max(dearest / all, 1.0 / workers_) + sharing_ns;
  return shared < worth_sharing_below * per_item;
}

bool pool_engine::samples_explain(double per_item) const {
  return std::accumulate(cost_ns_.begin(), cost_ns_.end(), 0.0) > per_item / 2;
}

void pool_engine::scale_costs(double per_item, bool source_waits) {
  const auto all = std::accumulate(cost_ns_.begin(), cost_ns_.end(), 0.0);
  if (all <= 0 || source_waits) return;
  if (!samples_explain(per_item)) {
    std::fill(cost_ns_.begin() + 1, cost_ns_.end(), 0.0);  // not known
    return;
  }
  for (auto& c : cost_ns_) c *= per_item / all;
}

}  // namespace thalweg::run_detail::pooled
