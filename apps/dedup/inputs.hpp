#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"

namespace apps::dedup {

/// An input: how large its file is, at least.
struct input {
  std::string_view name;
  std::uint64_t bytes;
};

inline constexpr std::array inputs = {
    input{"test", 20'000'000},     input{"small", 50'000'000},   input{"medium", 300'000'000},
    input{"large", 1'500'000'000}, input{"huge", 5'500'000'000},
};

/// The file of an input: documents as they come together in a backup, one behind the other. Half of them are
/// new, the others are copies of earlier ones, some of them with changes in a few places. So what repeats is
/// shifted against its first occurrence, by any number of bytes.
inline constexpr std::string_view backup_file = "backup.bin";
/// Beside it, what is true of it: how many `bytes` it has, and how many of them are `fresh`, which are those
/// of new documents and of changes; the others have been copied in so many `pieces`.
inline constexpr std::string_view truth_file = "truth.txt";

/// What is in the truth file.
struct truth {
  std::uint64_t bytes = 0;
  std::uint64_t fresh = 0;
  std::uint64_t pieces = 0;
};

/// Makes the files of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Whether an archive has all of the input, bit by bit, no chunk twice, and most of what was copied but once.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::dedup
