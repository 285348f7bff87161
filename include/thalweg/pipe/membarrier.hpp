#pragma once

#include <thalweg/pipe/sanitizer.hpp>
#include <thalweg/version.hpp>

#include <atomic>

// Two threads that each store one variable and then load the other's (a worker announces that it sleeps and
// re-checks for work; a producer publishes work and checks for sleepers) need a full fence each, or both may
// read the old value. The producer does this per item, the sleeper rarely. An asymmetric fence moves the
// whole cost to the sleeper: the system call membarrier makes every running thread of the process execute a
// full fence, so the producer's own may be a compiler barrier.
//
// This is asymmetric Dekker synchronization (Dice, Huang and Yang, "Asymmetric Dekker Synchronization");
// light and heavy are the names that folly and the C++ paper P1202 give to the two fences. The command is
// MEMBARRIER_CMD_PRIVATE_EXPEDITED of membarrier(2).
//
// ThreadSanitizer understands neither the system call nor a compiler barrier; under it, and on systems
// without the call, both sides execute a full fence.

namespace THALWEG_NAMESPACE::pipe {

namespace detail {

/// True once the process is registered for membarrier. It goes from false to true before any heavy_fence()
/// returns and never back, so a light_fence() that still reads false only executes a full fence too many.
extern std::atomic<bool> asymmetric_fences;

}  // namespace detail

/// A fence for both sides: some 20 ns.
inline void full_fence() noexcept {
#if THALWEG_THREAD_SANITIZER
  __sync_synchronize();  // GCC refuses std::atomic_thread_fence under ThreadSanitizer
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// The frequent side's fence, between its store and its load. Pairs with heavy_fence() only, never with
/// itself.
inline void light_fence() noexcept {
#if THALWEG_THREAD_SANITIZER
  full_fence();
#else
  if (detail::asymmetric_fences.load(std::memory_order_relaxed)) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    full_fence();
  }
#endif
}

/// The rare side's fence, between its store and its load: about a microsecond where membarrier exists. Pairs
/// with light_fence() and with itself.
void heavy_fence() noexcept;

}  // namespace THALWEG_NAMESPACE::pipe
