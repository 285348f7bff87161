#pragma once

#include <thalweg/version.hpp>

#include <chrono>

namespace THALWEG_NAMESPACE::pipe {

/// Tells the core that this thread is spinning, so that a sibling hyperthread gets the core's resources.
inline void cpu_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::
                   : "memory");  // `yield` is a no-op on most Arm cores; `isb` waits about as long as `pause`
#endif
}

/// How long a thread spins before it parks: about what a park and a wake-up cost together. By competitive
/// analysis no waiting time then costs more than twice the best choice made with foresight.
inline constexpr std::chrono::nanoseconds spin_time{2000};

/// Spins until `ready()` is true or about `limit` has passed. Returns what `ready()` said last.
///
/// Counted in time, not in pauses, because one pause is 5 ns on some cores and 60 ns on others. The clock is
/// read once every `rounds`: for the first time after that many, so that a short wait does not read it at
/// all.
template <class Predicate>
bool spin_until(Predicate&& ready, std::chrono::nanoseconds limit = spin_time, int rounds = 16) {
  using clock = std::chrono::steady_clock;
  clock::time_point deadline{};
  for (;;) {
    for (int i = 0; i < rounds; ++i) {
      if (ready()) return true;
      cpu_pause();
    }
    const auto now = clock::now();
    if (deadline == clock::time_point{}) {
      deadline = now + limit;
    } else if (now >= deadline) {
      return ready();
    }
  }
}

}  // namespace THALWEG_NAMESPACE::pipe
