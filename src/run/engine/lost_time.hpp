#pragma once

#include <thalweg/version.hpp>

#include <cstdint>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// How long a thread was ready to work, but did not have its processor, while its stages were timed.
///
/// A few timed items stand for very many. If the system takes the processor away while a cheap stage is
/// timed, that stage would look expensive for the rest of the run.
class lost_time {
 public:
  /// Counts from now on, for the calling thread.
  void begin() noexcept;
  /// How much of a time that has just ended the thread has lost: nothing if it waited for something
  /// meanwhile, since nobody can say then which part of the time was which.
  std::int64_t within(std::int64_t ns) noexcept;

 private:
  std::int64_t since_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
  std::int64_t preemptions_ = 0;
  std::int64_t waits_ = 0;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
