/// For which part of their time replicas may be at work, so that items are not under way for too long.
#pragma once

#include <thalweg/adapt/window.hpp>

namespace THALWEG_NAMESPACE::adaptation {

/// Found by trying, as it depends on how much arrivals and times vary: less while the goal's quantile is
/// beyond its limit, more while it is far within, and never again what was too much for this load.
class latency_target {
 public:
  explicit latency_target(double most) : most_(most), now_(most), too_much_(2 * most) {}

  /// The next window that shows one state, in which nothing waits that can be worked off.
  void look(const window& w);
  /// The load is another one.
  void forget() noexcept;
  [[nodiscard]] double value() const noexcept { return now_; }

 private:
  double most_, now_, too_much_;
  double before_ = 0;     // what the quantile was when it was lowered last
  bool useless_ = false;  // lowering it did not help
  int above_ = 0, below_ = 0;
};

}  // namespace THALWEG_NAMESPACE::adaptation
