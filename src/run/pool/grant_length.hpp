#pragma once

#include <algorithm>
#include <cstddef>

#include "tuning.hpp"

namespace thalweg::run_detail::pooled {

/// How many items the next run of items should have: 70 µs of work, growing slowly, and one at
/// a time while the source makes us wait, for then whatever it gives is wanted at once. Belongs to whoever
/// holds the source.
class grant_length {
 public:
  /// An eager source has its items in memory and never waits.
  explicit grant_length(bool eager) : eager_(eager) {}

  [[nodiscard]] std::size_t next() const noexcept { return next_; }

  /// The source gave `items`, `call_ns` each.
  void gave(std::size_t items, double call_ns) { streak_ = call_ns > slow_call_ns ? 0 : streak_ + items; }

  /// An item takes `work_ns` behind the source (0: not known).
  void plan(double work_ns) { set(work_ns > 0 ? grant_ns / work_ns : 16.0, next_ * 2); }
  /// The same without a limit to its growth: what the work costs is known already.
  void begin(double work_ns) { set(grant_ns / std::max(work_ns, 1.0), longest_grant); }

 private:
  void set(double by_work, std::size_t most) {
    const auto by_streak = eager_ ? longest_grant : 1 + streak_ / items_per_streak;
    most = std::min({most, by_streak, longest_grant});
    next_ = std::clamp<std::size_t>(static_cast<std::size_t>(std::min(by_work, 1e6)), 1, most);
  }

  bool eager_;
  std::size_t next_ = 1;
  std::size_t streak_ = 0;  // items since the source last made us wait
};

}  // namespace thalweg::run_detail::pooled
