// A goal in milliseconds: 95 of 100 answers come within 20 ms, with as few replicas as that takes.
//
// One replica would do for the rate, but one request in 40 is slow, and those behind it wait. The run adds
// replicas until the goal is kept. Only between 1 and 8 replicas are allowed.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  const auto request = [n = 0]() mutable { return std::optional(n++); };
  const auto ask_a_server = [](int n) {
    std::this_thread::sleep_for(n % 40 == 0 ? 60ms : 2ms);
    return n;
  };

  auto job = tw::paced(request, 200.0) |
             tw::farm(ask_a_server, {.replicas = 1, .unordered = true, .name = "ask"}) | tw::sink([](int) {});
  auto run = tw::launch(job, tw::pool{},
                        {.adapt = tw::adapt{.goal = tw::latency(0.95, 20ms),
                                            .every = 100ms,
                                            .bounds = {.least_replicas = 1, .most_replicas = 8}}});
  while (run.stats().decisions().empty()) std::this_thread::sleep_for(20ms);
  run.stop();
  const tw::report end = run.wait();

  for (const tw::decision& d : end.decisions()) std::cout << d.what << ", because " << d.reason << '\n';
  return end.stage("ask").replicas() >= 2 && end.stage("ask").replicas() <= 8 ? 0 : 1;
}
