// The loop that comes with MPR, for comparison: Section 7.1 of its thesis. A ratio of throughput to goal, a
// dead band, and steps of one, two or four replicas. It has no model, and remembers nothing.
#include <thalweg/observe/text.hpp>

#include "numbers.hpp"
#include "period.hpp"
#include "planners.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// How many fewer (below 0) or more.
int step_for(double ratio) {
  if (ratio > 2) return -4;
  if (ratio > 1.5) return -2;
  if (ratio > 1.25) return -1;
  if (ratio < 0.5) return 4;
  if (ratio < 0.75) return 2;
  if (ratio < 0.9375) return 1;
  return 0;
}

// Its text has one farm, and a goal that the user sets. Several are each held to the same goal.
changes decide(const window& w, double goal) {
  changes wanted;
  if (goal <= 0) goal = due_rate_of(w);
  if (goal <= 0) return wanted;
  for (const auto& f : w.stages) {
    if (!f.farm()) continue;
    const auto produced = f.sink ? f.items_in : f.items_out;
    const auto ratio = per_second(static_cast<double>(produced), w.length) / goal;
    const auto d = step_for(ratio);
    // As there: a step that would leave the bounds is not made, not even in part, and the most is never
    // reached.
    const bool fits = d < 0 ? f.replicas + d >= f.least : f.replicas + d < f.most;
    if (d == 0 || !fits) continue;
    wanted.replicas.push_back({f.name, f.replicas + d});
    add_reason(wanted,
               "the throughput of " + f.name + " is " + observe::percent_text(ratio) + " of the goal");
  }
  return wanted;
}

}  // namespace

named_planner mpr_planner() {
  return {"mpr", {{"period", 1, 0.001, 3600}, {"goal", 0, 0, 1e12}}, [](const settings& with) {
            return planner::function(
                [measured = period(with.of("period")), goal = with.of("goal")](const window& w) mutable {
                  return measured.ends_with(w) ? decide(measured.whole(), goal) : changes{};
                });
          }};
}

}  // namespace THALWEG_NAMESPACE::adaptation
