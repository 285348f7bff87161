#pragma once

#include <thalweg/adapt/window.hpp>

#include <chrono>

namespace THALWEG_NAMESPACE::adaptation {

/// Windows that follow each other, taken together as one.
class joined_windows {
 public:
  /// Adds one. One of other stages than before begins anew.
  void add(const window& w);
  /// Those added since the last `drop`; the last one says how things are now.
  [[nodiscard]] const window& whole() const noexcept { return whole_; }
  /// Begins anew with the next window.
  void drop() noexcept { empty_ = true; }

 private:
  bool empty_ = true;
  window whole_;
};

/// Takes windows together until they are as long as a planner measures before it decides: planners from the
/// literature have a period that belongs to what they do, however often the run asks.
class period {
 public:
  explicit period(double seconds) : length_(seconds) {}

  /// Adds a window. True if the period ends with it: that is where it ends nearest to its length.
  [[nodiscard]] bool ends_with(const window& w);
  /// All windows of the period, when it has ended.
  [[nodiscard]] const window& whole() const noexcept { return windows_.whole(); }

 private:
  std::chrono::duration<double> length_;
  joined_windows windows_;
  bool ended_ = false;
};

}  // namespace THALWEG_NAMESPACE::adaptation
