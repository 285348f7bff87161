#include "farm_size.hpp"

#include <algorithm>
#include <cmath>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// A replica must add this part of the work that a processor does for the run, or it is not worth its place:
// an item that all stages are slow for is worth more replicas of one that is fast. Between the two nothing is
// changed, or noise would.
constexpr double worth_growing = 0.25, worth_keeping = 0.15;

int fewest_for(const scaling_law& law, double work, double target, int most) {
  if (work <= 0) return 1;
  const auto p = law.at_work(work / target);
  return p < most ? std::max(1, static_cast<int>(std::ceil(p - 1e-6))) : most;
}

}  // namespace

int most_of(const window& w, const stage_window& s, const stage_rates& r) {
  // One that waits half of the time can have twice as many as there are processors.
  const auto busy = processors_of(w) / std::max(r.computing(), 1e-3);
  return std::max(std::min(s.most, static_cast<int>(std::ceil(busy - 0.2))), s.least);
}

std::vector<farm_size> farm_sizes(const window& w, const all_rates& rates, const std::vector<int>& most,
                                  double target, demand& d) {
  std::vector<farm_size> sizes(w.stages.size());
  std::vector<double> limit(w.stages.size(), 1.0);
  for (std::size_t i = 0; i < w.stages.size(); ++i) {
    const auto& s = w.stages[i];
    const auto& law = rates[i].law;
    sizes[i].most = s.farm() ? std::min(most_of(w, s, rates[i]), most[i]) : 1;
    if (!s.farm() || !law.known() || d.asked[i] <= 0) continue;
    sizes[i].share = d.work > 0 ? std::min(d.asked[i] * law.alone() / d.work, 1.0) : 1.0;
    const auto least = law.worth(sizes[i].most, worth_growing * sizes[i].share);
    const auto largest = std::max(least, law.worth(sizes[i].most, worth_keeping * sizes[i].share));
    const auto best = std::clamp(s.replicas, least, largest);
    sizes[i].needed = best;
    limit[i] = law.capacity(best) / law.alone() / d.asked[i];
    d.possible = std::min(d.possible, limit[i]);
  }
  for (std::size_t i = 0; i < w.stages.size(); ++i) {
    const auto& s = w.stages[i];
    const auto& law = rates[i].law;
    auto& size = sizes[i];
    if (!s.farm()) continue;
    if (!law.known() || d.asked[i] <= 0) {
      size.needed = s.replicas;
      continue;
    }
    size.work = d.possible * d.asked[i] * law.alone();
    size.loaded = size.work / law.capacity(s.replicas);
    size.limits = limit[i] <= d.possible * 1.02;
    if (!size.limits) size.needed = fewest_for(law, size.work, target, size.needed);
    size.needed = std::max(size.needed, s.least);
  }
  return sizes;
}

}  // namespace THALWEG_NAMESPACE::adaptation
