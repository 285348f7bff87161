#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <random>

namespace THALWEG_NAMESPACE::net {

/// A number that no other process has, nor another call.
inline std::uint64_t random_number() {
  std::random_device dice;
  return (std::uint64_t{dice()} << 32U) | dice();
}

}  // namespace THALWEG_NAMESPACE::net
