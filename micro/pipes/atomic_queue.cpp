#include <memory>
#include <type_traits>

#include <atomic_queue/atomic_queue.h>

#include "transfer.hpp"

namespace micro {
namespace {

/// Its "optimist" use: push and pop that claim a place first and wait for it then. Compiled for one producer
/// and one consumer, in the variant for small atomic items where the item is one.
template <class Item, bool Total> class optimist_queue {
 public:
  explicit optimist_queue(std::size_t capacity) : queue_(static_cast<unsigned>(capacity)) {}
  void push(const Item& item) { queue_.push(item); }
  void finish() {}
  template <class F> void drain(std::uint64_t items, F&& each) {
    for (; items != 0; --items) each(queue_.pop());
  }

 private:
  template <class I> struct choice {
    using type = atomic_queue::AtomicQueueB2<I, std::allocator<I>, true, Total, true>;
  };
  template <class I>
    requires std::is_integral_v<I>
  struct choice<I> {
    using type = atomic_queue::AtomicQueueB<I, std::allocator<I>, I{}, true, Total, true>;
  };

  typename choice<Item>::type queue_;
};

}  // namespace

template <class Item> std::vector<pipe_setting> atomic_queue_pipes() {
  std::vector<pipe_setting> all;
  add_capacities<Item, optimist_queue<Item, false>>(all, "atomic_queue", "optimist", true);
  add_capacities<Item, optimist_queue<Item, true>>(all, "atomic_queue", "optimist, total order", false);
  return all;
}

template std::vector<pipe_setting> atomic_queue_pipes<word>();
template std::vector<pipe_setting> atomic_queue_pipes<line>();

}  // namespace micro
