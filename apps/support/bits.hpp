#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace apps {

/// At least 57 bits from bit `from` of `text` on, in the highest places; zeros behind the end. The first bit
/// of a byte is its highest.
inline std::uint64_t bits_from(std::string_view text, std::uint64_t from) {
  const auto at = from / 8;
  std::uint64_t word = 0;
  if (at + 8 <= text.size()) {
    std::memcpy(&word, text.data() + at, 8);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  } else {
    for (auto i = at; i < at + 8; ++i)
      word = word << 8U | (i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U);
  }
  return word << from % 8;
}

}  // namespace apps
