// The default planner. It learns what stages could do (stage_rates, scaling_law), works out how many replicas
// what is asked for takes (demand, farm_size), makes a growth at once and a shrinking when it has long been
// due, checks each growth against what it predicted, and remembers what did not help (memory).
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "demand.hpp"
#include "farm_size.hpp"
#include "memory.hpp"
#include "planners.hpp"
#include "stage_rates.hpp"
#include "words.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// The part of its time that a replica is at work: what farms are sized for, and beyond which they grow or
// shrink. Between the two nothing happens.
constexpr double sized_for = 0.92, too_loaded = 0.97, too_idle = 0.88;
constexpr int windows_to_judge = 4;  // what new replicas bring may take some time to show

struct growth {
  struct farm {
    std::size_t stage;
    int from, to;
  };
  std::vector<farm> farms;
  double before, predicted;   // items a second that enter sinks
  std::vector<double> asked;  // of all stages, when it was made
  int windows = 0;            // seen since
};

class thalweg {
 public:
  changes operator()(const window& w) {
    if (memory_.size() != w.stages.size()) begin(w);
    rates_.look(w);
    if (w.changed) return {};
    auto load = demand_of(w, rates_);
    if (growth_ && another_load(load)) growth_.reset();
    if (growth_) {
      const auto brought = what_it_brought(w);
      ++growth_->windows;
      if (brought < 0.8 && growth_->windows < windows_to_judge) return {};
      rates_.learn(w);
      const auto was = *std::exchange(growth_, std::nullopt);
      if (brought < 0.2) return take_back(w, was);
    } else {
      rates_.learn(w);
    }
    load = demand_of(w, rates_);
    std::vector<int> most(w.stages.size());
    for (std::size_t i = 0; i < most.size(); ++i) {
      most[i] = memory_[i].most(w.number, load.asked[i]);
      if (memory_[i].forgot()) rates_[i].law.forget_above(w.stages[i].replicas);
    }
    const auto target = w.goal.what == goal::kind::utilisation ? w.goal.share : sized_for;
    const auto sizes = farm_sizes(w, rates_, most, target, load);
    auto wanted = grow(w, load, sizes, target / sized_for);
    return wanted.none() ? shrink(w, load, sizes, target / sized_for) : wanted;
  }

 private:
  struct idle {
    int windows = 0;
    int needed = 0;
  };

  void begin(const window& w) {
    memory_.assign(w.stages.size(), {});
    idle_.assign(w.stages.size(), {});
    growth_.reset();
  }

  [[nodiscard]] bool another_load(const demand& d) const {
    for (const auto& f : growth_->farms)
      if (std::abs(d.asked[f.stage] - growth_->asked[f.stage]) > 0.2 * growth_->asked[f.stage]) return true;
    return false;
  }

  // The part of what was predicted; 1 if the growth was for more room alone.
  [[nodiscard]] double what_it_brought(const window& w) const {
    const auto expected = growth_->predicted - growth_->before;
    if (expected < 0.05 * growth_->predicted) return 1;
    return (w.throughput() - growth_->before) / expected;
  }

  changes take_back(const window& w, const growth& was) {
    changes wanted;
    for (const auto& f : was.farms) {
      memory_[f.stage].grew_for_nothing(f.from, w.number, was.asked[f.stage]);
      wanted.replicas.push_back({w.stages[f.stage].name, f.from});
    }
    wanted.predicted = was.before;
    wanted.reason = words_of_taking_back(was.before, was.predicted, w.throughput());
    return wanted;
  }

  changes grow(const window& w, const demand& d, const std::vector<farm_size>& sizes, double scale) {
    changes wanted;
    growth made{.farms = {}, .before = w.throughput(), .predicted = 0, .asked = d.asked};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto& s = w.stages[i];
      if (s.sink) made.predicted += d.possible * d.asked[i];
      const auto forced = s.replicas < s.least;
      if (!s.farm() || sizes[i].needed <= s.replicas) continue;
      if (!forced && sizes[i].loaded < too_loaded * scale && !sizes[i].limits) continue;
      // Where no schedule says what is asked for, one step shows whether the next one is worth it.
      const auto to = d.due > 0 ? sizes[i].needed : std::min(sizes[i].needed, 2 * s.replicas);
      rates_[i].law.keep(s.replicas);
      made.farms.push_back({i, s.replicas, to});
      memory_[i].grows(to, d.asked[i], rates_[i].law.alone());
      wanted.replicas.push_back({s.name, to});
      add_words(wanted.reason, words_of_size(s, sizes[i], rates_[i]));
    }
    if (wanted.none()) return wanted;
    for (auto& i : idle_) i = {};
    wanted.predicted = made.predicted;
    growth_ = std::move(made);
    return wanted;
  }

  changes shrink(const window& w, const demand& d, const std::vector<farm_size>& sizes, double scale) {
    changes wanted;
    // Late items are worked off first, unless the load is one that they never can be.
    const bool busy = d.possible >= 0.98 && has_backlog(w);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto& s = w.stages[i];
      if (!s.farm()) continue;
      const auto seconds = rates_[i].law.alone();
      const auto needed = std::max(sizes[i].needed, memory_[i].least(d.asked[i], seconds));
      const bool large = sizes[i].limits || sizes[i].loaded < too_idle * scale;
      if (busy || needed >= s.replicas || !large) {
        idle_[i] = {};
        continue;
      }
      idle_[i].needed = std::max(idle_[i].needed, needed);
      const bool by_far = idle_[i].needed < 0.7 * s.replicas;
      if (++idle_[i].windows < memory_[i].patience(by_far)) continue;
      rates_[i].law.keep(s.replicas);
      memory_[i].shrank(s.replicas, d.asked[i], seconds);
      wanted.replicas.push_back({s.name, idle_[i].needed});
      add_words(wanted.reason, words_of_size(s, sizes[i], rates_[i]));
      idle_[i] = {};
    }
    if (wanted.none()) return wanted;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (w.stages[i].sink) wanted.predicted += d.possible * d.asked[i];
    return wanted;
  }

  all_rates rates_;
  std::vector<farm_memory> memory_;
  std::vector<idle> idle_;
  std::optional<growth> growth_;
};

}  // namespace

planner::function thalweg_planner() {
  return thalweg();
}

}  // namespace THALWEG_NAMESPACE::adaptation
