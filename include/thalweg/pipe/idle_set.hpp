#pragma once

// The protocol of going to sleep and waking up.
//
// State: a stack of the workers that are idle, `count_`, which says how many there are, and a parker for
//   each worker.
// Writers: a worker puts itself into the set. It leaves by itself, or the thread that wakes it takes it
//   out and gives it a permit. All this happens under `lock_`. Producers read `count_` without the lock.
// Invariant: a worker registers, executes a fence and looks for work. A producer publishes work, executes
//   a fence and looks at `count_`. So one of the two sees the other. A worker that another thread has
//   taken out of the set has a permit, until it parks or registers again.
// Model: docs/protocols/idle_set.pml.

#include <thalweg/pipe/cache_line.hpp>
#include <thalweg/pipe/membarrier.hpp>
#include <thalweg/pipe/parker.hpp>
#include <thalweg/pipe/spinlock.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace THALWEG_NAMESPACE::pipe {

/// The workers that have found nothing to do, each asleep on a parker of its own. Producers wake the one that
/// fell asleep last: its caches are warm, and those at the bottom of the stack sleep through a light load.
///
/// Workers are numbered from 0. A worker goes to sleep in three steps, a producer wakes in two:
///
///     idle.register_idle(w);                           //                     publish(work);
///     if (anything_to_do()) {                          //                     idle.wake_one();
///       idle.cancel_idle(w);
///     } else {
///       idle.park(w);
///     }
///
/// No wake-up is lost: either the worker's check sees the work, or the producer sees the worker. While no
/// worker is idle `wake_one()` costs a fence and one load of a line that no thread writes. (An asymmetric
/// fence would spare the producer some 20 ns per run of items, but makes every processor of the process stop
/// whenever a worker goes to sleep: more than 10 µs for each on a virtual machine.) `anything_to_do()` must
/// be true for every reason to be awake, the end of the run included, or the worker sleeps through it.
///
/// A wake-up that has chosen a worker is spent on it: a worker that finds itself chosen (`cancel_idle` or
/// `park` say so) has to look for work, and to pass the wake-up on with `wake_one()` if it goes away for
/// another reason.
///
/// The three steps are those of an event count (such as Vyukov's in Eigen): announce, look again, then commit
/// or cancel. oneTBB and Go's scheduler, too, wake the one that fell asleep last.
class idle_set {
 public:
  /// For workers 0 to `workers` - 1, at most 65 535. Throws std::length_error above that.
  explicit idle_set(std::size_t workers);
  idle_set(const idle_set&) = delete;
  idle_set& operator=(const idle_set&) = delete;

  /// Worker `w` announces that it is about to sleep. Called by the worker itself, which must check for work
  /// afterwards: what a producer published before a `wake` that did not see this worker is visible to that
  /// check.
  void register_idle(std::size_t w) noexcept;

  /// Worker `w` has found work after all. Returns true if it took itself out, false if a wake-up had already
  /// chosen it.
  bool cancel_idle(std::size_t w) noexcept;

  /// Sleeps until a wake-up chooses worker `w`. Called by the worker itself, registered.
  void park(std::size_t w) noexcept;

  /// The same with an end. Returns true if a wake-up chose the worker; false if `deadline` passed first, and
  /// then the worker is not registered any more.
  bool park_until(std::size_t w, std::chrono::steady_clock::time_point deadline) noexcept;

  /// Wakes the worker that registered last. Returns false if no worker is idle. Any thread may call it.
  bool wake_one() noexcept { return someone_idle() && wake_last(); }

  /// Wakes worker `w`. Returns false if it is not idle.
  bool wake(std::size_t w) noexcept { return someone_idle() && wake_this(w); }

  /// Wakes all that are idle, and returns how many.
  std::size_t wake_all() noexcept;

  /// The number of workers given at construction, idle or not.
  std::size_t size() const noexcept { return size_; }

  /// How many workers are idle: exact at some moment of the call.
  std::size_t idle_count() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint16_t none = 0xffff;

  struct worker {
    parker sleep;
    // A doubly linked stack in numbers, so that any worker leaves in constant time. Guarded by lock_.
    std::uint16_t below = none;
    std::uint16_t above = none;
    bool idle = false;
  };

  bool someone_idle() const noexcept {
    full_fence();
    return count_.load(std::memory_order_relaxed) != 0;
  }
  bool wake_last() noexcept;
  bool wake_this(std::size_t w) noexcept;
  void remove(std::size_t w) noexcept;

  const std::size_t size_;
  std::unique_ptr<padded<worker>[]> workers_;
  alignas(cache_line) spinlock lock_;
  std::uint16_t top_ = none;
  alignas(cache_line) std::atomic<std::uint32_t> count_{0};
};

}  // namespace THALWEG_NAMESPACE::pipe
