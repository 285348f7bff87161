#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace apps::primes {

/// The numbers that are tested, both ends included.
struct range {
  std::uint32_t first = 2;
  std::uint32_t last = 2;

  [[nodiscard]] std::uint32_t size() const { return last - first + 1; }
  bool operator==(const range&) const = default;
};

/// More would take years, and the sink more memory than there is.
inline constexpr std::uint32_t most = 1'000'000'000;

/// The file of an input: `first` and `last`, each with its number on a line.
inline constexpr std::string_view range_file = "range.txt";

/// \throws error  naming the file, if it has no range within 1 to `most`
range read_range(const std::filesystem::path& file);

/// \throws error  if it cannot be written
void write_range(const range& from, const std::filesystem::path& file);

}  // namespace apps::primes
