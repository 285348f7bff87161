#pragma once

#include <thalweg/pipe/sanitizer.hpp>
#include <thalweg/version.hpp>

#include <atomic>

namespace THALWEG_NAMESPACE::pipe {

/// Reads what another thread may change, without order: for loops in which a look per item must cost next to
/// nothing. Compilers take every atomic load, a relaxed one too, for something that may change all memory,
/// and keep nothing in registers across it; a volatile one they do not (GCC 12: 4 % of a chain of eight
/// maps).
template <class T> T glance(const std::atomic<T>& at) noexcept {
  static_assert(std::atomic<T>::is_always_lock_free && sizeof(T) == sizeof(at));
#if THALWEG_THREAD_SANITIZER
  return at.load(std::memory_order_relaxed);
#else
  return *reinterpret_cast<const volatile T*>(&at);
#endif
}

}  // namespace THALWEG_NAMESPACE::pipe
