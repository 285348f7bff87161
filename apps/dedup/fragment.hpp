#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/support/bytes.hpp"
#include "apps/support/hash.hpp"

namespace apps::dedup {

/// A small piece of the file, which is stored once however often it comes.
struct chunk {
  std::uint32_t size = 0;  ///< in bytes; it begins where the one before it ends
  digest hash{};           ///< of its bytes
  bool repeats = false;    ///< behind `deduplicate`: it is known not to be the first of its kind
  bytes packed;            ///< behind `compress`, unless it repeats
};

/// An item: a large piece of the file, and the chunks that it is cut into.
struct fragment {
  std::uint64_t number = 0;   ///< its place in the stream, from 0
  bytes data;                 ///< none any more behind `compress`
  std::vector<chunk> chunks;  ///< behind `refine`

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + data.size(); }
};

}  // namespace apps::dedup
