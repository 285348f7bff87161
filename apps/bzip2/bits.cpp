#include "apps/bzip2/bits.hpp"

#include <algorithm>
#include <array>

namespace apps::bzip2 {

namespace {

constexpr unsigned header_bits = 32;
constexpr unsigned step = 32;  // bits between the windows that are looked at
constexpr unsigned window_bits = 16;

constexpr unsigned window(std::uint64_t mark, unsigned offset) {
  return static_cast<unsigned>(mark >> (mark_bits - window_bits - offset)) & 0xFFFFU;
}

// Which 16 bits occur in a mark, at offsets 0 to 31: a mark at any bit of a file has one of them where a
// multiple of 32 bits lies. So one look at each fourth byte finds all marks, and 1 look in 1000 is in vain.
class window_set {
 public:
  constexpr window_set() {
    for (const auto mark : {block_mark, end_mark}) {
      for (unsigned offset = 0; offset < step; ++offset) {
        const auto w = window(mark, offset);
        words_[w / 64] |= std::uint64_t{1} << w % 64;
      }
    }
  }
  [[nodiscard]] constexpr bool has(unsigned w) const { return (words_[w / 64] >> w % 64 & 1U) != 0; }

 private:
  std::array<std::uint64_t, 1024> words_{};
};

constexpr window_set windows;

unsigned window_at(std::string_view text, std::uint64_t byte) {
  return static_cast<unsigned>(static_cast<unsigned char>(text[byte])) << 8U |
         static_cast<unsigned char>(text[byte + 1]);
}

void finish(bit_writer& to, std::uint32_t sum) {
  to.put(end_mark, mark_bits);
  to.put(sum, sum_bits);
}

}  // namespace

void bit_writer::put(std::uint64_t value, unsigned count) {
  while (count > 0) {
    if (used_ == 8) {
      to_->push_back(0);
      used_ = 0;
    }
    const auto now = std::min(count, 8 - used_);
    count -= now;
    used_ += now;
    const auto bits = value >> count & ((1U << now) - 1);
    to_->back() = static_cast<char>(static_cast<unsigned char>(to_->back()) | bits << (8 - used_));
  }
}

void bit_writer::put(std::string_view text, std::uint64_t from, std::uint64_t count) {
  if (used_ == 8) {
    // Whole bytes at once, seven a time: as many as eight bytes hold wherever they start.
    const auto whole = count / 8;
    const auto old = to_->size();
    to_->resize(old + whole + 8);
    for (std::uint64_t i = 0; i < whole; i += 7) {
      auto word = read_bits(text, from + 8 * i, 56) << 8U;
      if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
      std::memcpy(to_->data() + old + i, &word, 8);
    }
    to_->resize(old + whole);
    from += 8 * whole;
    count -= 8 * whole;
  }
  for (; count > 0; count -= std::min<std::uint64_t>(count, 32), from += 32) {
    const auto now = static_cast<unsigned>(std::min<std::uint64_t>(count, 32));
    put(read_bits(text, from, now), now);
  }
}

std::optional<mark> find_mark(std::string_view text, std::uint64_t from) {
  const std::uint64_t end = 8 * std::uint64_t{text.size()};
  for (std::uint64_t at = (from + step - 1) / step * step; at + window_bits <= end; at += step) {
    const auto seen = window_at(text, at / 8);
    if (!windows.has(seen)) continue;
    for (unsigned offset = step; offset-- > 0;) {
      if (at < from + offset || at - offset + mark_bits > end) continue;
      if (seen != window(block_mark, offset) && seen != window(end_mark, offset)) continue;
      const auto bits = read_bits(text, at - offset, mark_bits);
      if (bits == block_mark || bits == end_mark) return mark{at - offset, bits == end_mark};
    }
  }
  return std::nullopt;
}

bytes stream_of_nothing() {
  bytes stream{'B', 'Z', 'h', '9'};
  bit_writer to(stream);
  finish(to, 0);
  return stream;
}

bytes stream_of_block(char level, std::string_view text, std::uint64_t from, std::uint64_t count) {
  bytes stream;
  stream.reserve((header_bits + count + mark_bits + sum_bits) / 8 + 16);
  stream.assign({'B', 'Z', 'h', level});
  bit_writer to(stream);
  to.put(text, from, count);
  finish(to, static_cast<std::uint32_t>(read_bits(text, from + mark_bits, sum_bits)));
  return stream;
}

bytes stream_of_halves(std::string_view first, std::uint64_t first_bits, std::string_view second,
                       std::uint64_t second_bits) {
  bytes stream(first.begin(), first.begin() + header_bits / 8);
  bit_writer to(stream);
  to.put(first, header_bits, first_bits);
  to.put(second, header_bits, second_bits);
  finish(to, sum_of_block(first));
  return stream;
}

std::uint32_t sum_of_block(std::string_view stream) {
  return static_cast<std::uint32_t>(read_bits(stream, header_bits + mark_bits, sum_bits));
}

}  // namespace apps::bzip2
