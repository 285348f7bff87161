/// What is counted and timed while a stream runs. Every thread has counters of its own, which others may read
/// at any time; clocks are read only while someone wants times.
#pragma once

#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/histogram.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <pthread.h>

namespace spb::detail {

inline constexpr std::size_t most_operators = 12;
/// Sources that are objects have a number, from 1; what has none has 0. Those from here on are one.
inline constexpr std::uint16_t most_sources = 16;

/// Whether latencies are wanted: then items have timestamps and operators are timed.
inline std::atomic<bool> latency_wanted{false};
inline bool timing() noexcept {
  return latency_wanted.load(std::memory_order_relaxed);
}

/// An item that has come to the end of its stream.
struct arrival {
  std::int64_t time_ns = 0;
  std::int64_t latency_ns = 0;
  std::uint64_t elements = 0;
  std::uint16_t source = 0;
};

/// Where each arrival is noted, if someone wants that.
class arrival_log;
inline std::atomic<arrival_log*> log_of_arrivals{nullptr};

/// How many items source objects have given: these have their places in the stream by it.
inline std::atomic<std::uint64_t> items_of_objects{0};

/// The number of the source that an item comes from.
template <class Item> std::uint16_t source_of(const Item& item) {
  return static_cast<std::uint16_t>(item.sourceId + 1);
}

/// What one thread has done. Written by it alone.
class alignas(64) recorder {
 public:
  /// Of the calling thread.
  recorder();

  void took(std::uint64_t elements) {
    bump(taken_, elements);
    bump(items_, 1);
  }
  /// `source`: the number of the one that they come from.
  void gave(std::uint64_t elements, std::uint16_t source) {
    bump(given_, elements);
    if (source != 0) bump(given_of_[std::min(source, most_sources)], elements);
  }
  void arrived(const arrival& one);
  void worked(std::size_t operation, std::int64_t time_ns, std::uint64_t elements);
  /// What it takes is a source's, from now on.
  void is_of_source(std::uint16_t source) { source_.store(source, std::memory_order_relaxed); }

 private:
  friend class totals;
  friend class life;
  using histogram = thalweg::observe::histogram;
  using cell = std::atomic<histogram*>;

  static void bump(std::atomic<std::uint64_t>& count, std::uint64_t by) {
    count.store(count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  histogram& made(cell& one);

  std::atomic<std::uint64_t> taken_{0}, items_{0};
  std::atomic<std::uint64_t> given_{0};
  std::array<std::atomic<std::uint64_t>, most_sources + 1> given_of_{};
  std::atomic<std::uint16_t> source_{0};
  cell latency_{nullptr};
  std::array<cell, most_operators> operators_{};
  std::array<cell, most_sources + 1> sources_{};
  std::atomic<std::int64_t> shortest_at_{0}, longest_at_{0};
  std::vector<std::unique_ptr<histogram>> owned_;
  std::vector<arrival> arrivals_;  // not yet in the log

  // Its thread, for as long as it lives; its processor time when it first came here, or all of it behind its
  // end. Under the lock of all recorders.
  pthread_t thread_{};
  bool ended_ = false;
  std::int64_t cpu_ns_ = 0;
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
  /// Items that sources gave.
  static std::uint64_t items();
  static std::unique_ptr<thalweg::observe::histogram> latency();
  static std::unique_ptr<thalweg::observe::histogram> of_operator(std::size_t operation);
  static std::unique_ptr<thalweg::observe::histogram> of_source(std::uint16_t source);
  static std::uint64_t taken_by(std::uint16_t source);
  static std::uint64_t given_of(std::uint16_t source);
  /// Count and sum (ns) of the latencies so far, which is less work than all of them.
  struct sum {
    std::uint64_t count = 0;
    double nanoseconds = 0;
  };
  static sum latency_sum();
  static sum latency_sum_of(std::uint16_t source);
  /// When the items with the shortest and the longest latency arrived, of those that were the first with it.
  struct moments {
    std::int64_t shortest_ns = 0, longest_ns = 0;
  };
  static moments extremes();
  /// Processor time of each thread that has worked on the stream, since its first operator, in the order in
  /// which they came.
  static std::vector<std::int64_t> cpu_of_threads();
  /// Writes arrivals that threads still hold to the log. No operator may run.
  static void flush_arrivals(arrival_log& to);
  /// Forgets everything: a new stream begins. No operator may run.
  static void clear();

 private:
  template <class F> static void for_each(F f);
  template <class Which> static std::unique_ptr<thalweg::observe::histogram> merged(Which which);
  template <class Which> static sum summed(Which which);
};

}  // namespace spb::detail
