#include "apps/app_name/app_name.hpp"

namespace apps::app_name {
namespace {

/// Steps until the sequence of a number comes to 1. For numbers up to 2^32 it stays below 2^64.
std::uint32_t steps_of(std::uint64_t number) {
  std::uint32_t steps = 0;
  for (; number > 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}

}  // namespace

source::source(const std::filesystem::path& file) : lines_(file) {}

std::optional<interval> source::operator()() {
  if (!lines_.next()) {
    if (number_ == 0) lines_.fail("there is no interval");
    return std::nullopt;
  }
  const int first = lines_.number();
  lines_.end();
  if (first < 1) lines_.fail("an interval begins at 1 or above");
  interval next;
  next.number = number_++;
  next.first = static_cast<std::uint64_t>(first);
  return next;
}

interval longest(interval of) {
  for (auto number = of.first; number < of.first + interval::size; ++number) {
    const auto steps = steps_of(number);
    if (of.longest != 0 && steps <= of.steps) continue;
    of.longest = number;
    of.steps = steps;
  }
  return of;
}

}  // namespace apps::app_name
