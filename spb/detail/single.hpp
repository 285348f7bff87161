#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace spb {
namespace detail {

/// What `batch` is, for applications whose items have one element or, once it has been dropped, none: small,
/// and copied as plain bytes if the element is.
template <class Element> class single {
 public:
  std::int64_t timestamp = 0;
  std::uint64_t batch_index = 0;
  std::int16_t sourceId = -1;

  std::size_t size() const { return there_ ? 1 : 0; }
  bool empty() const { return !there_; }
  explicit operator bool() const { return there_; }

  Element* begin() { return &one_; }
  Element* end() { return &one_ + size(); }
  const Element* begin() const { return &one_; }
  const Element* end() const { return &one_ + size(); }

  /// Gives the item an element, whose value is up to the caller: each copy of a few bytes that were written
  /// just before makes the processor wait.
  Element& renew() {
    there_ = true;
    return one_;
  }
  void append(Element element) {
    there_ = true;
    one_ = std::move(element);
  }
  void clear() { there_ = false; }
  template <class F> void drop_if(F unwanted) {
    if (there_ && unwanted(one_)) there_ = false;
  }

 private:
  bool there_ = false;
  Element one_{};
};

}  // namespace detail
}  // namespace spb
