// Its `mpush`, which hands over sixteen pointers at a time, is left out: it is marked experimental, and loses
// items.
#include <memory>
#include <type_traits>

#include <ff/buffer.hpp>
#include <ff/ubuffer.hpp>

#include "transfer.hpp"

namespace micro {
namespace {

/// FastFlow's pipes carry pointers. A small item travels in the pointer itself; a big one lies in a ring of
/// places that is so much longer than the pipe that a place is free again before its turn comes.
template <class Item> class carrier {
 public:
  explicit carrier(std::size_t capacity)
      : places_(std::is_same_v<Item, word> ? 0 : 4 * capacity), mask_(4 * capacity - 1) {}

  void* pack(const Item& item) {
    if constexpr (std::is_same_v<Item, word>) {
      return reinterpret_cast<void*>(item);
    } else {
      Item& place = places_[next_++ & mask_];
      place = item;
      return &place;
    }
  }
  template <class F> static void unpack(void* packed, F&& each) {
    if constexpr (std::is_same_v<Item, word>) {
      each(reinterpret_cast<word>(packed));
    } else {
      each(*static_cast<const Item*>(packed));
    }
  }

 private:
  std::vector<Item> places_;
  const std::size_t mask_;
  std::size_t next_ = 0;
};

template <class Item, class Waiting> class bounded_buffer {
 public:
  explicit bounded_buffer(std::size_t capacity) : items_(capacity), buffer_(capacity) {
    if (!buffer_.init()) throw std::runtime_error("FastFlow has no memory for its buffer");
  }
  void push(const Item& item) {
    void* const packed = items_.pack(item);
    while (!buffer_.push(packed)) Waiting::wait();
  }
  void finish() {}
  template <class F> void drain(std::uint64_t items, F&& each) {
    void* packed = nullptr;
    for (; items != 0; --items) {
      while (!buffer_.pop(&packed)) Waiting::wait();
      carrier<Item>::unpack(packed, each);
    }
  }

 private:
  carrier<Item> items_;
  ff::SWSR_Ptr_Buffer buffer_;
};

/// Without a bound it grows by buffers of the capacity. Only for items that travel in the pointer: the others
/// would need places without a bound, too.
template <class Waiting> class unbounded_buffer {
 public:
  explicit unbounded_buffer(std::size_t capacity) : buffer_(capacity) {
    if (!buffer_.init()) throw std::runtime_error("FastFlow has no memory for its buffer");
  }
  void push(word item) { buffer_.push(reinterpret_cast<void*>(item)); }
  void finish() {}
  template <class F> void drain(std::uint64_t items, F&& each) {
    void* packed = nullptr;
    for (; items != 0; --items) {
      while (!buffer_.pop(&packed)) Waiting::wait();
      each(reinterpret_cast<word>(packed));
    }
  }

 private:
  ff::uSWSR_Ptr_Buffer buffer_;
};

}  // namespace

template <class Item> std::vector<pipe_setting> fastflow_pipes() {
  std::vector<pipe_setting> all;
  add_capacities<Item, bounded_buffer<Item, no_pause>>(all, "fastflow", no_pause::name, true);
  add_capacities<Item, bounded_buffer<Item, with_pause>>(all, "fastflow", with_pause::name, false);
  if constexpr (std::is_same_v<Item, word>) {
    add_capacities<Item, unbounded_buffer<no_pause>>(all, "fastflow", "unbounded, spinning", false);
  }
  return all;
}

template std::vector<pipe_setting> fastflow_pipes<word>();
template std::vector<pipe_setting> fastflow_pipes<line>();

}  // namespace micro
