// One producer, one consumer, one pipe: how the time of an item is measured, alike for every peer.
#pragma once

#include <thalweg/pipe/pause.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support/clock.hpp"

namespace micro {

/// A small item. Never zero, which some peers reserve.
using word = std::uint64_t;

/// An item of a cache line's size.
struct line {
  std::array<std::uint64_t, 8> words;
};

template <class Item> Item make_item(std::uint64_t number) noexcept;
template <> inline word make_item<word>(std::uint64_t number) noexcept {
  return number;
}
template <> inline line make_item<line>(std::uint64_t number) noexcept {
  line item;
  for (std::size_t i = 0; i < item.words.size(); ++i) item.words[i] = number + i;
  return item;
}

/// Looks whether items are whole and come in order, for as little time as possible.
class inspector {
 public:
  void operator()(word item) noexcept { wrong_ |= item ^ ++number_; }
  void operator()(const line& item) noexcept {
    ++number_;
    wrong_ |= (item.words.front() ^ number_) | (item.words.back() ^ (number_ + item.words.size() - 1));
  }
  bool content_with(std::uint64_t items) const noexcept { return wrong_ == 0 && number_ == items; }

 private:
  std::uint64_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

/// A pipe with a setting.
struct pipe_setting {
  std::string peer;
  std::string setting;
  bool is_default = false;
  /// Moves this many items from one thread to another and gives nanoseconds per item. Throws if they do not
  /// arrive whole and in order.
  std::function<double(std::uint64_t items)> run;
};

/// Keeps the calling thread on the `which`-th of the processors this process may use, if there are two.
void stay_on_core(int which);

/// Runs `Pipe`, which must have
///
///     explicit Pipe(std::size_t capacity);
///     void push(const Item&);                           // blocks while full
///     void finish();                                    // after the last push
///     template <class F> void drain(std::uint64_t items, F&& each);  // calls each(item) on so many items
///
/// from the moment both threads are there until the consumer has had the last item.
template <class Item, class Pipe> double transfer(std::size_t capacity, std::uint64_t items) {
  Pipe pipe(capacity);
  std::atomic<int> present{0};
  const auto meet = [&] {
    present.fetch_add(1);
    while (present.load() < 2) thalweg::pipe::cpu_pause();
  };
  inspector inspect;
  nanos end = 0;
  std::thread consumer([&] {
    stay_on_core(1);
    meet();
    pipe.drain(items, inspect);
    end = now();
  });
  nanos start = 0;
  std::thread producer([&] {
    stay_on_core(0);
    meet();
    start = now();
    for (std::uint64_t number = 1; number <= items; ++number) pipe.push(make_item<Item>(number));
    pipe.finish();
  });
  producer.join();
  consumer.join();
  if (!inspect.content_with(items)) throw std::runtime_error("the items did not arrive whole and in order");
  return static_cast<double>(end - start) / static_cast<double>(items);
}

/// The capacities that are tried of pipes that have one; the first is the default.
inline constexpr std::size_t capacities[] = {1024, 4096, 16384};

/// A setting for each capacity.
template <class Item, class Pipe>
void add_capacities(std::vector<pipe_setting>& to, const std::string& peer, const std::string& how,
                    bool is_default) {
  for (const std::size_t capacity : capacities) {
    to.push_back({peer, how + ", " + std::to_string(capacity), is_default && capacity == capacities[0],
                  [capacity](std::uint64_t items) { return transfer<Item, Pipe>(capacity, items); }});
  }
}

/// How a thread waits in a peer that leaves it to its user.
struct no_pause {
  static constexpr const char* name = "spinning";
  static void wait() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }  // has the compiler look again
};
struct with_pause {
  static constexpr const char* name = "spinning with pauses";
  static void wait() noexcept { thalweg::pipe::cpu_pause(); }
};

/// All settings of a peer, for items of this type (`word` or `line`).
template <class Item> std::vector<pipe_setting> thalweg_pipes();
template <class Item> std::vector<pipe_setting> pipeline_pipes();
template <class Item> std::vector<pipe_setting> mutex_pipes();
template <class Item> std::vector<pipe_setting> rigtorp_pipes();
template <class Item> std::vector<pipe_setting> atomic_queue_pipes();
template <class Item> std::vector<pipe_setting> moodycamel_pipes();
template <class Item> std::vector<pipe_setting> fastflow_pipes();

}  // namespace micro
