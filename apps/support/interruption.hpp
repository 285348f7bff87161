/// Programs that are told to stop (Ctrl-C) should leave nothing half done behind. A signal handler may do
/// next to nothing; so it only notes the signal, and what takes long looks at the note now and then.
#pragma once

#include <atomic>

namespace apps {

/// The signal by which the program was told to stop; 0: it was not. For handlers to set.
inline std::atomic<int> stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

/// Thrown where the program was told to stop. No std::exception, so that nobody takes it for an error.
struct interruption {};

/// \throws interruption  if the program was told to stop
inline void check_interruption() {
  if (stop_signal.load(std::memory_order_relaxed) != 0) throw interruption{};
}

}  // namespace apps
