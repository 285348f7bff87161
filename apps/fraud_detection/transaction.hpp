#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if __cplusplus >= 201703L
#include <string_view>
#endif

namespace apps {  // C++14, as programs may be
namespace fraud_detection {

/// What a transaction is like: a place in `type_names`, from 1; 0: there was none.
using type = std::uint8_t;

/// A name of at most N characters (8 to 16), as it is in the file; zeros behind a shorter one.
template <std::size_t N> struct name {
  static_assert(N >= 8 && N <= 16, "its words are its first and its last 8 characters");
  std::array<char, N> characters{};

#if __cplusplus >= 201703L
  std::string_view text() const {
    return {characters.data(), characters[N - 1] ? N : std::strlen(characters.data())};
  }
#endif
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

  friend bool operator==(const transaction& a, const transaction& b) {
    return a.card == b.card && a.id == b.id && a.type == b.type;
  }
};

/// A transaction that is suspicious, and how much so: `surprise` in hundredths of a bit (see `model`).
struct alarm {
  fraud_detection::card card;
  name<12> id;
  std::uint32_t surprise = 0;

  friend bool operator==(const alarm& a, const alarm& b) {
    return a.card == b.card && a.id == b.id && a.surprise == b.surprise;
  }
};

}  // namespace fraud_detection
}  // namespace apps
