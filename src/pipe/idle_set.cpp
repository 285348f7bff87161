// The protocol stands in idle_set.hpp; docs/protocols/idle_set.pml models it.
#include <thalweg/pipe/idle_set.hpp>

#include <mutex>
#include <stdexcept>

namespace THALWEG_NAMESPACE::pipe {

namespace {

std::size_t checked(std::size_t workers, std::size_t most) {
  if (workers > most) throw std::length_error("idle_set: too many workers");
  return workers;
}

}  // namespace

idle_set::idle_set(std::size_t workers)
    : size_(checked(workers, none)), workers_(new padded<worker>[workers]) {}

void idle_set::register_idle(std::size_t w) noexcept {
  worker& self = *workers_[w];
  self.sleep.prepare();
  {
    std::lock_guard hold(lock_);
    self.idle = true;
    self.above = none;
    self.below = top_;
    if (top_ != none) workers_[top_]->above = static_cast<std::uint16_t>(w);
    top_ = static_cast<std::uint16_t>(w);
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  full_fence();
}

bool idle_set::cancel_idle(std::size_t w) noexcept {
  std::lock_guard hold(lock_);
  if (!workers_[w]->idle) return false;
  remove(w);
  return true;
}

void idle_set::park(std::size_t w) noexcept {
  workers_[w]->sleep.park();
}

bool idle_set::park_until(std::size_t w, std::chrono::steady_clock::time_point deadline) noexcept {
  return workers_[w]->sleep.park_until(deadline) || !cancel_idle(w);
}

// The permit is given under the lock, so that a worker that finds itself chosen has it already: a permit that
// came later would end the worker's next sleep with the worker still in the set. The system call is made
// outside.

bool idle_set::wake_last() noexcept {
  parker* chosen;
  bool sleeping;
  {
    std::lock_guard hold(lock_);
    if (top_ == none) return false;
    chosen = &workers_[top_]->sleep;
    remove(top_);
    sleeping = chosen->give_permit();
  }
  if (sleeping) chosen->wake_owner();
  return true;
}

bool idle_set::wake_this(std::size_t w) noexcept {
  worker& chosen = *workers_[w];
  bool sleeping;
  {
    std::lock_guard hold(lock_);
    if (!chosen.idle) return false;
    remove(w);
    sleeping = chosen.sleep.give_permit();
  }
  if (sleeping) chosen.sleep.wake_owner();
  return true;
}

std::size_t idle_set::wake_all() noexcept {
  // One by one and not from the top: some may be idle again before the last has been woken.
  std::size_t woken = 0;
  for (std::size_t w = 0; w < size_ && someone_idle(); ++w) woken += wake_this(w) ? 1 : 0;
  return woken;
}

void idle_set::remove(std::size_t w) noexcept {
  worker& gone = *workers_[w];
  if (gone.below != none) workers_[gone.below]->above = gone.above;
  if (gone.above != none) {
    workers_[gone.above]->below = gone.below;
  } else {
    top_ = gone.below;
  }
  gone.idle = false;
  count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

}  // namespace THALWEG_NAMESPACE::pipe
