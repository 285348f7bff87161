// A directory tree, and how it looks as a tar archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace demo {

/// A file, folder or symbolic link as it was when the tree was listed.
struct entry {
  std::filesystem::path path;  ///< where it lies
  std::string name;            ///< its name in the archive
  std::string link;            ///< what a symbolic link points to
  char type = '0';             ///< '0': a file, '2': a symbolic link, '5': a folder
  unsigned mode = 0;
  std::int64_t modified = 0;  ///< seconds since 1970
  std::uint64_t size = 0;     ///< of a file, in bytes
};

struct tree {
  std::vector<entry> entries;         ///< sorted by name: the archive of the same tree is always the same
  std::uint64_t bytes = 0;            ///< of its archive
  std::vector<std::string> left_out;  ///< no file, folder or link, not to be read, or of 8 GiB or more

  /// Lists what lies below `root`.
  /// Throws `std::filesystem::filesystem_error` if `root` is no folder that can be read.
  static tree below(const std::filesystem::path& root);
};

/// What to pack if no folder is named: this machine's documentation, or else what there is.
std::string default_folder();

/// What precedes an entry's content in a tar archive: a header of 512 bytes, and more before it for long
/// names.
std::string tar_header(const entry& e);

/// A tar archive is made of blocks of this many bytes, and ends with two that are zero.
inline constexpr std::uint64_t tar_block = 512;
inline constexpr std::uint64_t end_of_archive = 2 * tar_block;

constexpr std::uint64_t padding(std::uint64_t size) {
  return (tar_block - size % tar_block) % tar_block;
}

}  // namespace demo
