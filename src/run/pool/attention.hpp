#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tuning.hpp"

namespace thalweg::run_detail::pooled {

/// Should somebody else call the source while this worker carries an item on? It costs a wake-up, and brings
/// nothing if the worker is back before the next item comes. If the last call did not wait, an item may be
/// there already: yes. A call that waits may wait for the arrival of the next item, which comes no sooner if
/// somebody stands there, or for something that begins only with the call (a read, a computation). A paced
/// source is of the first kind; for others both are tried now and then, and what counts is how long it takes
/// from one item to the next.
class attention {
 public:
  /// `work_ns`: what the item in hand will take. Whoever holds the source asks once per run of items, at time
  /// `now`.
  [[nodiscard]] bool wanted(double work_ns, bool waited, std::int64_t now, bool paced) {
    const auto since = static_cast<double>(now - std::exchange(last_, now));
    if (!waited) return attended_ = work_ns > wake_ns;
    auto& usual = interval_[attended_ ? 1 : 0];
    usual += (since - usual) / (usual == 0 ? 1 : 8);
    ++count_;
    if (work_ns <= wake_ns) return attended_ = false;
    if (paced) return attended_ = work_ns > 0.9 * std::max(interval_[0], interval_[1]);
    const auto turn = count_ % 64;
    if (turn < 8) return attended_ = true;
    if (turn < 12) return attended_ = false;
    return attended_ = interval_[1] < 0.93 * interval_[0];
  }

 private:
  double interval_[2] = {0, 0};  // without and with somebody at the source
  std::int64_t last_ = 0;
  std::uint32_t count_ = 0;
  bool attended_ = false;
};

}  // namespace thalweg::run_detail::pooled
