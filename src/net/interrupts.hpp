#pragma once

#include <thalweg/version.hpp>

namespace THALWEG_NAMESPACE::net {

/// What a stop callback calls, so that one that waits does not go on waiting.
template <class T> struct interrupts {
  T* which;
  void operator()() const noexcept { which->interrupt(); }
};
template <class T> interrupts(T*) -> interrupts<T>;

}  // namespace THALWEG_NAMESPACE::net
