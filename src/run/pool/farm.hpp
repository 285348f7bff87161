#pragma once

#include <thalweg/pipe/spinlock.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace thalweg::run_detail::pooled {

/// The replicas of one farm: how many may work at once, and which are at work. A replica is made when it is
/// first needed, so there are never more of them than workers that met here.
class farm_slots {
 public:
  farm_slots(int allowed, std::size_t most) : allowed_(allowed), state_(most) {}

  static constexpr int none = -1;

  /// A replica for the calling worker: the one it had before if it is free. `none` if as many work as may.
  int acquire(std::size_t worker, bool& fresh) {
    const std::lock_guard hold(lock_);
    const auto usable = std::min<std::size_t>(state_.size(), static_cast<std::size_t>(allowed_));
    std::size_t i = worker % usable;
    if (state_[i].busy) {
      for (i = 0; i < usable && state_[i].busy;) ++i;
      if (i == usable) return none;
    }
    state_[i].busy = true;
    fresh = !std::exchange(state_[i].made, true);
    return static_cast<int>(i);
  }

  /// The same for a certain replica.
  int acquire_this(int i, bool& fresh) {
    const std::lock_guard hold(lock_);
    auto& it = state_[static_cast<std::size_t>(i)];
    if (std::exchange(it.busy, true)) return none;
    fresh = !std::exchange(it.made, true);
    return i;
  }
  [[nodiscard]] bool available(int i) {
    const std::lock_guard hold(lock_);
    return !state_[static_cast<std::size_t>(i)].busy;
  }

  /// Whether `acquire` would find one.
  [[nodiscard]] bool available() {
    const std::lock_guard hold(lock_);
    const auto usable = std::min<std::size_t>(state_.size(), static_cast<std::size_t>(allowed_));
    return std::any_of(state_.begin(), state_.begin() + static_cast<std::ptrdiff_t>(usable),
                       [](const slot& s) { return !s.busy; });
  }

  void release(int i) {
    const std::lock_guard hold(lock_);
    state_[static_cast<std::size_t>(i)].busy = false;
  }

  /// Returns the former number.
  int allow(int n) {
    const std::lock_guard hold(lock_);
    return std::exchange(allowed_, n);
  }
  [[nodiscard]] int allowed() {
    const std::lock_guard hold(lock_);
    return allowed_;
  }

  /// The replicas that were made: those whose end hooks are due.
  [[nodiscard]] std::vector<int> made() {
    const std::lock_guard hold(lock_);
    std::vector<int> all;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (state_[i].made) all.push_back(static_cast<int>(i));
    }
    return all;
  }

 private:
  struct slot {
    bool busy = false;
    bool made = false;
  };
  pipe::spinlock lock_;
  int allowed_;
  std::vector<slot> state_;
};

}  // namespace thalweg::run_detail::pooled
