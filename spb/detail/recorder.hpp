/// What is counted and timed while a stream runs. Every thread has counters of its own, which others may read
/// at any time; clocks are read only while someone wants times.
#pragma once

#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/histogram.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace spb::detail {

inline constexpr std::size_t most_operators = 12;

/// Whether latencies are wanted: then items have timestamps and operators are timed.
inline std::atomic<bool> latency_wanted{false};
inline bool timing() noexcept {
  return latency_wanted.load(std::memory_order_relaxed);
}

/// What one thread has done. Written by it alone.
class alignas(64) recorder {
 public:
  void took(std::uint64_t elements) { bump(taken_, elements); }
  void gave(std::uint64_t elements) { bump(given_, elements); }
  void arrived(std::int64_t latency_ns, std::uint64_t elements);
  void worked(std::size_t operation, std::int64_t time_ns, std::uint64_t elements);

 private:
  friend class totals;
  using histogram = thalweg::observe::histogram;

  static void bump(std::atomic<std::uint64_t>& count, std::uint64_t by) {
    count.store(count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  static histogram& made(std::atomic<histogram*>& one, std::unique_ptr<histogram>& owner);

  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> given_{0};
  std::atomic<histogram*> latency_{nullptr};
  std::array<std::atomic<histogram*>, most_operators> operators_{};
  std::unique_ptr<histogram> owned_latency_;
  std::array<std::unique_ptr<histogram>, most_operators> owned_;
};

inline std::atomic<std::uint64_t> stream_now{1};
inline thread_local recorder* of_this_thread = nullptr;
inline thread_local std::uint64_t of_stream = 0;
recorder& make_mine();

/// The calling thread's.
inline recorder& mine() {
  if (of_stream == stream_now.load(std::memory_order_relaxed)) [[likely]]
    return *of_this_thread;
  return make_mine();
}

/// Sums over all threads.
class totals {
 public:
  static std::uint64_t taken();
  static std::uint64_t given();
  static std::unique_ptr<thalweg::observe::histogram> latency();
  static std::unique_ptr<thalweg::observe::histogram> of_operator(std::size_t operation);
  /// Count and sum (ns) of the latencies so far, which is less work than all of them.
  struct sum {
    std::uint64_t count = 0;
    double nanoseconds = 0;
  };
  static sum latency_sum();
  /// Forgets everything: a new stream begins. No operator may run.
  static void clear();

 private:
  template <class F> static void for_each(F f);
};

}  // namespace spb::detail
