/// What did not help, remembered for the load it did not help with.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <limits>

namespace THALWEG_NAMESPACE::adaptation {

/// Of one farm. Each number it knows ends a circle of changes: growth that brought nothing is not tried
/// again, and a number that was too small is not gone back to.
class farm_memory {
 public:
  /// Growth from so many brought nothing, in this window, with that many items a second asked of the farm.
  void grew_for_nothing(int from, std::uint64_t window, double asked);
  /// It shrank to a number that should do.
  void shrank(int from, double asked, double seconds);
  /// It has to grow. If that is back from where it shrank to, under the same load, that was too small.
  void grows(int to, double asked, double seconds);

  /// Beyond this, growth is known to bring nothing. Forgotten when the load is another one, or after a long
  /// time, which doubles each time it is found out again.
  [[nodiscard]] int most(std::uint64_t window, double asked);
  /// Below this, it is known to be too small for this load.
  [[nodiscard]] int least(double asked, double seconds) const;
  /// For so many windows it has to have been too large before it shrinks. Each mistake doubles them.
  [[nodiscard]] int patience(bool by_far) const;
  /// The ceiling has just been given up: what was seen beyond it no longer counts.
  [[nodiscard]] bool forgot() noexcept {
    const auto did = forgot_;
    forgot_ = false;
    return did;
  }

 private:
  int ceiling_ = std::numeric_limits<int>::max();
  std::uint64_t since_ = 0;
  double ceiling_asked_ = 0;
  int failed_ = 0;
  bool forgot_ = false;

  int shrank_from_ = 0;
  double shrank_asked_ = 0, shrank_seconds_ = 0;
  int floor_ = 0;
  double floor_asked_ = 0, floor_seconds_ = 0;
  int mistakes_ = 0;
};

}  // namespace THALWEG_NAMESPACE::adaptation
