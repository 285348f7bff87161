// Batches alone, for comparison: Das et al., "Adaptive stream processing using dynamic batch sizing", SoCC
// 2014. The interval of a batch becomes the shortest at which a batch is worked off within a share of it.
// That is the fixed point of "time of a batch / share", and each step goes there from the batch seen last.
// Where longer intervals are less efficient, such a step would run away, so the interval shrinks.
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batch_seen.hpp"
#include "line.hpp"
#include "numbers.hpp"
#include "period.hpp"
#include "planners.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// The batches of one decision, on average. Times in seconds.
struct batches {
  double interval = 0;  // from one to the next
  double items = 0;     // in one
  double time = 0;      // until one is worked off

  [[nodiscard]] double load() const { return time / interval; }
};

// The time of a batch over its items; none if their sizes do not differ enough to say something.
std::optional<line> line_of(const std::vector<batches>& all) {
  const auto [least, most] = std::minmax_element(
      all.begin(), all.end(), [](const batches& a, const batches& b) { return a.items < b.items; });
  if (most->items < 1.1 * least->items) return std::nullopt;
  std::vector<point> points;
  for (const auto& one : all) points.push_back({one.items, one.time});
  return line_through(points);
}

batches batches_of(const window& w, std::size_t stage) {
  const auto seen = look_at_batches(w, stage);
  return {.interval = seen.interval, .items = seen.items, .time = seen.time()};
}

class sizing {
 public:
  explicit sizing(const settings& with)
      : rho_(with.of("rho")),
        r_(with.of("r")),
        band_(with.of("band")),
        line_(with.on("line")),
        history_(with.whole("history")),
        least_(with.of("least") / 1e3),
        most_(with.of("most") / 1e3) {}

  // The next interval.
  double next(const batches& now) {
    const auto before = past_.empty() ? std::optional<batches>{} : past_.back();
    past_.push_back(now);
    if (past_.size() > static_cast<std::size_t>(history_)) past_.erase(past_.begin());
    return std::clamp(step(now, before), least_, std::max(least_, most_));
  }

 private:
  [[nodiscard]] double step(const batches& now, const std::optional<batches>& before) const {
    if (before) {
      const auto& [small, large] = std::minmax(
          now, *before, [](const batches& a, const batches& b) { return a.interval < b.interval; });
      // Of intervals that hardly differ, noise would decide.
      const bool apart = large.interval > (1 + band_) * small.interval;
      if (apart && large.load() > small.load() && now.load() > rho_) return (1 - r_) * small.interval;
    }
    if (const auto fit = line_ ? line_of(past_) : std::nullopt) {
      const auto fixed = fit->at(0);
      const auto room = rho_ - fit->slope * now.items / now.interval;
      if (fit->slope >= 0 && fixed > 0 && room > 0) return fixed / room;
    }
    return now.time / rho_;
  }

  double rho_, r_, band_;
  bool line_;
  int history_;
  double least_, most_;
  std::vector<batches> past_;  // the oldest first
};

// These limits, so that a batch closes after this time at this rate. A batch that has no interval cannot get
// one: it closes with as many items as come in that time. If it has both, the limit of items moves along and
// stays out of the way.
batch_limits closing_after(double interval, double rate, batch_limits now) {
  const bool timed = now.interval.count() > 0;
  if (timed)
    now.interval = std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(interval * 1e9, 9e18)));
  if (now.items > 0) {
    const auto come = std::ceil(interval * rate * (timed ? 2 : 1) * (1 - 1e-9));
    now.items = static_cast<std::int64_t>(std::clamp(come, 1.0, 9e18));
  }
  return now;
}

class das {
 public:
  explicit das(const settings& with)
      : fresh_{{}, sizing(with)}, least_batches_(with.whole("batches")), band_(with.of("band")) {}

  changes operator()(const window& w) {
    changes wanted;
    for (std::size_t i = 0; i < w.stages.size(); ++i) {
      const auto& s = w.stages[i];
      if (s.batch && (s.batch->interval.count() > 0 || s.batch->items > 0)) look_at(w, i, wanted);
    }
    return wanted;
  }

 private:
  struct state {
    joined_windows windows;  // since its last decision
    sizing size;
  };

  void look_at(const window& w, std::size_t stage, changes& wanted) {
    auto& its = states_.try_emplace(w.stages[stage].name, fresh_).first->second;
    if (w.changed) {
      its.windows.drop();  // batches of two sizes
      return;
    }
    its.windows.add(w);
    const auto& seen = its.windows.whole();
    const auto& s = seen.stages[stage];
    if (s.items_in == 0 || seen.length.count() <= 0 || batches_closed(seen, s) < least_batches_ * s.replicas)
      return;
    const auto now = batches_of(seen, stage);
    its.windows.drop();
    if (now.time <= 0) return;

    const auto next = its.size.next(now);
    const auto limits = closing_after(next, now.items / now.interval, *s.batch);
    if (!differ(limits, *s.batch)) return;
    wanted.batches.push_back({s.name, limits});
    add_reason(wanted, "a batch of " + s.name + " takes " + observe::percent_text(now.load()) +
                           " of its interval, which is to be " + observe::duration_text(next * 1e9));
  }

  [[nodiscard]] bool differ(const batch_limits& a, const batch_limits& b) const {
    const auto far = [&](double one, double other) { return std::abs(one - other) > band_ * other; };
    return a.interval.count() > 0
               ? far(static_cast<double>(a.interval.count()), static_cast<double>(b.interval.count()))
               : far(static_cast<double>(a.items), static_cast<double>(b.items));
  }

  state fresh_;
  int least_batches_;
  double band_;
  std::map<std::string, state> states_;
};

}  // namespace

named_planner das_planner() {
  return {"das",
          {{"rho", 0.7, 0.01, 1},
           {"r", 0.25, 0, 0.99},
           {"line", 1, 0, 1, true},
           {"history", 5, 2, 1000, true},
           {"batches", 4, 1, 1e6, true},
           {"band", 0.05, 0, 1},
           {"least", 1, 0.001, 3.6e6},
           {"most", 60'000, 0.001, 3.6e6}},
          [](const settings& with) { return planner::function(das(with)); }};
}

}  // namespace THALWEG_NAMESPACE::adaptation
