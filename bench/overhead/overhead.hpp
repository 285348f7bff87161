/// What the interface adds to the operators: the same stream once by the application's operators in a loop,
/// and once by the interface, in turn, on one thread.
#pragma once

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace overhead {

/// Runs both ways so many times each and prints nanoseconds per element, of the quickest run of either way
/// and of the median of the differences between neighbours. Each way returns how many elements there were.
template <class Plain, class Interface> void compare(int times, Plain&& plain, Interface&& interface) {
  const auto timed = [](auto& way) {
    const auto begin = thalweg::observe::process_cpu_ns();
    const std::uint64_t elements = way();
    return static_cast<double>(thalweg::observe::process_cpu_ns() - begin) / static_cast<double>(elements);
  };
  std::vector<double> by_plain, by_interface, added;
  for (int i = 0; i < times; ++i) {
    // Neither way is always the one that comes first.
    if (i % 2 == 0) by_plain.push_back(timed(plain));
    by_interface.push_back(timed(interface));
    if (i % 2 == 1) by_plain.push_back(timed(plain));
    added.push_back(by_interface.back() - by_plain.back());
  }
  std::sort(added.begin(), added.end());
  const auto least = [](const std::vector<double>& all) { return *std::min_element(all.begin(), all.end()); };
  const double median = added[added.size() / 2];
  std::printf(
      "operators %.1f ns, interface %.1f ns an element; %+.1f ns (%+.2f %%) by the quickest, %+.1f ns in the "
      "median\n",
      least(by_plain), least(by_interface), least(by_interface) - least(by_plain),
      100 * (least(by_interface) / least(by_plain) - 1), median);
}

/// The folder of an input, which must have been made.
inline const char* folder(int argc, char** argv) {
  if (argc == 3) return argv[1];
  std::fprintf(stderr, "usage: %s <folder of an input> <times>\n", argv[0]);
  std::exit(2);
}

}  // namespace overhead
