#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <array>

namespace THALWEG_NAMESPACE::observe {

std::int64_t clock_cost_ns() noexcept {
  static const std::int64_t cost = [] {
    std::array<std::int64_t, 101> differences{};
    for (std::int64_t& d : differences) {
      const std::int64_t begin = now_ns();
      d = now_ns() - begin;
    }
    // The lower quartile: interrupts and cold caches only ever add.
    const auto quartile = differences.begin() + differences.size() / 4;
    std::nth_element(differences.begin(), quartile, differences.end());
    return *quartile;
  }();
  return cost;
}

}  // namespace THALWEG_NAMESPACE::observe
