#pragma once

#include <cstdint>

namespace apps::app_name {

/// An item: so many numbers, and what is found among them.
struct interval {
  static constexpr std::uint32_t size = 1000;

  std::uint64_t number = 0;   ///< its place in the stream, from 0
  std::uint64_t first = 1;    ///< its first number
  std::uint64_t longest = 0;  ///< the number with the longest sequence; 0: not known yet
  std::uint32_t steps = 0;    ///< of that sequence
};

}  // namespace apps::app_name
