// As all headers that programs for SPBench include: C++14.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace spb {
namespace detail {

/// Elements in a row. One alone lies in here itself, so that it allocates nothing.
template <class Element> class row {
 public:
  std::size_t size() const { return many_.empty() ? one_there_ : many_.size(); }
  bool empty() const { return size() == 0; }

  Element* begin() { return many_.empty() ? &one_ : many_.data(); }
  Element* end() { return begin() + size(); }
  const Element* begin() const { return many_.empty() ? &one_ : many_.data(); }
  const Element* end() const { return begin() + size(); }
  Element& operator[](std::size_t i) { return begin()[i]; }
  const Element& operator[](std::size_t i) const { return begin()[i]; }

  void push_back(Element element) {
    if (empty()) {
      one_ = std::move(element);
      one_there_ = true;
      return;
    }
    if (many_.empty()) many_.push_back(std::move(one_));
    many_.push_back(std::move(element));
  }
  void clear() {
    many_.clear();
    one_there_ = false;
  }
  /// Drops the elements for which `unwanted(element)` is true.
  template <class F> void drop_if(F unwanted) {
    if (many_.empty()) {
      if (one_there_ && unwanted(one_)) one_there_ = false;
      return;
    }
    one_there_ = false;
    many_.erase(std::remove_if(many_.begin(), many_.end(), unwanted), many_.end());
  }

 private:
  bool one_there_ = false;
  Element one_{};
  std::vector<Element> many_;  // empty, or all elements
};

/// What is common to the `Item`s of all applications: a micro-batch of elements. A stream without batching
/// allocates nothing for its items. Copied as a whole; thread-confined.
template <class Element> class batch {
 public:
  std::int64_t timestamp = 0;     ///< when its first element came (was due, under a frequency), in
                                  ///< nanoseconds of the steady clock; 0 if nobody wants to know
  std::uint64_t batch_index = 0;  ///< its place among all items of the run, from 0
  std::int16_t sourceId = -1;     ///< which source object it comes from, from 0; -1: `Source::op`
  int batch_size = 0;             ///< how many elements its source has put into it
  row<Element> item_batch;        ///< those that it has now

  std::size_t size() const { return item_batch.size(); }
  bool empty() const { return item_batch.empty(); }
  /// Whether there is anything left of it, which matters where operators filter.
  explicit operator bool() const { return !empty(); }

  Element* begin() { return item_batch.begin(); }
  Element* end() { return item_batch.end(); }
  const Element* begin() const { return item_batch.begin(); }
  const Element* end() const { return item_batch.end(); }

  void append(Element element) { item_batch.push_back(std::move(element)); }
  void clear() { item_batch.clear(); }
  template <class F> void drop_if(F unwanted) { item_batch.drop_if(unwanted); }
};

/// The same for the applications that SPBench has, too, whose items tell what time they took.
template <class Element> class timed_batch : public batch<Element> {
 public:
  /// With `-latency`: the microseconds that each operator worked on it, from the source on.
  std::vector<double> latency_op;
};

}  // namespace detail
}  // namespace spb
