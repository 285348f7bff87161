// The loop that comes with MPR, for comparison: Section 7.1 of its thesis. A ratio of throughput to goal, a
// dead band, and steps of one, two or four replicas. It has no model, and remembers nothing.
#include <algorithm>
#include <utility>

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

double due_rate_of(const window& w) {
  double due = 0;
  for (const auto& s : w.stages) due += s.due_rate.value_or(0);
  return due;
}

}  // namespace

planner::function mpr_planner() {
  return [](const window& w) {
    changes wanted;
    const auto due = due_rate_of(w);
    if (due <= 0 || w.length.count() <= 0) return wanted;
    for (const auto& s : w.stages) {
      if (!s.farm()) continue;
      const auto rate = static_cast<double>(s.items_out) / std::chrono::duration<double>(w.length).count();
      const auto d = step_for(rate / due);
      // As there: a step that would leave the bounds is not made, not even in part.
      const bool fits = d < 0 ? s.replicas > -d : s.replicas + d < s.most;
      if (d == 0 || !fits) continue;
      wanted.replicas.push_back({s.name, s.replicas + d});
      wanted.reason = "throughput is " + std::to_string(rate / due) + " of the goal";
    }
    return wanted;
  };
}

}  // namespace THALWEG_NAMESPACE::adaptation
