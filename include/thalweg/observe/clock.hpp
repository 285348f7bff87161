// Reading time: one monotonic clock for everything that is measured, and the processor time of a thread or
// process.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>

#include <time.h>

namespace THALWEG_NAMESPACE::observe {

namespace detail {
inline std::int64_t read_clock(clockid_t clock) noexcept {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}
}  // namespace detail

/// Nanoseconds on the monotonic clock: it never goes back and all threads of the machine see the same one.
/// The origin is arbitrary (usually the start of the machine), so only differences mean something. Equal to
/// `std::chrono::steady_clock` on Linux, hence due times given as steady time points compare with it
/// directly.
///
/// A read goes through the kernel's vDSO, without a system call. It is not worth replacing by a raw
/// time-stamp counter: clocks are read once per run of items, and per item only where each has its own due
/// time.
inline std::int64_t now_ns() noexcept {
  return detail::read_clock(CLOCK_MONOTONIC);
}

/// Processor time used by the calling thread, in nanoseconds. This is a system call (some hundred
/// nanoseconds): read it at the ends of a thread's life, not inside loops.
inline std::int64_t thread_cpu_ns() noexcept {
  return detail::read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/// Processor time used by all threads of the process together, finished ones included, in nanoseconds. A
/// system call.
inline std::int64_t process_cpu_ns() noexcept {
  return detail::read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/// What a thread has had of its processor until now.
struct thread_usage {
  std::int64_t cpu_ns = 0;       ///< as `thread_cpu_ns`
  std::int64_t preemptions = 0;  ///< how often the system has taken the processor away from it
};
/// Of the calling thread. Two system calls.
thread_usage thread_usage_now() noexcept;

/// What `now_ns() - now_ns()` gives when nothing is between the two reads: about 20 ns. Take it off when
/// something as short as a single item is timed. Measured at the first call, which takes some microseconds.
std::int64_t clock_cost_ns() noexcept;

}  // namespace THALWEG_NAMESPACE::observe
