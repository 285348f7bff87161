#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/pipe/chunk.hpp>
#include <thalweg/pipe/reorder_window.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "farm.hpp"

namespace thalweg::run_detail::pooled {

using chunk_ptr = std::unique_ptr<pipe::chunk_base>;

/// Stages that run as one loop.
struct part {
  std::size_t component;
  model::range stages;
  std::size_t first;  ///< number of its first stage in the plan
  [[nodiscard]] std::size_t last() const noexcept { return first + (stages.last - stages.first) - 1; }
  friend bool operator==(const part&, const part&) = default;
};

/// How many chunks may be on their way between two serial nodes.
inline constexpr std::size_t window_slots = 64;

/// What a worker executes as one piece. A serial node is executed by one worker at a time, in the order of
/// its inbox; a parallel node by several. Serial nodes number what they send anew, so the numbers between two
/// serial nodes (a region) are dense: that is all a reorder window needs.
struct node {
  node(std::vector<part> p, farm_slots* f, std::size_t i) : parts(std::move(p)), farm(f), index(i) {}

  /// Empty: only puts chunks in order. The end behind a farm without a serial stage; what deals items out to
  /// the farm behind it; what keeps a farm and stages with threads of their own apart.
  std::vector<part> parts;
  farm_slots* farm;  ///< null: serial
  const std::size_t index;
  /// Threads of its own (numbers of agents): pool workers do not touch such a node.
  std::vector<std::size_t> agents;
  node* next = nullptr;
  /// The next serial node downstream: the end of the region this node sends to or works in.
  node* region_end = nullptr;
  /// The serial node before this one, if this one is serial; null for the source.
  node* region_begin = nullptr;
  bool last = false;
  bool dealt = false;  ///< a farm each of whose chunks is for a certain replica

  [[nodiscard]] bool serial() const noexcept { return farm == nullptr; }
  [[nodiscard]] bool deals() const noexcept { return next != nullptr && next->dealt; }
  /// Neither executes nor deals: passes chunks on in order.
  [[nodiscard]] bool only_orders() const noexcept { return parts.empty() && !last && !deals(); }

  /// What an item costs here in ns, as a moving average, and its recent highest.
  std::atomic<double> per_item{0}, high{0};

  // --- serial nodes: what comes in ---
  pipe::reorder_window<chunk_ptr> inbox{window_slots};
  /// How many chunks the region upstream has sent in all; unknown while it goes on.
  std::atomic<std::int64_t> upstream_end{std::numeric_limits<std::int64_t>::max()};
  /// The farm before it, if that has threads of its own: it is alone in its region, and its end hooks run on
  /// one of these threads before this node can end.
  node* own_farm = nullptr;
  bool unordered = false;
  std::atomic<std::int64_t> arrivals{0};  ///< the numbers of an unordered region
  std::atomic<bool> finished{false};      ///< also of a farm with threads of its own
  /// Threads that bring something past the numbers (timers of a farm), and whether it is too late for that.
  std::atomic<int> outside{0};
  std::atomic<bool> closing{false};
  /// How many wait for a replica in the middle of a call: those whose turn it is in the region.
  std::atomic<int> waiters{0};
  /// Somebody executes it (a farm with threads of its own: its end hooks).
  std::atomic<bool> busy{false};
  /// What is between the upstream serial node and here, and how much may be.
  std::atomic<std::int64_t> items{0}, bytes{0};
  std::int64_t most_items = std::numeric_limits<std::int64_t>::max();

  std::int64_t displaced = 0;  ///< what the inbox had counted when its executor last looked

  // --- serial nodes: what goes out ---
  /// The number of the next chunk sent. Written by whoever executes the node.
  std::atomic<std::int64_t> sent{0};
  std::size_t turn = 0;  ///< whose turn it is, where it deals round robin

  // --- parallel nodes: chunks that no worker carries ---

  /// The first of them that a replica is free for, and that replica. Under `ready_lock`.
  chunk_ptr take_ready(std::size_t worker, int& replica, bool& fresh) {
    std::vector<int> passed_over;  // a replica gets its chunks in order
    for (auto it = ready.begin(); it != ready.end(); ++it) {
      if (std::find(passed_over.begin(), passed_over.end(), (*it)->replica) != passed_over.end()) continue;
      replica = dealt ? farm->acquire_this((*it)->replica, fresh) : farm->acquire(worker, fresh);
      if (replica == farm_slots::none) {
        if (!dealt) break;
        passed_over.push_back((*it)->replica);
        continue;
      }
      auto c = std::move(*it);
      ready.erase(it);
      ready_count.store(ready.size(), std::memory_order_release);
      return c;
    }
    return nullptr;
  }
  /// Whether take_ready would give one.
  [[nodiscard]] bool has_ready() {
    if (ready_count.load(std::memory_order_acquire) == 0) return false;
    if (!dealt) return farm->available();
    const std::lock_guard hold(ready_lock);
    return std::any_of(ready.begin(), ready.end(),
                       [&](const auto& c) { return farm->available(c->replica); });
  }

  pipe::spinlock ready_lock;
  std::deque<chunk_ptr> ready;
  std::atomic<std::size_t> ready_count{0};
};

/// One of a node's waiters, while it lives.
class waiter {
 public:
  explicit waiter(std::atomic<int>& waiters) : waiters_(waiters) { ++waiters_; }
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;
  ~waiter() { --waiters_; }

 private:
  std::atomic<int>& waiters_;
};

}  // namespace thalweg::run_detail::pooled
