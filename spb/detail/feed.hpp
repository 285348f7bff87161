#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "spb/detail/schedule.hpp"

namespace spb::detail {

/// How elements become items: how many, how long an item waits for more, how often they come. May be changed
/// while the stream runs, by any thread; takes effect with the next item.
class feed {
 public:
  /// At most so many elements an item, at least 1; 0: no limit but the interval's, without one 1.
  void set_batch_size(std::uint64_t elements) { change(size_, elements); }
  /// An item is closed with the element with which it has so many bytes (`bytes_of`); 0: no limit.
  void set_batch_bytes(std::uint64_t bytes) { change(bytes_, bytes); }
  /// An item is closed so long after its first element came. \throws std::invalid_argument  if negative
  void set_batch_interval(double seconds);
  void set_frequency(const rate& pattern);
  /// Elements come as they can be had.
  void clear_frequency();
  /// What becomes of elements that are late. Before `set_frequency`.
  void set_late(when_late policy) { schedule_.set_late(policy); }
  /// How many were passed over.
  [[nodiscard]] std::uint64_t passed_over() const { return schedule_.passed_over(); }
  /// Sets all that another feed has been told.
  void set_as(const feed& other);

  /// Whether items are of one element, which comes as soon as it is asked for.
  [[nodiscard]] bool plain() const { return plain_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t most() const;
  /// As it was set.
  [[nodiscard]] std::uint64_t batch_size() const { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t most_bytes() const { return bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t interval_ns() const { return interval_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool paced() const { return paced_.load(std::memory_order_relaxed); }
  /// Elements a second that are asked for now; 0: as they can be had.
  double frequency() { return schedule_.rate_now(); }
  /// Items a second that are due now. Nothing: its elements come as they can be had, or it has not begun, or
  /// their bytes close items.
  [[nodiscard]] std::optional<double> items_due() const;

  /// The number of the source that it belongs to; 0: the common one. Before the stream.
  void set_source(std::uint16_t number) { source_ = number; }
  [[nodiscard]] std::uint16_t source() const { return source_; }

  /// What came of waiting under a frequency: how many elements are due, and since when the first is.
  struct due_elements {
    std::uint64_t count = 0;
    std::int64_t first_ns = 0;
  };
  /// Waits until an item's elements are due. None if the stream fails meanwhile.
  due_elements wait();
  /// Waits until one more element of an item is due. False if the item is to be closed without it; if the
  /// stream fails, and if no more come, for an item without elements.
  bool wait_for_next(due_elements& item);

  /// Held by who takes an item.
  std::mutex lock;

 private:
  template <class T> void change(std::atomic<T>& setting, T value) {
    setting.store(value, std::memory_order_relaxed);
    plain_.store(most() == 1 && !paced(), std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> size_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::int64_t> interval_{0};
  std::atomic<bool> paced_{false};
  std::atomic<bool> plain_{true};
  std::uint16_t source_ = 0;
  schedule schedule_;
};

/// For applications whose items have one element each. \throws apps::error  if larger batches are asked for
void require_items_of_one(const feed& by, const char* app, const char* element);

/// That of `Source::op`, which the options and the functions of `SPBench` set.
feed& common_feed();

}  // namespace spb::detail
