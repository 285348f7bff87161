// A custom pattern: `pairwise`, in pairwise.hpp, gives a function of each two items in a row.
//
// It is used like those that come with the library: it joins with `|`, has options, shows up in reports
// under its name, is checked by the compiler against its neighbours, and runs fused with them.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <vector>

#include "pairwise.hpp"

namespace tw = thalweg;

int main() {
  const std::vector<int> odometer{0, 30, 75, 75, 160};
  const auto distance = [](int before, int now) { return now - before; };
  std::vector<int> trips;

  auto job = tw::source(odometer) | patterns::pairwise(distance, {.name = "distance"}) |
             tw::filter([](int trip) { return trip > 0; }) | tw::sink(trips);
  const tw::report report = tw::run(job);
  for (const int trip : trips) std::cout << trip << '\n';

  bool refused = false;
  try {
    tw::run(tw::source(odometer) | tw::farm(patterns::pairwise(distance)) | tw::sink(trips));
  } catch (const tw::invalid_job& problem) {
    std::cout << problem.what() << '\n';
    refused = true;
  }

  const auto& stage = report.stage("distance");
  return refused && trips == std::vector{30, 45, 85} && stage.items_in() == 5 && stage.items_out() == 4 ? 0
                                                                                                        : 1;
}
