// Wall time and processor time of this process.
#pragma once

#include <chrono>
#include <cstdint>

namespace micro {

using nanos = std::int64_t;

/// Nanoseconds of the steady clock.
inline nanos now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Processor time used so far by all threads of this process, those that ended among them.
nanos processor_time() noexcept;

/// Sleeps until `due`. The thread asks for the finest timer the kernel gives (by default a sleep may last 50
/// microseconds longer, to save power).
void sleep_until(nanos due) noexcept;

/// How a paced source waits for the time its next item is due.
enum class pacing {
  sleep,           ///< Sleep alone: wakes some tens of microseconds late, uses hardly any processor time.
  sleep_then_spin  ///< Sleep until shortly before, spin the rest: on time to the microsecond.
};

/// The one way every paced source here waits; returns at once when `due` has passed.
void wait_until(nanos due, pacing how) noexcept;

}  // namespace micro
