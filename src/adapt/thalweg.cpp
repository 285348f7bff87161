// The default planner. It learns what stages could do (stage_rates, scaling_law), works out how many replicas
// what is asked for takes (demand, farm_size), makes a growth at once and a shrinking when it has long been
// due, checks each change against what it predicted (trial), and remembers what did not help (farm_memory).
// How long batches and runs hold items is decided first (batch_control), as replicas cost more.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "batch_control.hpp"
#include "demand.hpp"
#include "farm_memory.hpp"
#include "farm_size.hpp"
#include "latency_target.hpp"
#include "numbers.hpp"
#include "planners.hpp"
#include "ranks_needed.hpp"
#include "stage_rates.hpp"
#include "trend.hpp"
#include "trial.hpp"
#include "words.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// The part of its time that a replica is at work: what farms are sized for, and beyond which they grow or
// shrink. Between the two nothing happens.
constexpr double sized_for = 0.92, too_loaded = 0.97, too_idle = 0.88;
constexpr int windows_to_settle = 3;  // after something was taken back
// In which a farm was too large, by little or by much; and in which one could not do what is asked, though
// more replicas are not expected to help.
constexpr int windows_to_shrink = 10, windows_if_by_far = 3, windows_to_look = 5;

class thalweg {
 public:
  changes operator()(const window& w) {
    if (farms_.size() != w.stages.size()) begin(w);
    rates_.look(w);
    const auto ahead = trend_.look(w);
    if (changed_by_others(w)) {
      trial_.reset();
      settle();
    }
    if (w.changed) return {};
    if (settling_ > 0 && --settling_ > 0) return {};
    auto load = demand_of(w, rates_);
    if (another_load(load)) {
      trial_.reset();
      latency_.forget();
      for (auto& f : farms_) {
        f.idle = {};
        f.steady.begin();
      }
    }
    if (!trial_ || trial_->works()) learn(w);
    if (trial_) {
      const auto verdict = trial_->look(w, is_met(w, load), worth_of_one(w, load));
      if (verdict == trial::verdict::open) return {};
      const bool works = trial_->works();
      const auto was = *std::exchange(trial_, std::nullopt);
      if (!works) learn(w);
      if (verdict == trial::verdict::bad) return take_back(w, was);
      remember(w, load, was, verdict == trial::verdict::met);
    }
    for (std::size_t i = 0; i < farms_.size(); ++i) farms_[i].steady.add(rates_[i].rate, seconds_of(w));
    load = demand_of(w, rates_, ahead);
    if (auto held = batches_.look(w)) return hold_for(w, std::move(*held));
    const auto target = target_of(w) * batches_.room();
    const auto sizes = farm_sizes(w, rates_, ceilings(w, load), target, load);
    auto wanted = grow(w, load, sizes, target / sized_for);
    if (wanted.none()) wanted = shrink(w, load, sizes, target / sized_for);
    ranks_.decide(w, wanted);
    return wanted;
  }

 private:
  struct spare {
    int windows = 0;
    int needed = 0;
  };
  struct farm {
    farm_memory memory;
    steady_rate steady;  // items a second that it does
    spare idle;
    int wanting = 0;   // windows in which it could not do what is asked, and more are not expected to help
    double asked = 0;  // when the load changed last
    int expected = 0, seen = 0;  // replicas: asked for, and in the last window
  };

  void begin(const window& w) {
    farms_.assign(w.stages.size(), {});
    trial_.reset();
  }

  // A number that this has not asked for: what was being tried is no more.
  bool changed_by_others(const window& w) {
    bool any = false;
    for (std::size_t i = 0; i < farms_.size(); ++i) {
      auto& f = farms_[i];
      const int now = w.stages[i].replicas;
      const bool other = f.expected > 0 && now != f.expected && now != f.seen;
      if (other || f.expected == 0) f.expected = now;
      f.seen = now;
      any |= other;
    }
    return any;
  }

  // By what loads are told apart. Without a schedule there is one only: as much as goes.
  static double load_of(const demand& d, std::size_t i) { return d.due > 0 ? d.asked[i] : 1; }

  bool another_load(const demand& d) {
    bool other = false;
    for (std::size_t i = 0; i < farms_.size(); ++i) {
      auto& was = farms_[i].asked;
      const auto now = load_of(d, i);
      if (was > 0 && std::abs(now - was) <= 0.2 * was) continue;
      was = now;
      other |= was > 0;
    }
    return other;
  }

  // If items became longer or shorter, what was tried with the old ones says nothing.
  void learn(const window& w) {
    rates_.learn(w);
    bool others = false;
    for (std::size_t i = 0; i < farms_.size(); ++i) others |= rates_[i].law.has_jumped();
    if (!others) return;
    for (auto& f : farms_) {
      f.memory.forget();
      f.steady.begin();
    }
    trial_.reset();
  }

