#pragma once

// The protocol of the parker.
//
// State: one futex word, which is empty, a permit, or says that the owner sleeps.
// Writers: any thread writes a permit. The owner takes it, throws it away in `prepare`, and announces
//   that it sleeps, by compare-and-swap.
// Invariant: the owner sleeps in the kernel only while the word says so. A permit stays until the owner
//   takes it or throws it away. The thread that replaces `asleep` by a permit wakes the owner.
// Model: docs/protocols/idle_set.pml.

#include <thalweg/pipe/futex.hpp>

#include <atomic>
#include <chrono>

namespace THALWEG_NAMESPACE::pipe {

/// Where one thread sleeps and others wake it: a binary permit. `unpark()` gives the permit, `park()` waits
/// for it and takes it. A permit given before the park is not lost; permits given twice count once.
///
/// One thread parks (its owner); any thread unparks. What happened before an `unpark()` is visible after the
/// `park()` that takes its permit. The parker must live until the last `unpark()` has returned.
///
/// The permit is that of `LockSupport` in java.util.concurrent; three states in a futex (nothing, permit,
/// asleep) are how `std::thread::park` of Rust keeps it on Linux.
///
///     parker mine;                                     // worker                        // another thread
///     mine.prepare();
///     announce(&mine);                                 //                               make_work();
///     if (!work()) mine.park();                        // announced()->unpark();
class parker {
 public:
  parker() = default;
  parker(const parker&) = delete;
  parker& operator=(const parker&) = delete;

  /// Throws away a permit left over from an earlier announcement. Owner only, before it announces itself
  /// again.
  void prepare() noexcept { state_.exchange(empty, std::memory_order_acquire); }

  /// Sleeps until there is a permit and takes it.
  void park() noexcept {
    if (!announce_sleep()) return;
    do {
      futex_wait(state_, asleep);
    } while (!take_permit());
  }

  /// Sleeps until there is a permit or `deadline` has passed. Returns true if it took a permit.
  bool park_until(std::chrono::steady_clock::time_point deadline) noexcept {
    if (!announce_sleep()) return true;
    for (;;) {
      const bool in_time = futex_wait_until(state_, asleep, deadline);
      if (take_permit()) return true;
      // An unpark that comes between the end of the sleep and this exchange is not lost either.
      if (!in_time) return state_.exchange(empty, std::memory_order_acquire) == permit;
    }
  }

  /// The same for a length of time.
  bool park_for(std::chrono::nanoseconds limit) noexcept {
    return park_until(std::chrono::steady_clock::now() + limit);
  }

  /// Gives the permit and wakes the owner if it sleeps. Costs a system call only in that case.
  void unpark() noexcept {
    if (give_permit()) wake_owner();
  }

  /// `unpark()` in two halves, for callers that hold a lock: give the permit under the lock, and if that
  /// returns true (the owner sleeps) make the system call outside of it.
  [[nodiscard]] bool give_permit() noexcept {
    return state_.exchange(permit, std::memory_order_acq_rel) == asleep;
  }
  void wake_owner() noexcept { futex_wake(state_, 1); }

 private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t permit = 1;
  static constexpr std::uint32_t asleep = 2;

  /// Returns false if a permit was there (and is now taken).
  bool announce_sleep() noexcept {
    auto seen = empty;
    if (state_.compare_exchange_strong(seen, asleep, std::memory_order_acquire)) return true;
    state_.exchange(empty, std::memory_order_acquire);
    return false;
  }

  bool take_permit() noexcept {
    auto seen = permit;
    return state_.compare_exchange_strong(seen, empty, std::memory_order_acquire, std::memory_order_relaxed);
  }

  futex_word state_{empty};
};

}  // namespace THALWEG_NAMESPACE::pipe
