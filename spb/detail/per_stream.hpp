#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "apps/support/error.hpp"
#include "spb/detail/feed.hpp"

namespace spb::detail {

inline constexpr std::size_t most_streams = 1'024;

/// What each stream of a run has for itself. The first belongs to `Source::op` and to the first source
/// object, each other one to a further source object. Streams are added by one thread at a time, and looked
/// up by any.
template <class T> class per_stream {
 public:
  per_stream() = default;
  per_stream(const per_stream&) = delete;
  per_stream& operator=(const per_stream&) = delete;
  ~per_stream() { clear(); }

  /// \throws error  if there are too many
  template <class... Arguments> T& add(Arguments&&... of) {
    const auto at = count_.load(std::memory_order_relaxed);
    if (at == most_streams)
      throw apps::error("a run has at most " + std::to_string(most_streams) + " sources that are objects");
    auto made = std::make_unique<T>(std::forward<Arguments>(of)...);
    all_[at].store(made.get(), std::memory_order_relaxed);
    count_.store(at + 1, std::memory_order_release);
    return *made.release();
  }

  /// \throws error  if `init_bench` has not been called
  [[nodiscard]] T& at(std::size_t stream) { return *all_[known(stream)].load(std::memory_order_relaxed); }
  /// The place of the stream that an item is of; that of the first, if there is no such stream.
  template <class Item> [[nodiscard]] std::size_t place_of(const Item& item) const {
    return known(item.sourceId < 0 ? 0U : static_cast<std::size_t>(item.sourceId));
  }
  [[nodiscard]] T& of(const feed& by) { return at(by.source() == 0 ? 0U : by.source() - 1U); }
  template <class Item> [[nodiscard]] T& of(const Item& item) {
    return *all_[place_of(item)].load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  template <class F> void for_each(F f) {
    for (std::size_t i = 0; i < count_.load(std::memory_order_acquire); ++i) f(at(i));
  }
  /// No thread may use any of them.
  void clear() {
    for (auto left = count_.exchange(0); left > 0; --left)
      const std::unique_ptr<T> gone(all_[left - 1].exchange(nullptr));
  }

 private:
  [[nodiscard]] std::size_t known(std::size_t stream) const {
    const auto count = count_.load(std::memory_order_acquire);
    if (count == 0) throw apps::error("init_bench has not been called");
    return stream < count ? stream : 0;
  }

  std::array<std::atomic<T*>, most_streams> all_{};
  std::atomic<std::size_t> count_{0};
};

}  // namespace spb::detail