  // Items a second that a processor does for the run, if nothing disturbs it.
  static double worth_of_one(const window& w, const demand& d) {
    return d.work > 0 ? at_sinks(w, d) / d.work : 0.0;
  }

  // What a change that is kept has shown.
  void remember(const window& w, const demand& d, const trial& was, bool met) {
    // Others may do more now than this one let them.
    if (was.farms().front().to > was.farms().front().from)
      for (std::size_t i = 0; i < farms_.size(); ++i)
        if (std::ranges::none_of(was.farms(), [=](const trial::farm& f) { return f.stage == i; }))
          farms_[i].memory.more_may_help(w.number, load_of(d, i));
    for (const auto& f : was.farms()) {
      auto& memory = farms_[f.stage].memory;
      if (f.to > f.from && !met && was.is_sure()) memory.too_few(f.from, w.number, f.asked);
      if (f.to < f.from) memory.enough(f.to, w.number, f.asked);
      if (f.to < f.from && !met) memory.more_is_useless(f.to, w.number, f.asked);
    }
  }

  std::vector<int> ceilings(const window& w, const demand& d) {
    std::vector<int> most(farms_.size());
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = farms_[i].memory.most(w.number, load_of(d, i));
    return most;
  }

  static double seconds_of(const window& w) { return as_seconds(w.length); }

  static bool is_met(const window& w, const demand& d) {
    return d.due > 0 && !has_backlog(w) && w.throughput() > 0.9 * at_sinks(w, d);
  }

  double target_of(const window& w) {
    if (w.goal.what == goal::kind::utilisation) return w.goal.share;
    if (w.goal.what != goal::kind::latency) return sized_for;
    if (!has_backlog(w)) latency_.look(w);
    return latency_.value();
  }

  // Where batches get another size, stages behind them have other items.
  changes hold_for(const window& w, changes wanted) {
    for (const auto& b : wanted.batches) rates_.forget_behind(w, b.stage);
    if (!wanted.none()) settle();
    settling_ = 0;
    return wanted;
  }

  changes take_back(const window& w, const trial& was) {
    changes wanted;
    for (const auto& f : was.farms()) {
      auto& memory = farms_[f.stage].memory;
      if (f.to > f.from)
        memory.more_is_useless(f.from, w.number, f.asked);
      else
        memory.too_few_between(f.to, f.from, w.number, f.asked);
      wanted.replicas.push_back({w.stages[f.stage].name, f.from});
      farms_[f.stage].expected = f.from;
    }
    settle();
    wanted.predicted = was.before();
    wanted.reason = words_of_taking_back(was.farms().front().to > was.farms().front().from, was.before(),
                                         was.predicted(), was.now());
    return wanted;
  }

  void settle() {
    settling_ = windows_to_settle;
    for (auto& f : farms_) {
      f.steady.begin();
      f.idle = {};
      f.wanting = 0;
    }
  }

  // What is watched is the farm itself: others may have much to do that waited before.
  void begin_trial(const window& w, const demand& d, std::vector<trial::farm> made, double predicted) {
    const auto watched = made.front().stage;
    const auto part = d.asked[watched] > 0 ? at_sinks(w, d) / d.asked[watched] : 1.0;
    trial_.emplace(std::move(made), farms_[watched].steady, part, predicted);
    settle();
    settling_ = 0;
  }

  static double at_sinks(const window& w, const demand& d) {
    double asked = 0;
    for (std::size_t i = 0; i < w.stages.size(); ++i)
      if (w.stages[i].sink) asked += d.asked[i];
    return asked;
  }

  // To what a farm grows now.
  int grown(const window& w, const demand& d, std::size_t i, const farm_size& size, double scale) {
    const auto& s = w.stages[i];
    if (s.replicas < s.least) return s.least;
    if (rates_.crowded()) return s.replicas;
    if (size.needed > s.replicas) {
      if (size.loaded < too_loaded * scale && !size.limits) return s.replicas;
      const bool late = (rates_[i].full && rates_[i].was_full) || has_backlog(w);
      if (!late && farms_[i].memory.was_enough(s.replicas, w.number, load_of(d, i))) return s.replicas;
      if (late && !size.limits) farms_[i].memory.too_few(s.replicas, w.number, load_of(d, i));
      // Where no schedule says what is asked for, one step shows whether the next one is worth it.
      return d.due > 0 ? size.needed : std::min(size.needed, 2 * s.replicas);
    }
    // What it learned may no longer hold: a little more shows it, once.
    if (!size.limits || !rates_[i].was_full || s.replicas >= size.most) {
      farms_[i].wanting = 0;
      return s.replicas;
    }
    const auto to = std::min(size.most, s.replicas + std::max(1, s.replicas / 4));
    const auto patience = std::max(windows_to_look, trial::windows_for(s.replicas, to, farms_[i].steady));
    return ++farms_[i].wanting < patience ? s.replicas : to;
  }

