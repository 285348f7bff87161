#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace apps::hash_search {

/// A SHA-256 hash.
using digest = std::array<unsigned char, 32>;

/// A hash, and behind the search the number it is of.
struct wanted {
  std::uint32_t place = 0;  ///< in the list, from 1
  digest hash{};
  std::optional<std::uint32_t> number;  ///< none, too, if there is none in the range
};

}  // namespace apps::hash_search
