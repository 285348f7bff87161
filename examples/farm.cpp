// A farm: one operator, several replicas of it at work at the same time.
//
// The items come out in the order in which they went in, although some take much longer than others. The
// replicas share the operator, so it must be callable as const: a lambda that is not `mutable` is. Without
// `.replicas` the policy decides how many work at once.
#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <iostream>
#include <ranges>
#include <utility>
#include <vector>

namespace tw = thalweg;

/// How many steps the Collatz sequence of `n` takes to reach 1: a few for some numbers, hundreds for others.
std::pair<std::uint64_t, int> steps(std::uint64_t n) {
  int count = 0;
  for (auto x = n; x != 1; x = x % 2 == 0 ? x / 2 : 3 * x + 1) ++count;
  return {n, count};
}

int main() {
  std::pair<std::uint64_t, int> longest{1, 0};
  std::uint64_t expected = 1;
  bool in_order = true;

  auto job = tw::source(std::views::iota(std::uint64_t{1}, std::uint64_t{100'001})) |
             tw::farm(steps, {.name = "steps"}) | tw::sink([&](std::pair<std::uint64_t, int> found) {
               in_order = in_order && found.first == expected++;
               if (found.second > longest.second) longest = found;
             });
  const tw::report report = tw::run(job);

  std::cout << longest.first << " takes " << longest.second << " steps\n"
            << "replicas at work at once, on average: " << report.stage("steps").parallelism() << '\n';
  return in_order && longest.first == 77'031 && longest.second == 350 ? 0 : 1;
}
