#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "apps/support/numbers.hpp"

namespace apps::word_count {

/// What a byte is in a word: letters and digits of ASCII are themselves, capitals the small letters, bytes
/// above 127 themselves, so that words in UTF-8 stay whole. 0: none of a word.
inline constexpr auto letters = [] {
  std::array<char, 256> made{};
  for (std::size_t byte = 0; byte < made.size(); ++byte) {
    const bool capital = 'A' <= byte && byte <= 'Z';
    const bool in_word =
        capital || ('a' <= byte && byte <= 'z') || ('0' <= byte && byte <= '9') || byte > 127;
    if (in_word) made[byte] = static_cast<char>(capital ? byte - 'A' + 'a' : byte);
  }
  return made;
}();

inline char letter_of(char byte) {
  return letters[static_cast<unsigned char>(byte)];
}

/// The first eight bytes of a word, or all it has, lowest first, zeros behind them. `word`: at least one
/// byte.
inline std::uint64_t head_of(std::string_view word) {
  const auto* const at = word.data();
  const auto size = word.size();
  if (size >= 8) return number_at<std::uint64_t>(at);
  // Of fewer, those at both ends are all there are: some are read twice, and laid over each other.
  if (size >= 4)
    return number_at<std::uint32_t>(at) | std::uint64_t{number_at<std::uint32_t>(at + size - 4)}
                                              << 8 * (size - 4);
  const auto byte = [at](std::size_t i) { return number_at<std::uint8_t>(at + i) << 8 * i; };
  return static_cast<std::uint64_t>(byte(0) | byte(size / 2) | byte(size - 1));
}

/// 32 well mixed bits of a word's letters: the lower ones place it in a table, the upper ones in a part.
/// `word`: at least one byte.
inline std::uint32_t hash_of(std::string_view word) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  auto mixed = head_of(word) ^ word.size() * 0xD6E8FEB86659FD93;
  for (std::size_t at = 8; at < word.size(); at += 8)
    mixed =
        std::rotl(mixed * odd, 29) ^ number_at<std::uint64_t>(word.data() + std::min(at, word.size() - 8));
  mixed = (mixed ^ mixed >> 32) * odd;
  return static_cast<std::uint32_t>(mixed >> 32);
}

/// Which of `parts` a word of this hash belongs to, 0 to parts - 1.
inline std::size_t part_of(std::uint32_t hash, std::size_t parts) {
  return (std::uint64_t{hash} * parts) >> 32;
}

}  // namespace apps::word_count
