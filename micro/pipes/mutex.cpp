#include <condition_variable>
#include <deque>
#include <mutex>

#include "transfer.hpp"

namespace micro {
namespace {

/// What one writes without thinking about it: a lock for each item.
template <class Item> class locked_queue {
 public:
  explicit locked_queue(std::size_t capacity) : capacity_(capacity) {}

  void push(const Item& item) {
    std::unique_lock hold(lock_);
    room_.wait(hold, [&] { return items_.size() < capacity_; });
    items_.push_back(item);
    hold.unlock();
    some_.notify_one();
  }
  void finish() {}
  template <class F> void drain(std::uint64_t items, F&& each) {
    for (; items != 0; --items) {
      std::unique_lock hold(lock_);
      some_.wait(hold, [&] { return !items_.empty(); });
      const Item item = items_.front();
      items_.pop_front();
      hold.unlock();
      room_.notify_one();
      each(item);
    }
  }

 protected:
  const std::size_t capacity_;
  std::mutex lock_;
  std::condition_variable room_, some_;
  std::deque<Item> items_;
};

/// With thought: the consumer takes all at once, and both signal only when the other can be waiting.
template <class Item> class swapped_queue : public locked_queue<Item> {
 public:
  using locked_queue<Item>::locked_queue;

  void push(const Item& item) {
    std::unique_lock hold(this->lock_);
    this->room_.wait(hold, [&] { return this->items_.size() < this->capacity_; });
    this->items_.push_back(item);
    const bool first = this->items_.size() == 1;
    hold.unlock();
    if (first) this->some_.notify_one();
  }
  template <class F> void drain(std::uint64_t items, F&& each) {
    std::deque<Item> taken;
    while (items != 0) {
      {
        std::unique_lock hold(this->lock_);
        this->some_.wait(hold, [&] { return !this->items_.empty(); });
        taken.swap(this->items_);
      }
      if (taken.size() == this->capacity_) this->room_.notify_one();
      for (const Item& item : taken) each(item);
      items -= taken.size();
      taken.clear();
    }
  }
};

}  // namespace

template <class Item> std::vector<pipe_setting> mutex_pipes() {
  std::vector<pipe_setting> all;
  add_capacities<Item, locked_queue<Item>>(all, "mutex", "one by one", true);
  add_capacities<Item, swapped_queue<Item>>(all, "mutex", "all at once", false);
  return all;
}

template std::vector<pipe_setting> mutex_pipes<word>();
template std::vector<pipe_setting> mutex_pipes<line>();

}  // namespace micro
