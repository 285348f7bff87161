#include "farms.hpp"

#include <algorithm>
#include <chrono>

namespace THALWEG_NAMESPACE::adaptation {

std::vector<unit> units_of(const window& w) {
  std::vector<unit> all;
  for (const auto& s : w.stages) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const unit& u) {
      return s.farm_number >= 0 && u.first().farm_number == s.farm_number;
    });
    if (same != all.end())
      same->stages.push_back(&s);
    else
      all.push_back({{&s}});
  }
  return all;
}

std::vector<unit> farms_of(const window& w) {
  auto all = units_of(w);
  std::erase_if(all, [](const unit& u) { return !u.farm(); });
  return all;
}

int within_bounds(const stage_window& farm, double wanted) {
  if (!(wanted > farm.least)) return farm.least;
  return wanted < farm.most ? static_cast<int>(wanted) : farm.most;
}

double per_second(double items, std::chrono::nanoseconds in) {
  return in.count() > 0 ? items / std::chrono::duration<double>(in).count() : 0.0;
}

}  // namespace THALWEG_NAMESPACE::adaptation
