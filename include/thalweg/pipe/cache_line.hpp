#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <utility>

namespace THALWEG_NAMESPACE::pipe {

/// Bytes to keep between two variables that different threads write. It is two lines, not one, on x86 because
/// the hardware fetches lines in adjacent pairs; a fixed number, not
/// std::hardware_destructive_interference_size, because that one may change with compiler flags and would
/// then break the binary interface.
inline constexpr std::size_t cache_line = 128;

/// A value alone on its cache lines: neighbours in an array or a class do not slow each other down.
///
/// Thread guarantees are those of `T`.
///
///     std::vector<pipe::padded<std::atomic<long>>> counters(workers);
///     counters[w]->fetch_add(1, std::memory_order_relaxed);
template <class T> class alignas(cache_line) padded {
 public:
  padded() = default;
  template <class... Args>
  explicit padded(std::in_place_t, Args&&... args) : value_(std::forward<Args>(args)...) {}

  T& operator*() noexcept { return value_; }
  const T& operator*() const noexcept { return value_; }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }

 private:
  T value_{};
};

}  // namespace THALWEG_NAMESPACE::pipe
