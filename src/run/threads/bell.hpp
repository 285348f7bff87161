#pragma once

#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/cache_line.hpp>
#include <thalweg/pipe/membarrier.hpp>
#include <thalweg/pipe/parker.hpp>
#include <thalweg/pipe/patience.hpp>
#include <thalweg/pipe/pause.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace thalweg::run_detail::dedicated {

/// Where one thread waits for anything at all, and others wake it. Whoever makes true what the owner may wait
/// for rings afterwards; while the owner is awake that costs one load.
class alignas(pipe::cache_line) bell {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// What a wait came to.
  struct slept {
    std::int64_t ns = 0;  ///< time asleep
    int times = 0;
  };

  /// Before the owner waits: it never spins for long, for who spins may keep others from the core.
  void share_the_core() noexcept { awake_.share_the_core(); }

  /// Returns true if the owner slept.
  bool ring() noexcept {
    pipe::light_fence();  // pairs with the heavy fence of `wait`
    if (!asleep_.load(std::memory_order_relaxed)) return false;
    if (!parker_.give_permit()) return false;
    parker_.wake_owner();
    return true;
  }

  /// Owner only: waits until `ready()` or `deadline`. `announce()` tells the others what the owner waits for
  /// and returns whether it had to (they may have taken that as done); `look()` is a thorough `ready()`,
  /// after which whoever makes it true has seen the announcement and rings. At first the owner stays awake,
  /// which spares both sides the sleep, the wake-up and the heavy fence: 2 µs, and up to 100 µs where sleeps
  /// have turned out short.
  template <class Announce, class Look, class Ready>
  slept wait(Announce&& announce, Look&& look, Ready&& ready, std::int64_t deadline = never) {
    slept s;
    (void)announce();
    if (pipe::spin_until(ready)) return s;
    if (awake_.more().count() > 0 && (look() || pipe::spin_until(ready, awake_.more()))) return s;
    asleep_.store(true, std::memory_order_relaxed);
    for (bool first = true;; first = false) {
      const bool told = announce();
      if (told || first) {
        pipe::heavy_fence();
        if (look()) break;
      }
      const auto begin = observe::now_ns();
      if (ready() || begin >= deadline) break;
      if (deadline == never) {
        parker_.park();
      } else {
        parker_.park_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)));
      }
      s.ns += observe::now_ns() - begin;
      ++s.times;
      if (ready()) break;
    }
    asleep_.store(false, std::memory_order_relaxed);
    if (s.times > 0) awake_.slept(std::chrono::nanoseconds(s.ns));
    return s;
  }

 private:
  pipe::patience awake_;  // the owner's
  std::atomic<bool> asleep_{false};
  pipe::parker parker_;
};

}  // namespace thalweg::run_detail::dedicated
