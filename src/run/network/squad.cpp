#include "squad.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "node.hpp"

namespace thalweg::run_detail::network {

std::size_t ready_list::push(node& n, squad::turn when) {
  const std::lock_guard hold(lock_);
  when == squad::turn::first ? nodes_.push_back(&n) : nodes_.push_front(&n);
  waiting_.store(nodes_.size(), std::memory_order_release);
  return nodes_.size();
}

node* ready_list::pop(std::size_t beyond) {
  while (waiting_.load(std::memory_order_acquire) > 0) {
    node* n = nullptr;
    {
      const std::lock_guard hold(lock_);
      const auto found = std::find_if(nodes_.rbegin(), nodes_.rend(),
                                      [beyond](const node* next) { return next->place > beyond; });
      if (found == nodes_.rend()) return nullptr;
      n = *found;
      nodes_.erase(std::next(found).base());
      waiting_.store(nodes_.size(), std::memory_order_release);
    }
    // Somebody who waited for it may have executed it meanwhile.
    if (n->claim()) return n;
  }
  return nullptr;
}

void thread_squad::submit(node& n, turn when, bool soon) {
  // Who is about to look for work takes one of them itself.
  if (ready_.push(n, when) > 1 || !soon) idle_.wake_one();
}

}  // namespace thalweg::run_detail::network
