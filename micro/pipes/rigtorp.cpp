#include <rigtorp/SPSCQueue.h>

#include "transfer.hpp"

namespace micro {
namespace {

template <class Item, class Waiting> class rigtorp_queue {
 public:
  explicit rigtorp_queue(std::size_t capacity) : queue_(capacity) {}
  void push(const Item& item) {
    while (!queue_.try_push(item)) Waiting::wait();
  }
  void finish() {}
  template <class F> void drain(std::uint64_t items, F&& each) {
    for (; items != 0; --items) {
      const Item* front = queue_.front();
      while (front == nullptr) {
        Waiting::wait();
        front = queue_.front();
      }
      each(*front);
      queue_.pop();
    }
  }

 private:
  rigtorp::SPSCQueue<Item> queue_;
};

}  // namespace

template <class Item> std::vector<pipe_setting> rigtorp_pipes() {
  std::vector<pipe_setting> all;
  add_capacities<Item, rigtorp_queue<Item, no_pause>>(all, "rigtorp", no_pause::name, true);
  add_capacities<Item, rigtorp_queue<Item, with_pause>>(all, "rigtorp", with_pause::name, false);
  return all;
}

template std::vector<pipe_setting> rigtorp_pipes<word>();
template std::vector<pipe_setting> rigtorp_pipes<line>();

}  // namespace micro
