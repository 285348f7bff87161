#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "apps/support/bytes.hpp"

namespace apps::bzip2 {

/// An item to compress: a piece of the text, then what it has become.
struct block {
  std::uint64_t number = 0;  ///< its place in the stream, from 0
  bytes data;                ///< text; behind `compress` a .bz2 stream

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + data.size(); }
};

/// What stands behind an end mark and its check sum.
enum class following : std::uint8_t {
  stream,       ///< another stream, or nothing
  other_bytes,  ///< what does not begin as a stream: something behind the last one, unless the mark is false
  broken_stream,  ///< a stream begins, but has no block and no end
};

/// An item to decompress: a block of a .bz2 file, which has been made a stream by itself.
struct packed_block {
  std::uint64_t number = 0;  ///< its place among the blocks, from 0
  std::uint64_t bit = 0;     ///< where it starts in the file
  std::uint64_t bits = 0;    ///< its size there
  bytes packed;              ///< the stream
  bytes text;                ///< behind `decompress`: what was in it
  bool opens_stream = false;
  std::optional<std::uint32_t>
      stream_sum;        ///< if it is the last of its stream: the check sum of all its blocks
  bool damaged = false;  ///< behind `decompress`: libbz2 cannot read it, maybe because a false mark cut it
  following follows = following::stream;  ///< if it is the last of its stream

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + packed.size(); }
};

}  // namespace apps::bzip2
