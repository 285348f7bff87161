#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace spb::detail {

/// What had been done and used by a moment.
struct sample {
  std::int64_t time_ns = 0;
  std::uint64_t elements = 0;
  std::uint64_t timed = 0;  ///< elements whose latency is known, and the sum of these
  double latency_ns = 0;
  std::int64_t cpu_ns = 0;
  std::uint64_t resident_bytes = 0;
};

/// The elements of this stream up to now; see `Metrics`.
std::uint64_t elements_so_far();

/// A sample of now. `resources`: also processor time and memory, which are system calls.
sample take_sample(bool resources);

/// A thread that takes samples while it lives. With `most`, of older samples every other one goes when there
/// are so many: what lies long ago is known less exactly.
class sampler {
 public:
  sampler(std::int64_t period_ns, bool resources, std::size_t most = 0);
  sampler(const sampler&) = delete;
  sampler& operator=(const sampler&) = delete;
  ~sampler() { stop(); }

  /// Takes a last sample and ends. Once.
  void stop();
  [[nodiscard]] std::vector<sample> all() const;
  /// The last sample not younger than a moment, or else the first one.
  [[nodiscard]] sample at_or_before(std::int64_t time_ns) const;

 private:
  void run();
  void add();

  const std::int64_t period_ns_;
  const bool resources_;
  const std::size_t most_;
  mutable std::mutex lock_;
  std::condition_variable ended_;
  bool end_ = false;
  std::vector<sample> samples_;
  std::thread thread_;
};

}  // namespace spb::detail
