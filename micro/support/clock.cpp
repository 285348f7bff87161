#include "clock.hpp"

#include <cerrno>
#include <ctime>

#include <sys/prctl.h>

namespace micro {
namespace {

constexpr nanos second = 1'000'000'000;
constexpr nanos spun = 40'000;  // longer than a finely timed sleep oversleeps

}  // namespace

nanos processor_time() noexcept {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * second + t.tv_nsec;
}

void sleep_until(nanos due) noexcept {
  thread_local const bool finely = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0;
  static_cast<void>(finely);
  const timespec t{due / second, due % second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

void wait_until(nanos due, pacing how) noexcept {
  if (how == pacing::sleep) {
    if (now() < due) sleep_until(due);
    return;
  }
  if (due - now() > spun) sleep_until(due - spun);
  while (now() < due) {
  }
}

}  // namespace micro
