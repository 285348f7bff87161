// The report says what limits a run, and what would help.
//
// Here the middle stage does nearly all the work and is serial, so everything waits for it. As a farm it
// shares its work among the cores. Whether that pays is in the report: look before you add replicas.
#include <thalweg/thalweg.hpp>

#include <cmath>
#include <iostream>
#include <ranges>
#include <string>

namespace tw = thalweg;

double heavy(int x) {
  double sum = 0;
  for (int i = 1; i <= 2'000; ++i) sum += std::sqrt(static_cast<double>(x + i));
  return sum;
}

int main() {
  double total = 0;
  const auto add = [&](double y) { total += y; };

  const tw::report serial =
      tw::run(tw::source(std::views::iota(0, 5'000)) | tw::map(heavy, {.name = "heavy"}) | tw::sink(add));
  std::cout << serial << '\n';
  const double expected = total;

  total = 0;
  const tw::report farmed =
      tw::run(tw::source(std::views::iota(0, 5'000)) | tw::farm(heavy, {.name = "heavy"}) | tw::sink(add));
  std::cout << farmed << '\n';

  // Floating point sums depend on the order of the terms: equal results show that the order was kept.
  const auto limit = serial.bottleneck();
  return total == expected && !limit.advice.empty() ? 0 : 1;
}
