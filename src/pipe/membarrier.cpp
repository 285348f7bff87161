#include <thalweg/pipe/membarrier.hpp>

#if defined(__linux__) && !THALWEG_THREAD_SANITIZER
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace THALWEG_NAMESPACE::pipe {

namespace detail {
constinit std::atomic<bool> asymmetric_fences{false};
}

namespace {

#if defined(__linux__) && !THALWEG_THREAD_SANITIZER

bool membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool register_process() noexcept {
  const bool done = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  detail::asymmetric_fences.store(done, std::memory_order_relaxed);
  return done;
}

bool registered() noexcept {
  static const bool done = register_process();
  return done;
}

// Registering waits for other cores when threads already run, so it is done while the program has only one.
[[maybe_unused]] const bool registered_early = registered();

#endif

}  // namespace

void heavy_fence() noexcept {
#if defined(__linux__) && !THALWEG_THREAD_SANITIZER
  // A failure after registration (a sandbox that was put on later) would leave light_fence() without a
  // partner. There is no way back from it, and going on would lose wake-ups silently.
  if (registered()) {
    if (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) __builtin_trap();
    return;
  }
#endif
  full_fence();
}

}  // namespace THALWEG_NAMESPACE::pipe
