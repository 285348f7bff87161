/// Compression by bzip2, block by block, and back. One thread does it so:
///
/// ```cpp
/// namespace bz = apps::bzip2;
/// bz::source source("text.xml");
/// bz::compress compress;
/// bz::sink sink("text.xml.bz2");
/// while (auto block = source()) sink(compress(std::move(*block)));
/// sink.close();
/// ```
///
/// and likewise `source_d`, `decompress` and `sink_d`. Blocks are independent of each other; the sinks need
/// them in order. Errors are `apps::error`s that name the file; what they leave behind is no output.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string_view>

#include "apps/bzip2/bits.hpp"
#include "apps/bzip2/block.hpp"
#include "apps/bzip2/workspace.hpp"
#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"
#include "apps/support/input_held.hpp"

namespace apps::bzip2 {

/// Bytes of text in a block. bzip2's own blocks of 900 kB hold as many: one byte more would make a second
/// block.
inline constexpr std::size_t block_size = 900'000 - 19;

using apps::input_held;

/// Cuts a file into blocks. An empty one has none.
class source {
 public:
  explicit source(std::filesystem::path path, input_held held = input_held::on_disk);
  /// The next block; nothing at the end of the file.
  std::optional<block> operator()();

 private:
  std::optional<block> read();

  input_file in_;
  std::uint64_t number_ = 0;
  std::deque<block> held_;
};

/// Turns text into a .bz2 stream, at level 9.
class compress {
 public:
  block operator()(block b);

 private:
  workspace memory_;
  bytes packed_;
};

/// Writes blocks one behind the other: a .bz2 file of as many streams. They must come in order. Without any
/// it writes a stream of nothing.
class sink {
 public:
  explicit sink(std::filesystem::path path);
  void operator()(const block& b);
  /// Puts the file into its place.
  void close();

 private:
  output_file out_;
  std::uint64_t number_ = 0;
};

/// Finds the blocks of a .bz2 file, in one stream or in many, without decoding them: by their marks, at
/// whatever bit they start. A stream of nothing is one block of nothing. An empty, truncated or other file is
/// an error.
class source_d {
 public:
  explicit source_d(std::filesystem::path path, input_held held = input_held::on_disk);
  /// The next block; nothing at the end of the file.
  std::optional<packed_block> operator()();

 private:
  std::optional<packed_block> read();
  void forget_what_was_read();
  bool open_stream();
  std::optional<mark> find_end();
  bool is_whole(const mark& end);
  following what_stands_at(std::uint64_t byte);
  bool opens_at(std::uint64_t byte);
  bool has(std::uint64_t byte);
  bool fill();
  [[noreturn]] void fail(const char* what, std::uint64_t bit) const;

  input_file in_;
  bytes window_;             // of the file, from `start_` on: holds the block under way
  std::uint64_t start_ = 0;  // in bytes
  std::uint64_t at_ = 0;     // the next block (between streams: the next stream), in bits from `start_`
  bool ended_ = false;       // the file has no more than the window holds
  char level_ = 0;           // of the stream under way; 0: there is none
  bool opens_ = false;
  bool doubtful_ = false;  // the last end mark stands in a block, or no stream stands behind the last one
  std::uint64_t number_ = 0;
  std::deque<packed_block> held_;
};

/// Decodes a block. One that cannot be decoded is marked as damaged and passed on.
class decompress {
 public:
  packed_block operator()(packed_block b);

 private:
  workspace memory_;
};

/// Writes what was in the blocks, which must come in order, and checks the sums of the streams. Where bits
/// that look like a mark have cut a block, it decodes the block anew, as a whole: only here it is known that
/// both parts are damaged. What remains damaged is an error that names `input`. Bytes behind the last stream
/// are left out, as bzip2 does.
class sink_d {
 public:
  sink_d(std::filesystem::path path, std::filesystem::path input);
  void operator()(packed_block b);
  /// Puts the file into its place. Blocks that are missing are an error.
  void close();
  /// Where in the input bytes begin that are no stream, if there are such.
  [[nodiscard]] std::optional<std::uint64_t> left_out_from() const { return left_out_from_; }

 private:
  void keep(const packed_block& b);
  [[noreturn]] void fail(const packed_block& b) const;

  output_file out_;
  std::filesystem::path input_;
  std::uint64_t number_ = 0;
  std::uint32_t sum_ = 0;   // of the stream under way
  bool in_stream_ = false;  // its last block has not come
  std::optional<packed_block> damaged_;
  std::optional<std::uint64_t> left_out_from_;
  decompress decompress_;
};

}  // namespace apps::bzip2
