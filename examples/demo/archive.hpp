// Reads a directory tree as one tar archive, a block at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "tree.hpp"

namespace demo {

/// The source of the stream: each call gives the next block of the archive, at the end nothing. All blocks
/// but the last are full. A file that became shorter since the tree was listed is filled up with zeros, since
/// its header is written.
class archive {
 public:
  static constexpr std::size_t block_size = 900'000;  ///< What bzip2 -9 compresses at a time.

  /// `listed` must live as long as the archive is read. A block has `size` bytes.
  explicit archive(const tree& listed, std::size_t size = block_size) : tree_(&listed), size_(size) {}

  std::optional<std::string> operator()();

 private:
  std::string_view next_piece();
  std::string_view read_file();

  const tree* tree_;
  std::size_t size_;
  std::size_t next_ = 0;       // the entry that comes next
  std::ifstream file_;         // the content of the entry before it
  std::uint64_t left_ = 0;     // how much of that is still to be read
  std::uint64_t padding_ = 0;  // what follows it
  bool ended_ = false;
  std::string buffer_;      // what `piece_` points into
  std::string_view piece_;  // the part of the archive that has not gone into a block yet
};

}  // namespace demo
