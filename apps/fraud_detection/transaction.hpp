#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

namespace apps::fraud_detection {

/// What a transaction is like, 1 to `types`: how much was paid (low, normal, high), whether for something
/// expensive (normal, high), and how long after the one before (large, normal, small gap). 0: there was none.
using type = std::uint8_t;
inline constexpr std::size_t types = 18;

/// The names of the types: `LNL` is type 1, `HHS` type 18.
inline constexpr std::array<std::string_view, types> type_names = {"LNL", "LNN", "LNS", "LHL", "LHN", "LHS",
                                                                   "NNL", "NNN", "NNS", "NHL", "NHN", "NHS",
                                                                   "HNL", "HNN", "HNS", "HHL", "HHN", "HHS"};

/// A name of at most N characters (8 to 16), as it is in the file; zeros behind a shorter one.
template <std::size_t N> struct name {
  static_assert(N >= 8 && N <= 16);
  std::array<char, N> characters{};

  std::string_view text() const {
    return {characters.data(), characters[N - 1] ? N : std::strlen(characters.data())};
  }
  /// The first and the last 8 characters, as numbers.
  std::array<std::uint64_t, 2> words() const {
    std::array<std::uint64_t, 2> all{};
    std::memcpy(&all[0], characters.data(), 8);
    std::memcpy(&all[1], characters.data() + N - 8, 8);
    return all;
  }
  /// By words: `std::memcmp` reads more at once than was written at once, for which the processor waits.
  friend bool operator==(const name& a, const name& b) { return a.words() == b.words(); }
};

using card = name<10>;

/// An item: one use of a card. Names stay the bytes that were read, so that nothing is converted on the way.
struct transaction {
  fraud_detection::card card;
  name<12> id;
  fraud_detection::type type = 0;

  friend bool operator==(const transaction&, const transaction&) = default;
};

/// A transaction that is suspicious, and how much so: `surprise` in hundredths of a bit (see `model`).
struct alarm {
  fraud_detection::card card;
  name<12> id;
  std::uint32_t surprise = 0;

  friend bool operator==(const alarm&, const alarm&) = default;
};

/// 64 well mixed bits of a card's name.
inline std::uint64_t hash_of(const card& card) {
  const auto [front, back] = card.words();
  const auto mixed = (front ^ std::rotl(back * 0x9E3779B97F4A7C15, 32)) * 0xD6E8FEB86659FD93;
  return mixed ^ (mixed >> 32);
}

/// Which of `partitions` a card belongs to, 0 to partitions - 1: all transactions of a card go to one.
inline std::size_t partition_of(const card& card, std::size_t partitions) {
  // By the upper bits: `histories` places a card by the lower ones, and would see few of them otherwise.
  return ((hash_of(card) >> 32) * partitions) >> 32;
}

}  // namespace apps::fraud_detection

/// Keyed streams of other libraries find their partitions by it.
template <> struct std::hash<apps::fraud_detection::card> {
  std::size_t operator()(const apps::fraud_detection::card& card) const {
    return apps::fraud_detection::hash_of(card);
  }
};
