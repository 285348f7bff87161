#pragma once

#include <thalweg/observe/histogram.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "spb/detail/spool.hpp"

namespace spb::detail {

/// What had been done and used by a moment.
struct sample {
  std::int64_t time_ns = 0;
  std::uint64_t elements = 0;
  std::uint64_t timed = 0;  ///< elements whose latency is known, and the sum of these
  double latency_ns = 0;
  std::uint64_t taken = 0, items = 0;  ///< elements that sources gave, and the items that these came in
  double rate = 0;                     ///< elements a second that were asked for; 0: as they can be had
  std::int64_t cpu_ns = 0;
  std::uint64_t resident_bytes = 0;
  /// Latencies since the sample before, if there is one that knows: the median, the 99th percentile and the
  /// longest.
  std::int64_t p50_ns = 0, p99_ns = 0, max_ns = 0;
};

/// The elements of this stream up to now; see `Metrics`.
std::uint64_t elements_so_far();
/// Of those the ones from a source that is an object.
std::uint64_t elements_so_far_from(std::uint16_t source);

/// A sample of now. `resources`: also processor time and memory, which are system calls.
sample take_sample(bool resources);

/// Elements a second, and the mean latency, between two samples.
double rate_between(const sample& from, const sample& to);
double mean_latency_ms(const sample& from, const sample& to);

/// A thread that takes samples while it lives.
class sampler {
 public:
  virtual ~sampler() = default;
  sampler(const sampler&) = delete;
  sampler& operator=(const sampler&) = delete;

  /// Takes a last sample and ends. Once, and before it is destroyed.
  void stop();

 protected:
  explicit sampler(std::int64_t period_ns) : period_ns_(period_ns) {}
  /// Takes the first sample, and then others.
  void start();
  virtual void add() = 0;

 private:
  void run();

  const std::int64_t period_ns_;
  std::mutex lock_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

/// For `-monitor`: all samples, with what the process used. However many there are, few are held in memory.
class monitor : public sampler {
 public:
  explicit monitor(std::int64_t period_ns);
  ~monitor() override { stop(); }

  /// Behind `stop`.
  spool<sample> take() { return std::move(all_); }

 private:
  void add() override;

  spool<sample> all_;
  std::unique_ptr<thalweg::observe::histogram> before_;  // the latencies up to the last sample
};

/// For what programs ask while the stream runs. Of older samples every other one goes when there are many:
/// what lies long ago is known less exactly.
class memory_of_samples : public sampler {
 public:
  memory_of_samples(std::int64_t period_ns, std::size_t most, std::function<sample()> take);
  ~memory_of_samples() override { stop(); }

  /// The last sample not younger than a moment, or else the first one. Any thread.
  [[nodiscard]] sample at_or_before(std::int64_t time_ns) const;

 private:
  void add() override;

  const std::size_t most_;
  const std::function<sample()> take_;
  mutable std::mutex samples_lock_;
  std::vector<sample> samples_;
};

}  // namespace spb::detail
