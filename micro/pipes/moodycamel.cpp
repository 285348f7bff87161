#include <readerwriterqueue/readerwriterqueue.h>

#include "transfer.hpp"

namespace micro {
namespace {

template <class Item, class Waiting> class moodycamel_queue {
 public:
  explicit moodycamel_queue(std::size_t capacity) : queue_(capacity) {}
  void push(const Item& item) {
    while (!queue_.try_enqueue(item)) Waiting::wait();
  }
  void finish() {}
  template <class F> void drain(std::uint64_t items, F&& each) {
    Item item{};
    for (; items != 0; --items) {
      while (!queue_.try_dequeue(item)) Waiting::wait();
      each(item);
    }
  }

 private:
  moodycamel::ReaderWriterQueue<Item> queue_;
};

}  // namespace

template <class Item> std::vector<pipe_setting> moodycamel_pipes() {
  std::vector<pipe_setting> all;
  add_capacities<Item, moodycamel_queue<Item, no_pause>>(all, "readerwriterqueue", no_pause::name, true);
  add_capacities<Item, moodycamel_queue<Item, with_pause>>(all, "readerwriterqueue", with_pause::name, false);
  return all;
}

template std::vector<pipe_setting> moodycamel_pipes<word>();
template std::vector<pipe_setting> moodycamel_pipes<line>();

}  // namespace micro
