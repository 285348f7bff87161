/// Which items a window holds: `tumbling`, `sliding`, `session`, `count`; and which time counts:
/// `event_time`.
#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/pattern/late.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <ratio>
#include <string>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {

/// What may be said of any kind of window.
struct window_options {
  /// Windows by count and by processing time take items as they come. After an `.unordered` farm that makes
  /// results depend on timing, so the program must say that it means this.
  bool any_order = false;
};

/// See `tumbling` and `sliding`.
struct time_windows {
  std::chrono::nanoseconds size;
  std::chrono::nanoseconds slide;
  window_options options = {};
};
/// See `session`.
struct session_windows {
  std::chrono::nanoseconds gap;
  window_options options = {};
};
/// See `count`.
struct count_windows {
  std::int64_t size;
  std::int64_t slide;
  window_options options = {};
};

/// Windows that follow each other without gaps: [k * size, (k + 1) * size) for all integers k.
inline time_windows tumbling(std::chrono::nanoseconds size, window_options options = {}) {
  return {size, size, options};
}
/// Windows that overlap: [k * slide, k * slide + size) for all integers k. `slide` is at most `size`.
inline time_windows sliding(std::chrono::nanoseconds size, std::chrono::nanoseconds slide,
                            window_options options = {}) {
  return {size, slide, options};
}
/// A window for each time of activity: it ends when nothing has come for `gap`.
inline session_windows session(std::chrono::nanoseconds gap, window_options options = {}) {
  return {gap, options};
}
/// `size` items each; on a keyed stream, of the same key.
inline count_windows count(std::int64_t size, window_options options = {}) {
  return {size, size, options};
}
/// The last `size` items, every `slide` items. `slide` is at most `size`.
inline count_windows count(std::int64_t size, std::int64_t slide, window_options options = {}) {
  return {size, slide, options};
}

/// How long windows wait for items that come out of order, late, or not at all.
struct event_time_options {
  /// By how much an item may be behind the latest one: a window waits this long before it gives its result.
  std::chrono::nanoseconds disorder{0};
  /// How long after that late items still correct the result.
  std::chrono::nanoseconds lateness{0};
  /// Takes items that come even later, and those that are not accepted.
  late_handler late = {};
  /// By how much an item may be ahead of the greatest time before it. One that is further ahead is not
  /// accepted: it does not move the watermark, and is treated as too late. 0: any time is accepted. The first
  /// item always is. Choose it larger than the longest gap in the times of your stream: after a longer gap no
  /// item would be accepted any more.
  std::chrono::nanoseconds max_ahead{0};
  /// When nothing has come for this long, by the steady clock, all open windows give their results; the
  /// watermark is then at the end of the last of them. So a source that falls silent does not hold results
  /// back. Which items are late then depends on when they come. Time that passes between two items adds to
  /// `.max_ahead`: after a pause they may be later by its length. 0: windows wait for the next item, or for
  /// the end of the stream.
  std::chrono::nanoseconds idle_after{0};
};

/// See `event_time`.
template <class Extract> struct event_times {
  Extract extract;
  event_time_options options;
};

/// Windows go by the time at which things happened: `extract(const T&)` (or a member pointer) gives it as a
/// `std::chrono` duration or time point, or as an integer in ns. The watermark is the greatest time seen in
/// the whole stream, over all keys, minus `.disorder`: up to there no more items are expected. One item whose
/// clock is wrong by years would make all others late: `.max_ahead` says which times are not accepted.
template <class Extract> event_times<Extract> event_time(Extract extract, event_time_options options = {}) {
  return {std::move(extract), std::move(options)};
}

namespace model {

/// All times are at most this far from 0, in ns (146 years): so sums of a few of them cannot overflow.
inline constexpr std::int64_t furthest_time = std::int64_t{1} << 62;
/// The same for sizes (9 years for those of time).
inline constexpr std::int64_t largest_window = std::int64_t{1} << 58;

[[noreturn]] void time_out_of_range();

template <class T> struct is_time : std::false_type {};
template <class R, class P> struct is_time<std::chrono::duration<R, P>> : std::true_type {};
template <class C, class D> struct is_time<std::chrono::time_point<C, D>> : std::true_type {};
template <class T>
inline constexpr bool timestamp = is_time<T>::value || (std::is_integral_v<T> && !std::is_same_v<T, bool>);

/// `count` * `num` / `den`, if that and `num` * `den` are 64-bit numbers.
constexpr std::uint64_t scaled(std::uint64_t count, std::uint64_t num, std::uint64_t den) {
  return count / den * num + count % den * num / den;
}

/// `count` units of `P` seconds in ns. Throws std::out_of_range.
template <class P, std::integral T> std::int64_t units_to_ns(T count) {
  using unit = std::ratio_divide<P, std::nano>;
  constexpr auto most = static_cast<std::uint64_t>(furthest_time);
  const bool negative = count < 0;
  const auto size = negative ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  if constexpr (unit::num > unit::den) {
    if (size > scaled(most, unit::den, unit::num)) time_out_of_range();
  }
  const auto ns = scaled(size, unit::num, unit::den);
  if (ns > most) time_out_of_range();
  return negative ? -static_cast<std::int64_t>(ns) : static_cast<std::int64_t>(ns);
}

/// A time in ns, from any kind of number. Throws std::out_of_range.
template <std::integral T> std::int64_t to_ns(T t) {
  return units_to_ns<std::nano>(t);
}
template <class R, class P> std::int64_t to_ns(std::chrono::duration<R, P> t) {
  if constexpr (std::integral<R>) {
    return units_to_ns<P>(t.count());
  } else {
    const std::chrono::duration<std::common_type_t<R, double>, std::nano> ns(t);
    constexpr auto most = static_cast<double>(furthest_time);
    if (!(ns.count() >= -most && ns.count() <= most)) time_out_of_range();  // or it is not a number
    return static_cast<std::int64_t>(ns.count());
  }
}
template <class C, class D> std::int64_t to_ns(std::chrono::time_point<C, D> t) {
  return to_ns(t.time_since_epoch());
}

void check_windows(const time_windows& w, stage_info& info);
void check_windows(const session_windows& w, stage_info& info);
void check_windows(const count_windows& w, stage_info& info);
void check_times(const event_time_options& o, stage_info& info);

}  // namespace model
}  // namespace THALWEG_NAMESPACE
