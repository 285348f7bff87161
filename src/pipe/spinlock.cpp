#include <thalweg/pipe/pause.hpp>
#include <thalweg/pipe/spinlock.hpp>

namespace THALWEG_NAMESPACE::pipe {

void spinlock::lock_slowly() noexcept {
  if (spin_until([this] { return try_lock(); })) return;
  // Whoever has slept takes the lock as "held with sleepers": it cannot know whether others sleep still.
  while (state_.exchange(held_with_sleepers, std::memory_order_acquire) != unlocked) {
    futex_wait(state_, held_with_sleepers);
  }
}

}  // namespace THALWEG_NAMESPACE::pipe
