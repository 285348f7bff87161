#include "squad.hpp"

#include <mutex>

#include "node.hpp"

namespace thalweg::run_detail::network {

void thread_squad::submit(node& n, turn when, bool soon) {
  std::size_t waiting = 0;
  {
    const std::lock_guard hold(lock_);
    when == turn::first ? ready_.push_back(&n) : ready_.push_front(&n);
    waiting = ready_.size();
    waiting_.store(waiting, std::memory_order_release);
  }
  // Who is about to look for work takes one of them itself.
  if (!soon || waiting > 1) idle_.wake_one();
}

node* thread_squad::take() {
  while (waiting_.load(std::memory_order_acquire) > 0) {
    node* n = nullptr;
    {
      const std::lock_guard hold(lock_);
      if (ready_.empty()) return nullptr;
      n = ready_.back();
      ready_.pop_back();
      waiting_.store(ready_.size(), std::memory_order_release);
    }
    // Somebody who waited for it may have executed it meanwhile.
    if (n->claim()) return n;
  }
  return nullptr;
}

}  // namespace thalweg::run_detail::network