  changes grow(const window& w, const demand& d, const std::vector<farm_size>& sizes, double scale) {
    changes wanted;
    auto possible = d.possible;
    std::vector<trial::farm> made;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto& s = w.stages[i];
      if (!s.farm()) continue;
      if (rates_[i].doubtful) return {};
      const auto to = grown(w, d, i, sizes[i], scale);
      if (to <= s.replicas) continue;
      auto& law = rates_[i].law;
      // Back from where it shrank to: that was too few.
      auto& memory = farms_[i].memory;
      if (memory.was_enough(s.replicas, w.number, load_of(d, i)))
        memory.too_few(s.replicas, w.number, load_of(d, i));
      law.keep(s.replicas);
      possible = std::min(possible, law.capacity(to) / law.alone() / d.asked[i]);
      if (sizes[i].needed <= s.replicas) possible *= static_cast<double>(to) / s.replicas;
      made.push_back({i, s.replicas, to, load_of(d, i)});
      wanted.replicas.push_back({s.name, to});
      farms_[i].expected = to;
      add_reason(wanted, words_of_size(s, sizes[i], rates_[i]));
    }
    if (wanted.none()) return wanted;
    std::ranges::stable_partition(made, [&](const trial::farm& f) { return sizes[f.stage].limits; });
    wanted.predicted = std::min(possible, 1.0) * at_sinks(w, d);
    begin_trial(w, d, std::move(made), wanted.predicted);
    return wanted;
  }

  static bool may_do_with_fewer(const scaling_law& law, int replicas, double share) {
    const auto part = law.capacity(replicas) - law.capacity(0.75 * replicas);
    return !law.knows_fewer_than(replicas) || part < 0.4 * share * 0.25 * replicas;
  }

  changes shrink(const window& w, const demand& d, const std::vector<farm_size>& sizes, double scale) {
    changes wanted;
    std::vector<trial::farm> made;
    // Late items are worked off first, unless the load is one that they never can be.
    const bool busy = d.possible >= 0.98 && has_backlog(w);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto& s = w.stages[i];
      if (!s.farm()) continue;
      auto& unused = farms_[i].idle;
      auto& law = rates_[i].law;
      const auto least = farms_[i].memory.least(w.number, load_of(d, i));
      auto needed = sizes[i].needed;
      // Where all wait for a farm and the last ones seem to add little, fewer may do as much: a lock, a disk.
      // Where nothing is late because of it, that is tried once, too.
      const bool unknown =
          d.due <= 0 && !law.knows_fewer_than(s.replicas) && sizes[i].loaded > too_idle * scale;
      const bool all_wait =
          sizes[i].limits ? may_do_with_fewer(law, s.replicas, sizes[i].share) : rates_.crowded() || unknown;
      if (all_wait && (rates_[i].was_full || unknown))
        needed = std::min(needed, std::max(s.least, 3 * s.replicas / 4));
      needed = std::max(needed, least);
      const bool large = all_wait || sizes[i].loaded < too_idle * scale;
      const bool works_off = rates_[i].full && !all_wait;
      if (busy || works_off || needed >= s.replicas || !large) {
        unused = {};
        continue;
      }
      unused.needed = std::max(unused.needed, needed);
      auto patience = all_wait || unused.needed >= 0.7 * s.replicas ? windows_to_shrink : windows_if_by_far;
      if (sizes[i].limits)
        patience = std::max(patience, trial::windows_for(s.replicas, unused.needed, farms_[i].steady));
      if (++unused.windows < patience) continue;
      if (unused.needed >= s.replicas) {
        unused = {};
        continue;
      }
      law.keep(s.replicas);
      made.push_back({i, s.replicas, unused.needed, load_of(d, i)});
      wanted.replicas.push_back({s.name, unused.needed});
      farms_[i].expected = unused.needed;
      add_reason(wanted, words_of_size(s, sizes[i], rates_[i]));
    }
    if (wanted.none()) return wanted;
    wanted.predicted = d.possible * at_sinks(w, d);
    begin_trial(w, d, std::move(made), wanted.predicted);
    return wanted;
  }

  all_rates rates_;
  trend trend_;
  std::vector<farm> farms_;
  latency_target latency_{sized_for};
  batch_control batches_;
  std::optional<trial> trial_;
  rank_memory ranks_;
  int settling_ = 0;  // windows until what was taken away is gone
};

}  // namespace

named_planner thalweg_planner() {
  return {"thalweg", {}, [](const settings&) { return planner::function(thalweg()); }};
}

}  // namespace THALWEG_NAMESPACE::adaptation
