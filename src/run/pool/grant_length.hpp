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

  /// The source gave `items`; of these, calls for `timed` took `call_ns` each. A source that is quick, but
  /// for a slow call now and then, as one that reads a file block by block, does not make us wait: what lies
  /// in a run of items waits for such a call no longer than for the work of the others.
  void gave(std::size_t items, double call_ns, std::size_t timed) {
    const auto n = static_cast<double>(timed);
    usual_ns_ += (call_ns - usual_ns_) * n / (n + calls_remembered);
    const bool waits = usual_ns_ > slow_call_ns || call_ns * n > grant_ns;
    streak_ = waits ? 0 : streak_ + items;
  }

  /// An item takes `work_ns` behind the source (0: not known).
  void plan(double work_ns) { set(work_ns > 0 ? grant_ns / work_ns : 16.0, next_ * 2); }
  /// The same without a limit to its growth: what the work costs is known already.
  void begin(double work_ns) { set(grant_ns / std::max(work_ns, 1.0), longest_grant); }

 private:
  static constexpr double calls_remembered = 63;

  void set(double by_work, std::size_t most) {
    const auto by_streak = eager_ ? longest_grant : 1 + streak_ / items_per_streak;
    most = std::min({most, by_streak, longest_grant});
    next_ = std::clamp<std::size_t>(static_cast<std::size_t>(std::min(by_work, 1e6)), 1, most);
  }

  bool eager_;
  std::size_t next_ = 1;
  double usual_ns_ = 0;     // what a call takes on average
  std::size_t streak_ = 0;  // items since the source last made us wait
};

}  // namespace thalweg::run_detail::pooled
