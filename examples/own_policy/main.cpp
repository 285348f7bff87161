// A custom policy: `stagewise`, in stagewise.hpp, runs one stage after the other over the whole stream.
//
// A policy decides who executes what and when, and nothing else. Everything typed is compiled into the job's
// components; the policy moves runs of items between them without knowing what they are. The results are
// those of every other policy.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "stagewise.hpp"

namespace tw = thalweg;

int main() {
  std::vector<int> expected;
  std::vector<int> seen;
  const auto job = [](std::vector<int>& to) {
    return tw::source(std::views::iota(0, 10'000)) |
           tw::farm([](int x) { return x % 100; }, {.name = "reduce"}) | tw::batch(7) | tw::unbatch() |
           tw::flat_map([](int x, tw::emitter<int>& out) {
             for (int i = 0; i < x % 3; ++i) out.send(x);
           }) |
           tw::sink(to);
  };
  tw::run(job(expected), tw::sequential{});
  const tw::report report = tw::run(job(seen), policies::stagewise());
  std::cout << report;

  std::string failed;
  try {
    tw::run(tw::source(std::vector{1, 0}) |
                tw::map([](int x) { return x == 0 ? throw std::domain_error("zero") : 6 / x; },
                        {.name = "divide"}) |
                tw::sink(seen),
            policies::stagewise());
  } catch (const tw::stage_error& problem) {
    failed = problem.stage();
  }

  auto endless = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++ % 10; }) |
                                tw::filter([](int x) { return x > 10; }) | tw::sink([](int) {}),
                            policies::stagewise());
  endless.stop();
  endless.wait();

  // `stagewise` executes lines only, and an engine need not say so: a graph is refused before it starts.
  std::string refused;
  try {
    tw::graph g;
    auto& split = g.add<tw::split<int>>();
    g.connect(g.add(tw::source(std::vector{1, 2})).out, split.in);
    g.connect(split.branch(), g.add(tw::sink([](int) {})).in);
    g.connect(split.branch(), g.add(tw::sink([](int) {})).in);
    tw::run(g, policies::stagewise());
  } catch (const tw::invalid_job& problem) {
    refused = problem.what();
  }
  std::cout << refused << '\n';

  return seen == expected && report.stage("reduce").items_in() == 10'000 && failed == "divide" &&
                 refused.find("stagewise") != std::string::npos
             ? 0
             : 1;
}
