#pragma once

#include <cstddef>
#include <cstdint>
#if __cplusplus >= 201703L
#include <string_view>
#endif
#include <vector>

#include "apps/support/bytes.hpp"

namespace apps {  // C++14, as programs may be
namespace word_count {

/// A word of a passage.
struct word {
  std::uint32_t first = 0;  ///< where it begins in the text, in bytes
  std::uint32_t size = 0;   ///< in bytes, at least 1
  std::uint32_t hash = 0;   ///< of its letters, see `hash_of`
  std::uint32_t times = 1;  ///< how often it came: more than once behind `combine`
};

/// A piece of the text that ends where a word ends, and behind `split` its words.
struct passage {
  std::uint64_t number = 0;  ///< its place in the stream, from 0
  bytes text;                ///< as it was read; behind `split` with small letters
  std::vector<word> words;   ///< in the order of the text

  /// Its bytes, with what the source has put into it.
  std::size_t size_of() const { return sizeof *this + text.size(); }

#if __cplusplus >= 201703L
  /// The letters of one of its words.
  std::string_view letters(const word& one) const { return {text.data() + one.first, one.size}; }
#endif
};

}  // namespace word_count
}  // namespace apps
