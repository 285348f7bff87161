/// What the interface has for every application. A benchmark program includes the header of its application
/// (`<bzip2.hpp>`), which includes this one.
#pragma once

#include <cstdint>
// Programs for SPBench use these without including them.
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "spb/metric.hpp"
#include "spb/shared_queue.hpp"

namespace spb {

/// How many threads or replicas the program shall use: `-nthreads`, 1 without it.
extern int nthreads;

/// Options of the run, and of the common source while the stream runs: any thread may call these. What is
/// wrong with a value ends the process with a message and exit code 1.
class SPBench {
 public:
  /// The i-th `-user-arg`, from 0.
  static std::string getArg(int i);
  /// How many there are.
  static int getArgs();
  /// Elements a second that the source gives at most.
  static void setFrequency(double elements_per_second);
  /// Those of now; 0: as they can be had.
  static double getFrequency();
  /// `pattern`: wave, binary, increasing, decreasing or spike; period in seconds, frequencies in elements a
  /// second, spike in percent of the period.
  static void setFrequencyPattern(const std::string& pattern, double period, double least, double greatest,
                                  double spike = 10);
  /// At most so many elements in an item; 0: as many as come within the interval.
  static void setBatchSize(int elements);
  /// An item is closed with the element with which it has so many bytes; 0: no limit.
  static void setBatchBytes(long bytes);
  /// An item is closed so many seconds after its first element came; 0: when it is full.
  static void setBatchInterval(double seconds);
  /// As they were set.
  static int getBatchSize();
  static double getBatchInterval();
  /// The program, as it was called.
  static std::string getExecPath();
};

/// What is measured. `init` and `stop` stand right before and behind the stream; the others may be called by
/// any thread while it runs. Elements are counted, not items: at the sink, or, where it gets only some of
/// them, at the source.
class Metrics {
 public:
  static void init();
  /// Ends the measurement. If the stream has failed, says why, leaves no output and ends the process with
  /// exit code 1.
  static void stop();

  /// Elements a second over the last so many seconds. The first call gives the average since `init`, as
  /// nobody asked before; from then on samples are taken every 10 ms.
  static double getInstantThroughput(double seconds);
  /// Elements a second since `init`.
  static double getAverageThroughput();
  /// The mean milliseconds from source to sink over the last so many seconds; 0 if nothing came. Clocks are
  /// read for it from the first call on, or from the beginning with `-latency`.
  static double getInstantLatency(double seconds);
  static double getAverageLatency();
  /// Latencies are measured from now on, as with `-latency`, which also shows them.
  static void enable_latency();
  static bool latency_is_enabled();

  /// Percent of a processor that this process has used since `init`: 200, if two were busy all the time.
  static double getCPUUsage();
  /// Megabytes that it has in memory now.
  static double getMemoryUsage();

  /// Elements that the program has counted itself: unless 0, they are the throughput's.
  static std::atomic<std::uint64_t> my_items_counter;
};

/// Ends the run: completes the output, verifies it if asked to, and shows what was measured. Exit code 1 if
/// something is wrong.
void end_bench();

}  // namespace spb
