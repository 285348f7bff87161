#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace spb {

/// Whether a queue gives items as they came or by their place in the stream (`batch_index`).
enum class queue_order { as_they_come, by_item };

/// A bounded queue between threads, for programs whose interface has none: any number of producers and
/// consumers, a lock, no spinning. It ends when each producer has said so, and what it holds has been taken.
/// In the order of items it gives the items 0, 1, 2, ... whatever order they come in; each of them must come
/// once. Then a producer that brings the item that is due never waits, so that a queue full of later ones
/// does not stop the stream. Where several threads share each of several stages, all queues between them have
/// to be in order: the item that is due at the last one could otherwise be held up behind later ones.
///
/// ```cpp
/// SharedQueue<int> queue(4);
/// std::jthread producer([&] {
///   for (int i = 0; i < 100; ++i) queue.enqueue(i);
///   queue.close();
/// });
/// int sum = 0;
/// for (int i = 0; queue.dequeue(i);) sum += i;
/// assert(sum == 4950);
/// ```
template <class T> class SharedQueue {
 public:
  /// `capacity`: how many items it holds; `producers`: how many will call `close`.
  /// \throws std::invalid_argument  unless each is at least 1, or for the order of items that have no place
  explicit SharedQueue(std::size_t capacity, std::size_t producers = 1,
                       queue_order order = queue_order::as_they_come)
      : capacity_(capacity), producers_(producers), order_(order) {
    if (capacity == 0 || producers == 0)
      throw std::invalid_argument("a SharedQueue needs room for an item, and a producer");
    if (order == queue_order::by_item && !has_place())
      throw std::invalid_argument("a SharedQueue can put only items in order that have a batch_index");
  }

  /// Waits while the queue is full.
  void enqueue(T item) {
    std::unique_lock<std::mutex> held(lock_);
    room_.wait(held, [&] { return items_.size() < capacity_ || is_due(item) || abandoned_; });
    if (abandoned_) return;
    if (order_ == queue_order::by_item) {
      items_.push_back(std::move(item));
      std::push_heap(items_.begin(), items_.end(), later);
      // Whoever waits in order waits for one item; which of them takes it does not matter.
      if (!is_due(items_.front())) return;
    } else {
      items_.push_back(std::move(item));
    }
    held.unlock();
    some_.notify_one();
  }

  /// Waits for an item. False at the end.
  bool dequeue(T& item) {
    std::unique_lock<std::mutex> held(lock_);
    some_.wait(held, [&] { return ready() || producers_ == 0; });
    if (items_.empty()) return false;
    if (order_ == queue_order::by_item) {
      std::pop_heap(items_.begin(), items_.end(), later);
      item = std::move(items_.back());
      items_.pop_back();
      ++due_;
      if (ready()) some_.notify_one();
      held.unlock();
      room_.notify_all();  // one of them may have the item that is due now
    } else {
      item = std::move(items_.front());
      items_.pop_front();
      held.unlock();
      room_.notify_one();
    }
    return true;
  }

  /// One of the producers has brought its last item.
  void close() {
    {
      const std::lock_guard<std::mutex> alone(lock_);
      if (producers_ > 0) --producers_;
      if (producers_ > 0) return;
    }
    some_.notify_all();
  }

  /// From now on it holds so many items; 0: any number. What it holds already stays.
  void set_capacity(std::size_t items) {
    {
      const std::lock_guard<std::mutex> alone(lock_);
      capacity_ = items == 0 ? std::numeric_limits<std::size_t>::max() : items;
    }
    room_.notify_all();
  }

  /// How many items it holds, and whether that is as many as it may.
  std::size_t size() const {
    const std::lock_guard<std::mutex> alone(lock_);
    return items_.size();
  }
  bool full() const {
    const std::lock_guard<std::mutex> alone(lock_);
    return items_.size() >= capacity_;
  }

  /// Whether nothing will come any more. Waits while it is not known: until there is an item, or the end.
  bool at_end() {
    std::unique_lock<std::mutex> held(lock_);
    some_.wait(held, [&] { return ready() || producers_ == 0; });
    if (ready()) some_.notify_one();  // for who wants the item
    return items_.empty();
  }

  /// Whether `at_end` could be answered at once, within so long a time.
  template <class Duration> bool knows_end_within(Duration patience) {
    std::unique_lock<std::mutex> held(lock_);
    return some_.wait_for(held, patience, [&] { return ready() || producers_ == 0; });
  }

  /// Nobody will take items any more: what is there goes, what still comes is dropped, and the queue ends.
  void abandon() {
    {
      const std::lock_guard<std::mutex> alone(lock_);
      abandoned_ = true;
      producers_ = 0;
      items_.clear();
    }
    some_.notify_all();
    room_.notify_all();
  }

 private:
  template <class U>
  static auto has_place_as(int) -> decltype(std::declval<U&>().batch_index, std::true_type());
  template <class U> static std::false_type has_place_as(...);
  using has_place = decltype(has_place_as<T>(0));

  static std::uint64_t place_of(const T& item) { return place_of(item, has_place()); }
  template <class U> static std::uint64_t place_of(const U& item, std::true_type) { return item.batch_index; }
  template <class U> static std::uint64_t place_of(const U&, std::false_type) { return 0; }
  static bool later(const T& a, const T& b) { return place_of(a) > place_of(b); }
  bool is_due(const T& item) const { return order_ == queue_order::by_item && place_of(item) == due_; }
  bool ready() const {
    return !items_.empty() && (order_ == queue_order::as_they_come || is_due(items_.front()));
  }

  mutable std::mutex lock_;
  std::condition_variable some_, room_;
  std::deque<T> items_;
  std::size_t capacity_;
  std::size_t producers_;
  queue_order order_;
  bool abandoned_ = false;
  std::uint64_t due_ = 0;
};

}  // namespace spb

using spb::queue_order;
using spb::SharedQueue;
