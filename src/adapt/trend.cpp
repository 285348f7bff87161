#include "trend.hpp"

#include <algorithm>
#include <utility>

#include "numbers.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

constexpr double windows_ahead = 2, most_ahead = 1.5;

}  // namespace

double trend::look(const window& w) noexcept {
  const auto due = due_rate_of(w);
  const auto before = std::exchange(before_, due);
  const auto earlier = std::exchange(earlier_, before);
  const auto slope = std::min(due - before, before - earlier);
  if (earlier <= 0 || slope <= 0) return 1;
  return std::min(1 + windows_ahead * slope / due, most_ahead);
}

}  // namespace THALWEG_NAMESPACE::adaptation
