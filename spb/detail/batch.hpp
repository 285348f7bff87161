#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace spb::detail {

/// What is common to the `Item`s of all applications: a micro-batch of elements. One element lies in the
/// batch itself, so that a stream without batching allocates nothing for its items. Copied as a whole;
/// thread-confined.
template <class Element> class batch {
 public:
  std::int64_t timestamp = 0;     ///< when its first element came (was due, under a frequency), in
                                  ///< nanoseconds of the steady clock; 0 if nobody wants to know
  std::uint64_t batch_index = 0;  ///< its place in the stream, from 0
  std::uint16_t source = 0;       ///< which source object it comes from, from 1; 0: `Source::op`

  [[nodiscard]] std::size_t size() const { return many_.empty() ? one_there_ : many_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// Whether there is anything left of it, which matters where operators filter.
  explicit operator bool() const { return !empty(); }

  Element* begin() { return many_.empty() ? &one_ : many_.data(); }
  Element* end() { return begin() + size(); }
  const Element* begin() const { return many_.empty() ? &one_ : many_.data(); }
  const Element* end() const { return begin() + size(); }

  void append(Element element) {
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
    std::erase_if(many_, unwanted);
  }

 private:
  bool one_there_ = false;
  Element one_{};
  std::vector<Element> many_;  // empty, or all elements
};

}  // namespace spb::detail
