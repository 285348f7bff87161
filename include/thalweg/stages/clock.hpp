#pragma once

#include <thalweg/observe/clock.hpp>

namespace THALWEG_NAMESPACE::stages {

/// The time that stages go by which depend on time, in nanoseconds of the steady clock. All of them ask here,
/// and nowhere else.
inline std::int64_t now_ns() noexcept {
  return observe::now_ns();
}

}  // namespace THALWEG_NAMESPACE::stages
