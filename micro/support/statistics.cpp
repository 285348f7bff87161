#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

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

estimate estimate_median(const std::vector<double>& samples) {
  if (samples.empty()) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, none};
  }
  constexpr int draws = 4'000;
  std::mt19937_64 random(20'240'501);
  std::uniform_int_distribution<std::size_t> pick(0, samples.size() - 1);
  std::vector<double> medians(draws);
  std::vector<double> drawn(samples.size());
  for (double& median : medians) {
    for (double& sample : drawn) sample = samples[pick(random)];
    median = median_of(drawn);
  }
  return {median_of(samples), quantile_of(medians, 0.025), quantile_of(std::move(medians), 0.975)};
}

}  // namespace micro
