#pragma once

#include <chrono>
#include <ctime>

/// Processor time the calling thread has used: what a thread that waits properly does not use.
inline std::chrono::nanoseconds thread_cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}
