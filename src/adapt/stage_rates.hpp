/// What a planner knows of a stage from the windows it has seen.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <string_view>
#include <vector>

#include "scaling_law.hpp"

namespace THALWEG_NAMESPACE::adaptation {

/// The true rate of a stage: what it does when it never waits for others, which its throughput does not show.
struct stage_rates {
  scaling_law law;
  /// Its time per item, by its own clock, is that much too short: known once it was never idle in a window.
  double clock = 1;
  double cpu = 0;     ///< seconds of a processor for an item
  double each = 0;    ///< seconds inside the operator for an item, when there were processors for all
  double yield = 1;   ///< items out for an item in
  double share = 1;   ///< of what the stages before it give, the part that it gets
  bool full = false;  ///< in the latest window it was never idle: items waited in front of it all the time
  bool was_full = false;  ///< nor in the one before
  bool stuck = false;     ///< in the latest window it could not give what it had: there was no room behind it
  /// Items waited, and yet its clock says that it was idle: the window may show two loads, or the clock is
  /// wrong. The next one tells.
  bool doubtful = false;
  double rate = 0;  ///< items a second in the latest window

  /// Part of its time inside the operator in which it computes.
  [[nodiscard]] double computing() const noexcept {
    const auto time = each > 0 ? each : law.alone();
    return time > cpu ? cpu / time : 1.0;
  }

 private:
  friend class all_rates;
  double given_ = 0, taken_ = 0, offered_ = 0, arrived_ = 0, queued_ = 0;
};

/// Those of all stages of a run, in the order of `window::stages`.
class all_rates {
 public:
  /// Takes in what every window shows, even one in which something was changed.
  void look(const window& w);
  /// Takes in how fast stages are, from a window that shows one state.
  void learn(const window& w);

  /// Its batches have other sizes from now on: what was learned of it, and of the stages behind it, is no
  /// more.
  void forget_behind(const window& w, std::string_view batch);

  [[nodiscard]] stage_rates& operator[](std::size_t i) { return of_[i]; }
  [[nodiscard]] const stage_rates& operator[](std::size_t i) const { return of_[i]; }
  /// All processors were at work, all the time.
  [[nodiscard]] bool crowded() const noexcept { return crowded_; }
  [[nodiscard]] std::size_t size() const noexcept { return of_.size(); }

 private:
  void begin(const window& w);
  void count(const window& w);
  static void learn(const stage_window& s, double length, bool crowded, stage_rates& r);

  std::vector<stage_rates> of_;
  bool crowded_ = false;
  std::vector<char> splits_;  // another stage takes from the same one
};

}  // namespace THALWEG_NAMESPACE::adaptation
