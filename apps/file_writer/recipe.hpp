#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace apps::file_writer {

/// Which files are written.
struct recipe {
  std::uint32_t files = 1;
  std::uint64_t least = 0;  ///< bytes of a file
  std::uint64_t most = 0;  ///< likewise; small files are frequent, the mean is a quarter of the way to `most`
  std::uint64_t seed = 0;  ///< of sizes and seeds
  bool sync = false;       ///< whether each file has to be on the disk before its item goes on
  bool operator==(const recipe&) const = default;
};

/// The file of an input: the members of `recipe` by name, each with its number on a line; `sync` is 0 or 1.
inline constexpr std::string_view recipe_file = "files.txt";

/// \throws error  naming the file, if it has no recipe or anything else
recipe read_recipe(const std::filesystem::path& file);

/// The text of a recipe's file.
std::string text_of(const recipe& of);

}  // namespace apps::file_writer
