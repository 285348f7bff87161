#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/support/random.hpp"

namespace apps {

/// Text in the manner of a dump of an encyclopedia: XML pages of wiki markup in a language that does not
/// exist. Words follow Zipf's law and a Markov chain, pages return to words of their own, and dates, numbers,
/// links and check sums lie between, so that it compresses about as well as real text does. The same seed
/// gives the same pages on every machine.
///
/// ```cpp
/// apps::encyclopedia pages(1);
/// std::string text(apps::encyclopedia::head);
/// while (text.size() < 1'000'000) pages.append_page(text);
/// text += apps::encyclopedia::tail;
/// ```
class encyclopedia {
 public:
  /// What comes before the first page, and behind the last one.
  static const std::string_view head, tail;

  explicit encyclopedia(std::uint64_t seed);

  /// Appends the next page: 0.5 to 40 kB, 6 kB in the mean.
  void append_page(std::string& to);

 private:
  using word = std::uint16_t;
  static constexpr std::size_t words = 32768;
  static constexpr std::size_t successors = 4;

  // Walker's alias method: a column is drawn, then one of the two words that share it.
  struct column {
    std::uint32_t share;  // of the column's own word, of 2^32
    word other;
  };

  void invent_words();
  std::string invent_word(std::size_t rank);
  void weigh_words();
  void chain_words();

  word draw(std::uint64_t random_bits) const;
  word next_word();
  std::string_view text_of(word w) const {
    return {letters_.data() + starts_[w], starts_[w + 1] - starts_[w]};
  }

  void append_capitalised(std::string& to, word w) const;
  void append_name(std::string& to);
  void append_date(std::string& to);
  void append_link(std::string& to);
  void append_reference(std::string& to);
  void append_sentence(std::string& to);
  void append_paragraph(std::string& to);
  void append_list(std::string& to);
  void append_table(std::string& to);
  void append_infobox(std::string& to);
  void append_article(std::string& to);
  void append_digits(std::string& to, std::uint64_t number, unsigned at_least = 1);

  random dice_;
  std::string letters_;                // of all words, one behind the other
  std::vector<std::uint32_t> starts_;  // of each word in `letters_`, and the end
  std::vector<column> columns_;
  std::vector<std::array<word, successors>> chain_;  // what likes to follow each word
  std::array<word, 24> topic_{};                     // the words that this page returns to
  std::string title_;
  std::string article_;
  word last_ = 0;
  std::uint64_t page_ = 0;
  std::uint64_t revision_ = 700'000'000;
};

}  // namespace apps
