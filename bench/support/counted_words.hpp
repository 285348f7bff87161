#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <word_count.hpp>

/// The counts of a part as they travel: how often each word came, and the letters of all one behind the
/// other.
struct counted_words {
  struct word {
    std::uint64_t times = 0;
    std::uint64_t size = 0;  ///< in letters
  };
  std::vector<word> words;
  std::vector<char> letters;

  static counted_words of(const spb::Counts& counts) {
    counted_words made;
    counts.for_each([&](std::string_view letters, std::uint64_t times) {
      made.words.push_back({times, letters.size()});
      made.letters.insert(made.letters.end(), letters.begin(), letters.end());
    });
    return made;
  }
  [[nodiscard]] spb::Counts counts() const {
    spb::Counts made;
    const auto* at = letters.data();
    for (const auto& one : words) {
      made.add({at, one.size}, one.times);
      at += one.size;
    }
    return made;
  }
};
