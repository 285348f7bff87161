// A custom planner: a function from what a run has done in a window of time to what shall change.
//
// This one gives a farm one replica more while items wait in front of it, and says why. The run calls it
// every 20 ms with what each stage has done since the last time.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  const auto more_while_items_wait = [](const tw::adaptation::window& seen) {
    tw::adaptation::changes wanted;
    for (const auto& s : seen.stages) {
      if (!s.farm() || s.queued < 1 || s.replicas >= 4) continue;
      wanted.replicas.push_back({s.name, s.replicas + 1});
      wanted.reason = std::to_string(s.queued) + " items wait";
    }
    return wanted;
  };
  const auto ask_a_server = [](int n) {
    std::this_thread::sleep_for(1ms);
    return n;
  };

  auto job = tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
             tw::farm(ask_a_server, {.replicas = 1, .name = "ask"}) | tw::sink([](int) {});
  auto run =
      tw::launch(job, tw::pool{}, {.adapt = tw::adapt{.every = 20ms, .planner = more_while_items_wait}});
  while (run.stats().stage("ask").replicas() < 4) std::this_thread::sleep_for(20ms);
  run.stop();
  const tw::report end = run.wait();

  for (const tw::decision& d : end.decisions()) std::cout << d.what << ", because " << d.reason << '\n';
  return end.decisions().size() == 3 && end.stage("ask").replicas() == 4 ? 0 : 1;
}
