#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <array>

#include <sys/resource.h>

namespace THALWEG_NAMESPACE::observe {

thread_usage thread_usage_now() noexcept {
  rusage used{};
  (void)getrusage(RUSAGE_THREAD, &used);
  return {thread_cpu_ns(), used.ru_nivcsw};
}

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
