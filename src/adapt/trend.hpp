/// A load that rises: what it will be soon.
#pragma once

#include <thalweg/adapt/window.hpp>

namespace THALWEG_NAMESPACE::adaptation {

/// A change takes until the next window has shown it. Where the rate that is due has risen twice in a row, it
/// is expected to go on; a single step is none.
class trend {
 public:
  /// To be shown each window. What will be due when the window after the next one ends, in units of what is
  /// due now: at least 1.
  double look(const window& w) noexcept;

 private:
  double before_ = 0, earlier_ = 0;  // items a second that were due
};

}  // namespace THALWEG_NAMESPACE::adaptation
