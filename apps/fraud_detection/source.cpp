#include "apps/fraud_detection/source.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "apps/support/error.hpp"

namespace apps::fraud_detection {
namespace {

constexpr std::size_t text_size = std::size_t{1} << 16;
constexpr std::size_t block_size = 256;
constexpr std::size_t longest_line = 10 + 1 + 12 + 1 + 3;

/// What each letter of a type adds to its number, by place; `no` for others.
constexpr type no = 64;
constexpr auto letters = [] {
  std::array<std::array<type, 256>, 3> value{};
  for (auto& place : value) place.fill(no);
  value[0]['L'] = 1;
  value[0]['N'] = 7;
  value[0]['H'] = 13;
  value[1]['N'] = 0;
  value[1]['H'] = 3;
  value[2]['L'] = 0;
  value[2]['N'] = 1;
  value[2]['S'] = 2;
  return value;
}();

type type_of(const char* text) {
  const auto value = [text](int place) {
    return static_cast<unsigned>(letters[place][static_cast<unsigned char>(text[place])]);
  };
  return static_cast<type>(value(0) + value(1) + value(2));
}

/// Whether one of 8 characters cannot be in a name: those up to `,`, and what is not ASCII.
std::uint64_t stray(const char* text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, 8);
  constexpr std::uint64_t every = 0x0101010101010101;
  return (((word - every * ('-')) & ~word) | word) & every * 0x80;
}

/// A line whose names are as long as they may be: nearly all are, and this makes no branch for any character.
bool parse_full(const char* line, transaction& item) {
  if (line[10] != ',' || line[23] != ',' || line[27] != '\n') return false;
  if ((stray(line) | stray(line + 2) | stray(line + 11) | stray(line + 15)) != 0) return false;
  std::memcpy(item.card.characters.data(), line, 10);
  std::memcpy(item.id.characters.data(), line + 11, 12);
  item.type = type_of(line + 24);
  return item.type < no;
}

template <std::size_t N> bool parse_name(std::string_view text, name<N>& into) {
  if (text.empty() || text.size() > N) return false;
  if (std::ranges::any_of(text, [](unsigned char c) { return c <= ',' || c >= 0x80; })) return false;
  into = {};
  std::ranges::copy(text, into.characters.begin());
  return true;
}

/// Any other line, without its end.
bool parse(std::string_view line, transaction& item) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto first = line.find(',');
  const auto second = line.find(',', first == line.npos ? first : first + 1);
  if (second == line.npos || line.size() != second + 4) return false;
  item.type = type_of(line.data() + second + 1);
  return item.type < no && parse_name(line.substr(0, first), item.card) &&
         parse_name(line.substr(first + 1, second - first - 1), item.id);
}

}  // namespace

source::source(const std::filesystem::path& file, extent extent, source_options options)
    : path_(file), extent_(extent), options_(options), file_(path_), text_(text_size) {
  if (extent_.time) until_look_ = 1;
  if (extent_.transactions) left_ = *extent_.transactions;
  if (options_.in_memory)
    hold_all();
  else
    block_.reserve(block_size);
}

/// Sees to it that there are transactions between `next_` and `end_`, unless the stream is at its end.
bool source::refill() {
  if (options_.in_memory) {
    const auto count = std::min<std::uint64_t>(left_, block_.size());
    left_ -= count;
    next_ = block_.data();
    end_ = next_ + count;
    return count > 0;
  }
  const bool again = extent_.time || extent_.transactions;
  while (left_ > 0) {
    block_.clear();
    left_ -= read(std::min<std::uint64_t>(left_, block_size));
    found_ = found_ || !block_.empty();
    next_ = block_.data();
    end_ = next_ + block_.size();
    if (next_ != end_) return true;
    if (text_next_ != text_end_ || read_text()) continue;
    // The end of the file.
    if (!again || !std::exchange(found_, false)) return false;
    file_ = input_file(path_);
    line_ = 0;
  }
  return false;
}

/// Reads all that this source will ever give, and how often.
void source::hold_all() {
  std::vector<std::uint64_t> lines;  // where in the file each transaction is
  while (read(1) > 0) lines.resize(block_.size(), line_);
  text_ = {};
  if (extent_.time) return;
  if (!extent_.transactions || block_.empty()) {
    left_ = block_.size();
    return;
  }
  const auto rest = *extent_.transactions % line_;
  const auto of_rest = std::ranges::upper_bound(lines, rest) - lines.begin();
  left_ = *extent_.transactions / line_ * block_.size() + static_cast<std::uint64_t>(of_rest);
}

/// Appends the transactions of the next lines to the block, those of other parts left out. Returns how many
/// lines there were: fewer at the end of the file.
std::size_t source::read(std::size_t lines) {
  std::size_t count = 0;
  transaction item;
  for (; count < lines; ++count) {
    if (text_end_ - text_next_ < longest_line + 2) read_text();
    if (text_next_ == text_end_) break;
    const auto* text = text_.data() + text_next_;
    const auto size = text_end_ - text_next_;
    ++line_;
    if (size > longest_line && parse_full(text, item)) {
      text_next_ += longest_line + 1;
    } else {
      const std::string_view rest(text, std::min(size, longest_line + 2));
      const auto line = rest.substr(0, rest.find('\n'));
      if (!parse(line, item))
        throw error(
            path_.string() + ":" + std::to_string(line_) +
            ": not card,transaction,type (names of at most 10 and 12 characters, a type such as HNS)");
      text_next_ += std::min(size, line.size() + 1);
    }
    if (mine(item)) block_.push_back(item);
  }
  return count;
}

/// Reads more of the file behind the text in hand. False at the end of the file.
bool source::read_text() {
  std::memmove(text_.data(), text_.data() + text_next_, text_end_ - text_next_);
  text_end_ -= text_next_;
  text_next_ = 0;
  const auto count = file_.read(text_.data() + text_end_, text_size - text_end_);
  text_end_ += count;
  return count > 0;
}

/// Whether the time is over. The clock is read with every transaction if they come slowly, and with one in 64
/// if they come fast, as reading it takes as long as reading a transaction.
bool source::over() {
  const auto now = clock::now();
  if (!deadline_) deadline_ = now + *extent_.time;
  const bool fast = now - looked_ < std::chrono::microseconds(100);
  stride_ = fast ? std::min<std::uint64_t>(2 * stride_, 64) : 1;
  looked_ = now;
  const bool over = now >= *deadline_;
  until_look_ = over ? 1 : stride_;
  return over;
}

}  // namespace apps::fraud_detection
