/// When the items of a stream are due: a rate turned into one moment after the other.
#pragma once

#include <thalweg/flow/rate.hpp>

#include <cstdint>
#include <limits>

namespace THALWEG_NAMESPACE {

#if defined(__GNUC__) && !defined(__clang__)
// GCC warns of members of an enumeration that hide names of the namespace, `skip`, though they cannot.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/// What a late source does: its last call, or the stream, took longer than the time to the next item.
enum class when_late : std::uint8_t {
  /// Overdue items come as fast as the stream takes them. No item is lost, and latency counted from due times
  /// shows the delay: an open loop.
  catch_up,
  /// Only the newest of the overdue items comes: the source is not called for the others.
  skip,
  /// The schedule moves: the next item is due one interval after the last one was called for. Many load
  /// generators do this, SPBench's among them. It hides delays, as a slow stream is asked less (coordinated
  /// omission), and is here for comparison.
  closed_loop,
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace flow {

/// The moments at which items are due, in seconds since the beginning. A state machine for one thread.
class arrivals {
 public:
  explicit arrivals(rate r, when_late late = when_late::catch_up);

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// When the next item is due; infinite, if none comes any more.
  [[nodiscard]] double next() const noexcept { return next_; }
  /// The same in nanoseconds; `never`, if none comes any more.
  [[nodiscard]] std::int64_t next_ns() const noexcept;
  /// Whether items are then so dense that sleeping until they are due is too coarse.
  [[nodiscard]] bool dense() const;
  /// What it follows.
  [[nodiscard]] const rate& follows() const noexcept { return rate_; }
  /// The next item has been called for at this moment, or is about to be: goes on to the item after it.
  void advance(double now);
  /// Before an item is called for: passes over late items, if that is the policy. Returns how many.
  std::uint64_t pass_over(double now);

 private:
  [[nodiscard]] double gap() noexcept;

  rate rate_;
  when_late late_;
  std::uint64_t random_;
  double reached_ = 0;  // how many items come until the next one
  double next_ = 0;
};

}  // namespace flow
}  // namespace THALWEG_NAMESPACE
