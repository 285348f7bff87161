/// What becomes of errors. Programs written for SPBench catch nothing, and many interfaces end the process
/// when an exception leaves an operator on one of their threads. So operators let none out: the first error
/// is kept, sources then say that the stream is at its end, operators and sinks let pass what is under way
/// without touching it, and the program comes to `Metrics::stop` as usual, which reports the error, leaves no
/// output and ends the process with exit code 1.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

namespace spb::detail {

inline std::atomic<bool> stream_failed{false};

/// Whether an operator has failed in this stream.
inline bool failed() noexcept {
  return stream_failed.load(std::memory_order_relaxed);
}

/// Keeps an error, unless there is one already. Any thread.
void keep_failure(std::exception_ptr error) noexcept;

/// The error that was kept, or none. To be called when the stream is at its end.
std::exception_ptr kept_failure() noexcept;

/// Forgets it, for another stream in the same process.
void forget_failure() noexcept;

/// Calls `f`, unless the stream has failed; what it throws fails the stream. Gives what `f` gives, or else
/// `otherwise`.
template <class F, class R> R guarded(R otherwise, F&& f) noexcept {
  if (failed()) return otherwise;
  try {
    return std::forward<F>(f)();
  } catch (...) {
    keep_failure(std::current_exception());
    return otherwise;
  }
}

/// Ends the process with exit code 1 after an error outside a stream: its text on standard error, behind the
/// program's name; by the signal, if the program was told to stop. Must be called in a handler.
[[noreturn]] void end_with_current_error() noexcept;

/// Calls `f`; what it throws ends the process so.
template <class F> void or_end(F&& f) noexcept {
  try {
    std::forward<F>(f)();
  } catch (...) {
    end_with_current_error();
  }
}

}  // namespace spb::detail
