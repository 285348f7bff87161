// A paced source: items come by the clock, as they do from the world outside.
//
// Each item has a due time, and latency is counted from it. So a stream that falls behind shows it: time
// that an item spent waiting to be fetched counts too. Measure latency this way, and throughput with a
// source that gives all it can.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  const auto microseconds = [](std::chrono::nanoseconds t) { return static_cast<double>(t.count()) / 1000; };
  auto numbers = [n = 0]() mutable { return n < 500 ? std::optional(n++) : std::nullopt; };
  // One item takes 50 ms: the next fifty come late, and the report says so.
  auto hiccup = [](int x) {
    if (x == 250) std::this_thread::sleep_for(50ms);
    return x;
  };

  const tw::report report = tw::run(tw::paced(numbers, 1'000.0) | tw::map(hiccup) | tw::sink([](int) {}));

  const auto& latency = report.latency();
  std::cout << report.throughput() << " items per second; latency p50 " << microseconds(latency.p50())
            << " µs, p99 " << microseconds(latency.p99()) << " µs, max " << microseconds(latency.max())
            << " µs\n";
  return report.items() == 500 && latency.from_due() && latency.max() >= 50ms && latency.p99() > 10ms ? 0 : 1;
}
