// set_replicas: how many replicas of a farm may work at once, changed while it runs.
//
// It takes effect between two runs of items, and never shows in what comes out. More replicas than the policy
// has workers change nothing. `threads` can do it in a graph, but not in a line such as this one, and
// `sequential` cannot at all: then a `tw::error` says so.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <cmath>
#include <iostream>
#include <optional>
#include <thread>

namespace tw = thalweg;

double heavy(int x) {
  double sum = 0;
  for (int i = 1; i <= 2'000; ++i) sum += std::sqrt(static_cast<double>(x + i));
  return sum;
}

int main() {
  std::atomic<int> taken{0};
  double last = 0;
  bool in_order = true;
  auto endless = [n = 0]() mutable -> std::optional<int> { return n++; };

  auto run = tw::launch(tw::source(endless) | tw::farm(heavy, {.replicas = 1, .name = "heavy"}) |
                        tw::sink([&](double y) {
                          in_order = in_order && y > last;
                          last = y;
                          ++taken;
                        }));
  for (const int replicas : {4, 1, 2}) {
    run.set_replicas("heavy", replicas);
    const tw::report before = run.stats();
    for (const int enough = taken + 2'000; taken < enough;) std::this_thread::yield();
    const tw::report window = run.stats().since(before);
    std::cout << replicas << " allowed, " << window.stage("heavy").parallelism() << " at work on average\n";
  }
  run.stop();
  const tw::report end = run.wait();

  for (const auto& change : end.resizes())
    std::cout << change.stage << ": from " << change.from << " to " << change.to << '\n';
  return in_order && end.resizes().size() == 3 && end.resizes().back().to == 2 ? 0 : 1;
}
