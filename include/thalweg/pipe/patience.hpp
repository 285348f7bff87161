#pragma once

#include <thalweg/pipe/pause.hpp>

#include <algorithm>
#include <chrono>

namespace THALWEG_NAMESPACE::pipe {

/// How long a thread stays awake before it sleeps, which spares it and others the sleep, the wake-up and the
/// fences: fifty times `spin_time` at first and while sleeps turn out shorter, and `spin_time` after a long
/// one. On a virtual machine the interruptions that waking somebody takes cost several tens of microseconds
/// of the time of all, and the system may put a thread that is woken on the core of the one that wakes it.
class patience {
 public:
  [[nodiscard]] std::chrono::nanoseconds time() const noexcept { return time_; }
  /// What of it exceeds `spin_time`.
  [[nodiscard]] std::chrono::nanoseconds more() const noexcept { return time_ - spin_time; }
  /// It has slept for so long.
  void slept(std::chrono::nanoseconds how_long) noexcept {
    time_ = how_long < longest_ ? std::min(2 * time_, longest_) : spin_time;
  }
  /// A thread that stays awake may keep others from the core: it never does for long.
  void share_the_core() noexcept { longest_ = time_ = spin_time; }

 private:
  std::chrono::nanoseconds longest_{50 * spin_time};
  std::chrono::nanoseconds time_ = longest_;
};

}  // namespace THALWEG_NAMESPACE::pipe
