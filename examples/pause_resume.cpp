// pause and resume: the source stands still for a while.
//
// `pause()` returns at once. The source is not called any more, and what is on its way comes through;
// `resume()` goes on where the stream stopped. Nothing is lost, and the report says how long the pause was.
// The schedule of a paced source stands still, too, so that no item is late because of it.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  std::uint64_t given = 0;
  std::atomic<std::uint64_t> taken{0};
  auto endless = [&]() -> std::optional<std::uint64_t> { return given++; };

  auto run = tw::launch(tw::source(endless) | tw::farm([](std::uint64_t x) { return x * x; }) |
                        tw::sink([&](std::uint64_t) { ++taken; }));
  while (taken == 0) std::this_thread::sleep_for(1ms);

  run.pause();
  std::uint64_t at_rest = 0;
  while (at_rest != taken) {  // two looks that see the same: all has come through
    at_rest = taken;
    std::this_thread::sleep_for(20ms);
  }
  std::cout << "paused after " << at_rest << " items\n";

  run.resume();
  while (taken == at_rest) std::this_thread::sleep_for(1ms);
  run.stop();
  const tw::report end = run.wait();

  std::cout << "ended after " << end.items() << " items, "
            << std::chrono::duration<double, std::milli>(end.paused()).count() << " ms of it paused\n";
  return end.paused() >= 20ms && end.items() > at_rest && taken == given && end.items() == given ? 0 : 1;
}
