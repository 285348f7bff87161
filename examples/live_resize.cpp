// A controller: the replicas of a farm follow the load while the run goes on.
//
//                                    .--> from_cache -------.
//     requests --> split (cached?) --                       merge --> answers, in order
//                                    '--> ask (a farm) -----'
//
// `launch` gives the run in hand. Every 20 ms the controller compares two reports: how many replicas were at
// work meanwhile? Where nearly all were it allows one more, where most were idle one less. Nothing of this is
// seen in the answers. The report tells what was changed, and when.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <optional>
#include <thread>
#include <vector>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  std::atomic<bool> rush_hour{true};
  int expected = 0;
  bool in_order = true;

  const auto request = [&, n = 0]() mutable -> std::optional<int> {
    if (!rush_hour) std::this_thread::sleep_for(10ms);
    return n++;
  };
  const auto cached = [](const int& n) { return n % 5 == 0; };
  const auto ask_a_server = [](int n) {
    std::this_thread::sleep_for(1ms);
    return n;
  };

  tw::graph g;
  auto& split = g.add<tw::split<int>>(tw::where<int>(cached));
  auto& merge = g.add<tw::merge<int>>(tw::ordered);
  auto from_cache = g.add(tw::map([](int n) { return n; }, {.name = "from_cache"}));
  auto ask = g.add(tw::farm(ask_a_server, {.replicas = 1, .name = "ask"}));
  auto answers = g.add(tw::sink([&](int n) { in_order = in_order && n == expected++; }));
  g.connect(g.add(tw::source(request)).out, split.in);
  g.connect(split.branch(0), from_cache.in);
  g.connect(split.branch(1), ask.in);
  g.connect(from_cache.out, merge.input());
  g.connect(ask.out, merge.input());
  g.connect(merge.out, answers.in);

  auto run = tw::launch(g, tw::pool{.workers = 8});
  int allowed = 1;
  const auto part_at_work = [&] {
    const tw::report before = run.stats();
    std::this_thread::sleep_for(20ms);
    return run.stats().since(before).stage("ask").parallelism() / allowed;
  };
  while (allowed < 4) {
    if (part_at_work() > 0.8) run.set_replicas("ask", ++allowed);
  }
  rush_hour = false;
  while (allowed > 1) {
    if (part_at_work() < 0.4) run.set_replicas("ask", --allowed);
  }
  run.stop();
  const tw::report end = run.wait();

  std::vector<int> steps;
  for (const auto& change : end.resizes()) {
    steps.push_back(change.to);
    std::cout << std::chrono::duration_cast<std::chrono::milliseconds>(change.at).count() << " ms: from "
              << change.from << " to " << change.to << " replicas\n";
  }
  return in_order && steps == std::vector{2, 3, 4, 3, 2, 1} ? 0 : 1;
}
