#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/measurement.hpp"
#include "spb/detail/recorder.hpp"
#include "spb/shared_queue.hpp"

namespace spb {

/// A source as an object, of which a program may have several: each has a thread that takes items from the
/// input, a bounded queue of them, and batches and a frequency of its own. Together the sources of a program
/// give every element of the input once; `batch_index` tells the order of their items. Where order matters,
/// a `SharedQueue` in the order of items restores it.
///
/// ```cpp
/// spb::Source slow(1, 0, 8, 100), fast(10);
/// slow.init();
/// fast.init();
/// for (spb::Item item; slow.getItem(item);) ...
/// ```
///
/// `init`, and what is set before it, is for one thread; `getItem` and the setters are for any.
template <class Self, class Item> class SourceObject {
 public:
  /// Batches and a frequency as the options of the run ask for them, by itself. Behind `init_bench`.
  SourceObject() { feed_.set_as(detail::common_feed()); }
  /// Elements of an item (0: as many as come within the interval), seconds until an item is closed (0: when
  /// it is full), items that the queue holds, elements a second (0: as they can be had). What is wrong with a
  /// value ends the process, here and below.
  explicit SourceObject(int batch, double interval = 0, int queue = 64, double frequency = 0) {
    setBatchSize(batch);
    setBatchInterval(interval);
    setQueueMaxSize(queue);
    if (frequency != 0) setFrequency(frequency);
  }
  SourceObject(const SourceObject&) = delete;
  SourceObject& operator=(const SourceObject&) = delete;
  ~SourceObject() {
    if (queue_) queue_->abandon();
  }

  void setBatchSize(int elements) {
    detail::or_end([&] {
      if (elements < 0) throw std::invalid_argument("a batch cannot have fewer than 0 elements");
      feed_.set_batch_size(static_cast<std::size_t>(elements));
    });
  }
  void setBatchBytes(long bytes) {
    detail::or_end([&] {
      if (bytes < 0) throw std::invalid_argument("a batch cannot have fewer than 0 bytes");
      feed_.set_batch_bytes(static_cast<std::uint64_t>(bytes));
    });
  }
  void setBatchInterval(double seconds) {
    detail::or_end([&] { feed_.set_batch_interval(seconds); });
  }
  void setFrequency(double elements_per_second) {
    detail::or_end([&] { feed_.set_frequency(detail::make_constant(elements_per_second)); });
  }
  /// Before `init`.
  void setQueueMaxSize(int items) {
    detail::or_end([&] {
      if (items < 1) throw std::invalid_argument("the queue of a source must hold an item or more");
      if (queue_) throw std::logic_error("the queue of a source cannot change while it runs");
    });
    capacity_ = static_cast<std::size_t>(items);
  }

  /// Starts the thread. Once, behind `init_bench`.
  void init() {
    detail::or_end([&] {
      if (queue_) throw std::logic_error("a source was told to start twice");
    });
    queue_.emplace(capacity_);
    feed_.set_source(detail::next_source());
    thread_ = std::jthread([this] {
      detail::mine().is_of_source(feed_.source());
      for (Item item; Self::take(feed_, item);) queue_->enqueue(std::move(item));
      queue_->close();
    });
  }

  /// Waits for the next item; false at the end.
  bool getItem(Item& item) { return queue_ && queue_->dequeue(item); }
  /// Likewise; an empty item at the end.
  Item getItem() {
    Item item;
    if (!getItem(item)) item.clear();
    return item;
  }
  /// Whether all items have been got. Waits until that is known: for an item, or for the end.
  bool depleted() { return queue_ && queue_->at_end(); }

 private:
  detail::feed feed_;
  std::size_t capacity_ = 64;
  std::optional<SharedQueue<Item>> queue_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace spb
