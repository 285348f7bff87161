#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"

namespace apps::hash_search {

/// Where in the range the numbers lie: anywhere, and some of them nowhere; all about its middle; or the
/// deeper, the later their hash comes.
enum class load { spread, even, growing };

/// An input: how many hashes there are, and how many numbers the range has.
struct input {
  std::string_view name;
  std::uint32_t hashes;
  std::uint32_t numbers;
  hash_search::load load = load::spread;
};

inline constexpr std::array inputs = {
    input{"test", 200, 8'000},
    input{"small", 1'000, 20'000},
    input{"medium", 2'000, 60'000},
    input{"large", 4'000, 150'000},
    input{"huge", 5'000, 320'000},
    input{"medium_even", 2'000, 60'000, load::even},
    input{"medium_growing", 2'000, 60'000, load::growing},
};

/// The files of an input: the hashes, the range, and what was hashed: numbers, or `-` for one that is not in
/// the range. All are lists with a line for each, but the range.
inline constexpr std::string_view hashes_file = "hashes.txt";
inline constexpr std::string_view numbers_file = "numbers.txt";

/// Makes the files of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Compares what was found with what was hashed.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::hash_search
