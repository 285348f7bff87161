// launch: a run in the background, watched and stopped from here.
//
// `launch` returns at once. `stats()` is a report of the run as it is now; `stop()` ends the sources and
// lets what is on its way come through; `wait()` gives the final report, or throws what went wrong. After
// `stop()` nothing is lost: everything the source gave has reached the sink.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  std::uint64_t given = 0;
  std::uint64_t taken = 0;
  auto endless = [&]() -> std::optional<std::uint64_t> { return given++; };

  auto run = tw::launch(tw::source(endless) | tw::farm([](std::uint64_t x) { return x * x; }) |
                        tw::sink([&](std::uint64_t) { ++taken; }));
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(50ms);
    const tw::report now = run.stats();
    std::cout << now.items() << " items, " << now.throughput() << " per second\n";
  }
  run.stop();
  const tw::report end = run.wait();

  std::cout << "in the end " << end.items() << " items\n";
  return given > 0 && taken == given && end.items() == given ? 0 : 1;
}
