#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spb/detail/sampler.hpp"

namespace spb::detail {

/// Milliseconds, over elements.
struct latency_result {
  std::uint64_t count = 0;
  double mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
};

/// What came of a stream.
struct results {
  std::uint64_t elements = 0;
  double seconds = 0;
  double throughput = 0;  ///< elements a second
  latency_result latency;
  struct of_operator {
    std::string name;
    latency_result time;
  };
  std::vector<of_operator> operators;  ///< empty unless latencies were wanted
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
  struct interval {
    double seconds = 0;  ///< since the beginning, at its end
    double throughput = 0;
    double latency_ms = 0;
    double cores = 0;
    std::uint64_t resident_bytes = 0;
  };
  std::vector<interval> samples;
};

/// The measurement of a stream: at most one at a time, begun and ended by one thread. What it has found is
/// still known behind its end.
class measurement {
 public:
  struct settings {
    bool latency = false;
    int monitor_ms = 0;
    bool counts_at_source = false;
    std::vector<std::string> operators;
  };

  static void begin(const settings& asked);
  [[nodiscard]] static bool running();
  static void end();
  static const results& found();

  /// Between `begin` and `end`, by any thread; outside 0.
  static double throughput_of_last(double seconds);
  static double throughput();
  static double latency_ms_of_last(double seconds);
  static double latency_ms();
};

}  // namespace spb::detail
