#pragma once

#include <chrono>
#include <map>

#include "apps/nexmark/watermark.hpp"

namespace apps::nexmark {

/// The windows of a stream that follow each other, each with a state. Calls `give(begin, state)` for those
/// that are over, in their order.
template <class State> class tumbling {
 public:
  using milliseconds = std::chrono::milliseconds;

  tumbling(milliseconds size, milliseconds disorder) : size_(size), time_(disorder) {}

  /// Something happens at a time: the state of its window, or null if that is over.
  template <class Give> State* at(milliseconds time, Give give) {
    time_.come_to(time);
    give_until(time_.reached(), give);
    const auto begin = on_grid(time, size_);
    return begin + size_ <= time_.reached() ? nullptr : &open_[begin];
  }
  template <class Give> void end(Give give) { give_until(milliseconds::max(), give); }

 private:
  template <class Give> void give_until(milliseconds reached, Give give) {
    while (!open_.empty() && open_.begin()->first <= reached - size_) {
      const auto& [begin, state] = *open_.begin();
      give(begin, state);
      open_.erase(open_.begin());
    }
  }

  milliseconds size_;
  watermark time_;
  std::map<milliseconds, State> open_;
};

}  // namespace apps::nexmark
