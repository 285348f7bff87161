/// The format of .bz2 files as far as it shows between blocks. A file is one stream or more. A stream is
/// `BZh` and a digit from 1 to 9 (its blocks hold so many times 100 kB), then blocks, which are not aligned
/// to bytes, then the end mark, the check sum of the stream, and zeros up to the next byte. A block starts
/// with the block mark and its own check sum. There is no official description; this follows J. Tsai, BZIP2
/// Format Specification, 2016.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "apps/support/bits.hpp"
#include "apps/support/bytes.hpp"

namespace apps::bzip2 {

inline constexpr unsigned mark_bits = 48, sum_bits = 32;
inline constexpr std::uint64_t block_mark = 0x314159265359;  // pi
inline constexpr std::uint64_t end_mark = 0x177245385090;    // its square root

/// `count` bits (up to 56) from bit `from` of `text` on, which must hold them; the first bit of a byte is its
/// highest.
inline std::uint64_t read_bits(std::string_view text, std::uint64_t from, unsigned count) {
  return bits_from(text, from) >> (64 - count);
}

/// Appends bits to bytes.
class bit_writer {
 public:
  explicit bit_writer(bytes& to) : to_(&to) {}

  /// The low `count` bits (up to 56) of `value`.
  void put(std::uint64_t value, unsigned count);
  /// The bits [from, from + count) of `text`.
  void put(std::string_view text, std::uint64_t from, std::uint64_t count);

 private:
  bytes* to_;
  unsigned used_ = 8;  // bits of the last byte
};

/// A place where the bits of a mark stand: by chance, one in 2^47 does so within a block.
struct mark {
  std::uint64_t bit;
  bool ends_stream;  ///< an end mark, not a block mark
};

/// The first mark at bit `from` or behind that lies within `text`.
std::optional<mark> find_mark(std::string_view text, std::uint64_t from);

/// The check sum of a stream's blocks so far, and that of one more.
inline std::uint32_t with_block(std::uint32_t so_far, std::uint32_t block) {
  return std::rotl(so_far, 1) ^ block;
}

/// The stream of an empty text.
bytes stream_of_nothing();

/// The stream that the bits [from, from + count) of `text`, one block of a stream of `level`, make by
/// themselves.
bytes stream_of_block(char level, std::string_view text, std::uint64_t from, std::uint64_t count);

/// The same for a block that a false mark has cut: of two streams made by `stream_of_block`, with blocks of
/// so many bits, the one that both make together.
bytes stream_of_halves(std::string_view first, std::uint64_t first_bits, std::string_view second,
                       std::uint64_t second_bits);

/// The check sum of the block in a stream made by `stream_of_block`.
std::uint32_t sum_of_block(std::string_view stream);

}  // namespace apps::bzip2
