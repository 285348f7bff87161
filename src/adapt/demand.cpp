#include "demand.hpp"

#include <algorithm>
#include <cmath>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// A source without a schedule gives what is taken. As it is not known how fast it could be if it was not
// timed, it counts as one that nothing can follow.
double most_of(const stage_window& s, const stage_rates& r, double ahead) {
  if (s.due_rate) return *s.due_rate * ahead;
  return r.law.known() ? 1 / r.law.alone() : 1e9;
}

}  // namespace

double processors_of(const window& w) noexcept {
  const auto there = static_cast<double>(w.cores);
  return w.bounds.most_processors > 0 ? std::min(w.bounds.most_processors, there) : there;
}

demand demand_of(const window& w, const all_rates& rates, double ahead) {
  demand d;
  d.asked.assign(w.stages.size(), 0.0);
  double processors = 0;
  for (std::size_t i = 0; i < w.stages.size(); ++i) {
    const auto& s = w.stages[i];
    const auto& r = rates[i];
    if (s.source) d.asked[i] = most_of(s, r, ahead);
    if (s.source) d.due += s.due_rate.value_or(0);
    for (const auto j : s.inputs) d.asked[i] += d.asked[j] * rates[j].yield * r.share;
    processors += d.asked[i] * r.cpu;
    d.work += d.asked[i] * r.law.alone();
    // What a schedule says is done, whatever a source's clock says of it.
    if (!s.farm() && !s.due_rate && r.law.known() && d.asked[i] > 0)
      d.possible = std::min(d.possible, 1 / r.law.alone() / d.asked[i]);
  }
  if (processors > 0) d.possible = std::min(d.possible, processors_of(w) / processors);
  return d;
}

bool has_backlog(const window& w) {
  const auto length = std::chrono::duration<double>(w.length).count();
  return std::ranges::any_of(w.stages, [&](const stage_window& s) {
    const auto items = static_cast<double>(s.items());
    if (s.due_rate) return std::abs(items - *s.due_rate * length) > 3 * std::sqrt(items + 1) + 0.02 * items;
    return !s.source && s.queued > 2.0 * s.replicas + 2 && s.queued > 0.25 * items;
  });
}

}  // namespace THALWEG_NAMESPACE::adaptation
