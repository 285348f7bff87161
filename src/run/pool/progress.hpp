#pragma once

#include <thalweg/pipe/futex.hpp>
#include <thalweg/pipe/pause.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace thalweg::run_detail::pooled {

/// Where threads sleep that wait in the middle of a call for others to move on further down: to make room, to
/// give a replica back, to finish what comes first in the order.
class progress {
 public:
  /// Somebody has moved on. No fence: who is missed looks for itself a millisecond later.
  void made() noexcept {
    if (waiting_.load(std::memory_order_relaxed) == 0) return;
    count_.fetch_add(1, std::memory_order_release);
    pipe::futex_wake_all(count_);
  }

  /// One thread's wait: made before it looks for the first time whether it has to wait at all, so that
  /// nothing that happens after a look is missed.
  class wait {
   public:
    explicit wait(progress& of) noexcept : of_(of) {
      of_.waiting_.fetch_add(1);
      seen_ = of_.count_.load(std::memory_order_acquire);
    }
    wait(const wait&) = delete;
    wait& operator=(const wait&) = delete;
    ~wait() { of_.waiting_.fetch_sub(1); }

    /// Returns when somebody has moved on since the last time, or after a millisecond.
    void sleep() noexcept {
      constexpr int pauses = 200;
      constexpr std::chrono::milliseconds most{1};
      for (int i = 0; i < pauses && of_.count_.load(std::memory_order_relaxed) == seen_; ++i)
        pipe::cpu_pause();
      (void)pipe::futex_wait_until(of_.count_, seen_, std::chrono::steady_clock::now() + most);
      seen_ = of_.count_.load(std::memory_order_acquire);
    }

   private:
    progress& of_;
    std::uint32_t seen_;
  };

 private:
  pipe::futex_word count_{0};
  std::atomic<int> waiting_{0};
};

}  // namespace thalweg::run_detail::pooled
