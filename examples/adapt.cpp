// A farm that adapts itself: it begins with one replica and ends with as many as the load needs.
//
// Requests come at 2 000 a second, and each takes a millisecond of waiting for a server: two replicas are too
// few. The run looks every 20 ms at what its stages have done, works out how many replicas keep up, and
// changes that. Nothing of this is seen in the answers. The report has each decision, and why it was made.
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
    std::this_thread::sleep_for(1ms);
    return n;
  };
  int expected = 0;
  bool in_order = true;

  auto job = tw::paced(request, 2'000.0) | tw::farm(ask_a_server, {.replicas = 1, .name = "ask"}) |
             tw::sink([&](int n) { in_order = in_order && n == expected++; });
  auto run = tw::launch(job, tw::pool{}, {.adapt = tw::adapt{.goal = tw::keep_up(), .every = 20ms}});
  while (run.stats().stage("ask").replicas() < 3) std::this_thread::sleep_for(20ms);
  run.stop();
  const tw::report end = run.wait();

  for (const tw::decision& d : end.decisions()) {
    std::cout << std::chrono::duration_cast<std::chrono::milliseconds>(d.at).count() << " ms: " << d.what
              << ", because " << d.reason << '\n';
  }
  return in_order && !end.decisions().empty() ? 0 : 1;
}
