#pragma once

#include <thalweg/flow/arrivals.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace spb::detail {

using thalweg::rate;
using thalweg::when_late;

/// A pattern by name. `spike`: how long a spike is, in percent of the period. \throws std::invalid_argument
/// naming what is wrong: the name, a period that is not positive, negative frequencies, a maximum below the
/// minimum, a spike that is no part of the period
rate make_pattern(std::string_view name, double period, double low, double high, double spike = 10);
/// \throws std::invalid_argument  if it is not positive
rate make_constant(double frequency);
/// What `thalweg::rate_from` takes. \throws std::invalid_argument  if it is no rate
rate parse_pattern(const std::string& text);

/// When elements are due. The first is due when it is asked for, or when the pattern first gives one; each
/// other when the frequency, summed up since, has reached one more. A stream that falls behind is not waited
/// for: what it could not take is due at once, until it has caught up (an open loop), or what `when_late`
/// says. Any thread may set it while another follows it.
class schedule {
 public:
  void follow(const rate& pattern);
  /// Follows nothing any more.
  void release();
  /// What becomes of elements that are late, from the next `follow` on.
  void set_late(when_late policy);
  [[nodiscard]] when_late late() const;
  /// How many were passed over.
  [[nodiscard]] std::uint64_t passed_over() const;
  /// What it follows, if anything.
  [[nodiscard]] std::optional<rate> pattern() const;
  /// Elements a second that it asks for now; 0: it follows nothing.
  double rate_now();
  /// The same of a schedule that has begun; nothing, if it has not, or follows nothing.
  [[nodiscard]] std::optional<double> rate_under_way() const;
  /// When the next element is due, in nanoseconds of the steady clock; `never`, if none comes any more.
  std::int64_t due();
  static constexpr std::int64_t never = thalweg::flow::arrivals::never;
  /// Whether elements come so densely that sleeping is too coarse.
  bool dense();
  /// Goes on to the next element.
  void advance();

 private:
  // Seconds since the beginning; the lock is held.
  [[nodiscard]] double elapsed() const;

  mutable std::mutex lock_;
  std::optional<thalweg::flow::arrivals> arrivals_;
  std::optional<std::int64_t> began_;
  when_late late_ = when_late::catch_up;
  std::uint64_t passed_ = 0;
};

}  // namespace spb::detail
