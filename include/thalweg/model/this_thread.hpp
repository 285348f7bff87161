#pragma once

#include <thalweg/version.hpp>

namespace THALWEG_NAMESPACE::model {

/// What tells the calling thread from all others that there are now; never null. Cheap enough to ask for
/// each item.
[[nodiscard]] inline const void* this_thread() noexcept {
#if defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
  return __builtin_thread_pointer();
#define THALWEG_HAS_THREAD_POINTER
#endif
#endif
#ifndef THALWEG_HAS_THREAD_POINTER
  static thread_local char mine = 0;
  return &mine;
#endif
#undef THALWEG_HAS_THREAD_POINTER
}

}  // namespace THALWEG_NAMESPACE::model
