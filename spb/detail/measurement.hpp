#pragma once

#include <thalweg/observe/hardware_counters.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spb/detail/sampler.hpp"
#include "spb/detail/spool.hpp"

namespace spb::detail {

/// Milliseconds, over elements.
struct latency_result {
  std::uint64_t count = 0;
  double mean = 0, min = 0, p50 = 0, p95 = 0, p99 = 0, p99_9 = 0, p99_99 = 0, max = 0;
};

/// What came of a stream.
struct results {
  std::uint64_t elements = 0;
  std::uint64_t passed_over = 0;  ///< late elements that the common source was not asked for
  double seconds = 0;
  double throughput = 0;  ///< elements a second
  latency_result latency;
  /// When the first of the elements with the shortest and with the longest latency arrived, in seconds since
  /// the beginning.
  double min_at = 0, max_at = 0;
  /// How many elements had at most so many milliseconds, and more than the bucket before: all latencies,
  /// within 1.6 %.
  std::vector<std::pair<double, std::uint64_t>> histogram;
  struct of_operator {
    std::string name;
    latency_result time;
  };
  std::vector<of_operator> operators;  ///< empty unless latencies were wanted
  struct of_source {
    std::uint64_t elements = 0;
    double throughput = 0;
    latency_result latency;
  };
  std::vector<of_source> sources;  ///< of those that are objects, from number 1; the 16th has all beyond it
  double cpu_seconds = 0;
  /// Of each thread that has called an operator, since its first.
  std::vector<double> cpu_seconds_of_threads;
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;
  std::uint64_t minor_faults = 0, major_faults = 0;
  std::optional<double> joules;  ///< of all processors of the machine; none where it does not tell
  /// Of this thread and those made since the beginning; none where the machine does not tell, and of several
  /// processes.
  thalweg::observe::hardware_counts hardware;
  std::uint64_t peak_bytes = 0;
  struct of_process {
    std::string host;
    double cpu_seconds = 0;
    std::uint64_t peak_bytes = 0;
  };
  /// By rank, where several make a run together. Then processor time, memory, switches and faults are sums.
  std::vector<of_process> processes;
  struct interval {
    double seconds = 0;  ///< since the beginning, at its end
    double throughput = 0;
    double latency_ms = 0, p50_ms = 0, p99_ms = 0, max_ms = 0;  ///< of what arrived in it
    double rate = 0;                                            ///< asked for at its end; 0: no limit
    double batch = 0;                                           ///< elements of an item that a source gave
    double cores = 0;
    std::uint64_t resident_bytes = 0;
  };
  spool<sample> samples;
  /// Calls `f(interval)` for what lies between samples, `step` of them taken together.
  void for_each_interval(std::size_t step, const std::function<void(const interval&)>& f) const;
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
    std::filesystem::path arrivals;  ///< a file for the latency of each item, or empty
    std::string progress;            ///< as what it is shown on the terminal; empty: not at all
  };

  /// \throws apps::error  if the file for latencies cannot be written
  static void begin(const settings& asked);
  [[nodiscard]] static bool running();
  /// \throws apps::error  if the file for latencies cannot be completed
  static void end();
  static const results& found();
  /// What this process has used, and how long its operators took, for `add`. Behind `end`.
  static std::string told();
  /// Adds up what all processes of a run have told, this one among them.
  static void add(const std::vector<std::string>& told_by_all);

  /// Between `begin` and `end`, by any thread; outside 0.
  static double throughput_of_last(double seconds);
  static double throughput();
  static double latency_ms_of_last(double seconds);
  static double latency_ms();
  /// How many processors were busy with this process.
  static double cores();
};

/// A number for one more source of the stream that is an object.
std::uint16_t next_source();

}  // namespace spb::detail
