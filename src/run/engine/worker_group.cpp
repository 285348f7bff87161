// Threads that share the nodes that are ready.
//
// State: the list of ready nodes, its length `waiting_`, and the set of idle threads.
// Writers: who makes a node ready lists it, any thread of the group takes it out, both under the lock of the
//   list; a thread puts itself into the set.
// Invariant: who lists a node looks into the set afterwards, and a thread that is in the set looks at the
//   list once more before it sleeps: one of the two sees the other. A thread that is about to look for work
//   itself calls nobody for one node. A listed node need not be ready any more: who takes it has to claim it.
// Model: docs/protocols/idle_set.pml.
#include "worker_group.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "../tuning.hpp"
#include "node.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

std::size_t ready_queue::push(node& n, worker_group::turn when) {
  const std::lock_guard hold(lock_);
  when == worker_group::turn::first ? nodes_.push_back(&n) : nodes_.push_front(&n);
  waiting_.store(nodes_.size(), std::memory_order_release);
  return nodes_.size();
}

node* ready_queue::pop(std::size_t beyond) {
  while (waiting_.load(std::memory_order_acquire) > 0) {
    node* n = nullptr;
    {
      const std::lock_guard hold(lock_);
      const auto found = std::find_if(nodes_.rbegin(), nodes_.rend(),
                                      [beyond](const node* next) { return next->place > beyond; });
      if (found == nodes_.rend()) return nullptr;
      n = *found;
      nodes_.erase(std::next(found).base());
      taken_.store(taken() + 1, std::memory_order_relaxed);
      waiting_.store(nodes_.size(), std::memory_order_release);
    }
    // Somebody who waited for it may have executed it meanwhile.
    if (n->claim()) return n;
  }
  return nullptr;
}

bool ready_queue::worth_another() noexcept {
  constexpr std::size_t most_looked_at = 8;
  const std::lock_guard hold(lock_);
  std::int64_t all = 0, work = 0;
  for (std::size_t i = 0; i < std::min(nodes_.size(), most_looked_at); ++i) {
    const auto& n = *nodes_[nodes_.size() - 1 - i];
    const auto waits = std::min(n.waiting_ns(), wake_ns);  // what is more is for one thread all the same
    all += waits;
    if (!n.sources()) work += waits;
    if (all >= 2 * wake_ns && work >= wake_ns) return true;
  }
  return false;
}

void thread_group::submit(node& n, turn when, bool soon) {
  const auto waiting = ready_.push(n, when);
  if (!soon) return call();
  // The calling thread takes one of them itself.
  if (waiting > 1 && anybody_idle() && ready_.worth_another()) call();
}

void thread_group::resize(std::size_t n) {
  {
    const std::lock_guard hold(resting_);
    size_.store(n);
  }
  changed_.notify_all();
  if (busy()) call();
}

void thread_group::wake() noexcept {
  idle_.wake_all();
  if (!anybody_rests_.load()) return;
  { const std::lock_guard seen(resting_); }
  changed_.notify_all();
}

void thread_group::call() noexcept {
  if (idle_.wake_one() || !may_spawn()) return;
  const std::lock_guard hold(spawning_);
  if (!may_spawn() || idle_.idle_count() > ready()) return;
  if (spawn_(spawned_.load())) spawned_.fetch_add(1);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
