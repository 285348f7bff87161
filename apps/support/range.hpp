#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace apps {

/// Numbers that a stream goes through, both ends included.
struct range {
  std::uint32_t first = 2;
  std::uint32_t last = 2;

  [[nodiscard]] std::uint32_t size() const { return last - first + 1; }
  bool operator==(const range&) const = default;
};

/// To go through more, one by one, would take years.
inline constexpr std::uint32_t most_in_range = 1'000'000'000;

/// The file of a range: `first` and `last`, each with its number on a line.
inline constexpr std::string_view range_file = "range.txt";

/// \throws error  naming the file, if it has no range within 1 to `most_in_range`
range read_range(const std::filesystem::path& file);

/// \throws error  if it cannot be written
void write_range(const range& from, const std::filesystem::path& file);

}  // namespace apps
