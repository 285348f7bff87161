#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "apps/support/bytes.hpp"
#include "apps/word_count/letters.hpp"
#include "apps/word_count/passage.hpp"

namespace apps::word_count {

/// The state of the operator that counts: how often each word has come. A hash table with open addressing
/// (linear probing, at most half full), 32 bytes a place, and the letters of all words one behind the other.
/// The first eight lie in the place, too: to find a short word is one cache line. One for each part of a
/// stream that is divided by words (`part_of`); thread-confined.
///
/// ```cpp
/// apps::word_count::counts all;
/// all.add("row", 3);
/// all.add("row", 1);
/// all.for_each([](std::string_view word, std::uint64_t times) { assert(word == "row" && times == 4); });
/// ```
class counts {
 public:
  counts() : slots_(1024) {}

  /// The operator: adds the words of a passage.
  void operator()(const passage& of) {
    // Its words lie all over the table: those that come next are fetched while one is counted.
    constexpr std::size_t ahead = 12;
    for (std::size_t i = 0; i < of.words.size(); ++i) {
      const auto& later = of.words[std::min(i + ahead, of.words.size() - 1)];
      __builtin_prefetch(&slots_[later.hash & (slots_.size() - 1)], 1);
      const auto& one = of.words[i];
      place_of(of.letters(one), one.hash).times += one.times;
    }
  }
  /// Adds one word, of at least one byte.
  void add(std::string_view word, std::uint64_t times);

  /// How many words there are, each counted once.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// How often the word has come.
  [[nodiscard]] std::uint64_t times(std::string_view word) const;
  /// Calls `f(word, times)` for each word, in no order. Words stay where they are until one is added.
  template <class F> void for_each(F f) const {
    for (const auto& one : slots_)
      if (one.size != 0) f(letters(one), one.times);
  }

 private:
  struct slot {
    std::uint64_t head = 0;   // the first eight bytes
    std::uint64_t first = 0;  // where all of them begin
    std::uint32_t size = 0;   // 0: free
    std::uint32_t hash = 0;
    std::uint64_t times = 0;
  };

  [[nodiscard]] std::string_view letters(const slot& one) const {
    return {letters_.data() + one.first, one.size};
  }
  // Where the word is, or else where it should be.
  [[nodiscard]] std::size_t find(std::string_view word, std::uint32_t hash) const {
    const auto mask = slots_.size() - 1;
    const auto head = head_of(word);
    const auto other = [&](const slot& one) {
      return one.head != head || one.size != word.size() || (word.size() > 8 && letters(one) != word);
    };
    auto at = hash & mask;
    while (slots_[at].size != 0 && other(slots_[at])) at = (at + 1) & mask;
    return at;
  }
  slot& place_of(std::string_view word, std::uint32_t hash) {
    auto& found = slots_[find(word, hash)];
    return found.size != 0 ? found : make(word, hash);
  }
  slot& make(std::string_view word, std::uint32_t hash);
  void grow();

  std::vector<slot> slots_;
  bytes letters_;
  std::size_t size_ = 0;
};

}  // namespace apps::word_count
