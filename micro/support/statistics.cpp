#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace micro {

double median_of(std::vector<double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(samples.begin(), middle)) / 2;
}

double quantile_of(std::vector<double> samples, double share) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double rank = std::ceil(share * static_cast<double>(samples.size()));
  const auto index =
      std::clamp(static_cast<std::ptrdiff_t>(rank) - 1, std::ptrdiff_t{0}, std::ssize(samples) - 1);
  const auto at = samples.begin() + index;
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

}  // namespace micro
