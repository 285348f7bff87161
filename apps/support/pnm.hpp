#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace apps {

/// A picture as binary PGM and PPM files have it.
struct pnm {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool colour = false;      ///< three bytes a pixel (red, green, blue) instead of one
  std::string_view pixels;  ///< line by line from the top; part of what was parsed

  [[nodiscard]] std::size_t size() const { return std::size_t{width} * height; }
};

/// A larger picture is refused.
inline constexpr std::size_t most_pnm_pixels = std::size_t{1} << 24;

/// Finds the picture in the bytes of a file: its first one, if there are several. `file` is for messages.
/// \throws error  naming the file, if it is empty, cut off, or no such picture with 256 levels
pnm parse_pnm(std::string_view bytes, const std::filesystem::path& file);

}  // namespace apps
