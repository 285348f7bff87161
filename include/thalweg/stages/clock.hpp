#pragma once

#include <thalweg/observe/clock.hpp>

namespace THALWEG_NAMESPACE::stages {

/// The time for all stages that depend on time, in nanoseconds of the steady clock. They read no other clock.
inline std::int64_t now_ns() noexcept {
  return observe::now_ns();
}

}  // namespace THALWEG_NAMESPACE::stages
