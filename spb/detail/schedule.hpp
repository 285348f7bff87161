#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace spb::detail {

/// How many elements a second come, as a function of the time since the pattern began: A. M. Garcia, Easing
/// the Benchmarking of Parallel Stream Processing on Multi-cores, 2023, section 6.4.2, but free of state, so
/// that no phase drifts and no spike is missed however seldom the source asks.
struct frequency_pattern {
  enum class shape { constant, wave, binary, increasing, decreasing, spike };

  shape kind = shape::constant;
  double period = 1;  ///< seconds
  double low = 0;     ///< elements a second
  double high = 0;
  double spike = 10;  ///< how long a spike is, in percent of the period

  /// Elements a second at `seconds` after the beginning. A wave begins in the middle, rising; binary begins
  /// high; spikes rise from low to high at the end of each period; increasing and decreasing stay where they
  /// come to.
  [[nodiscard]] double at(double seconds) const;

  friend bool operator==(const frequency_pattern&, const frequency_pattern&) = default;
};

/// A pattern by name. \throws std::invalid_argument  naming what is wrong: the name, a period or frequencies
/// that are not positive, a maximum below the minimum, a spike that is no part of the period
frequency_pattern make_pattern(std::string_view name, double period, double low, double high,
                               double spike = 10);
/// \throws std::invalid_argument  if it is not positive
frequency_pattern make_constant(double frequency);
/// `wave,10,100,1000` or `spike,10,100,1000,5`. \throws std::invalid_argument
frequency_pattern parse_pattern(const std::string& text);

/// When elements are due: an open loop. The first is due when it is asked for, each other when the frequency,
/// summed up since, has reached one more. A stream that falls behind is not waited for: what it could not
/// take is due at once, until it has caught up. Any thread may set it while another follows it.
class schedule {
 public:
  void follow(const frequency_pattern& pattern);
  /// What it follows.
  [[nodiscard]] frequency_pattern pattern() const;
  /// When the next element is due, in nanoseconds of the steady clock.
  std::int64_t due();
  /// Whether elements come so densely that sleeping is too coarse.
  bool dense();
  /// Goes on to the next element.
  void advance();

 private:
  mutable std::mutex lock_;
  frequency_pattern pattern_;
  std::optional<std::int64_t> began_;
  double elapsed_ = 0;  // seconds from the beginning to the next element
};

}  // namespace spb::detail
