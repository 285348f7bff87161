#pragma once

#include <thalweg/pipe/futex.hpp>

#include <atomic>

namespace THALWEG_NAMESPACE::pipe {

/// A lock for critical sections of some nanoseconds. It spins for about 2 µs and then sleeps, so that a
/// preempted holder does not make the other threads burn the very core it waits for. Not recursive, not fair.
///
/// Works with std::lock_guard, std::unique_lock and std::scoped_lock. Four bytes; one atomic operation to
/// lock, one to unlock.
///
///     pipe::spinlock lock;
///     { std::lock_guard hold(lock); idle.push_back(worker); }
class spinlock {
 public:
  spinlock() = default;
  spinlock(const spinlock&) = delete;
  spinlock& operator=(const spinlock&) = delete;

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      lock_slowly();
  }

  /// Returns true if the caller now holds the lock. Reads before it writes: losers do not take the line from
  /// the holder.
  bool try_lock() noexcept {
    auto seen = state_.load(std::memory_order_relaxed);
    return seen == unlocked && state_.compare_exchange_strong(seen, held, std::memory_order_acquire);
  }

  void unlock() noexcept {
    if (state_.exchange(unlocked, std::memory_order_release) == held_with_sleepers) [[unlikely]]
      futex_wake(state_, 1);
  }

 private:
  static constexpr std::uint32_t unlocked = 0;
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t held_with_sleepers = 2;

  void lock_slowly() noexcept;

  futex_word state_{unlocked};
};

}  // namespace THALWEG_NAMESPACE::pipe
