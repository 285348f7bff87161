#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "apps/support/bytes.hpp"
#include "apps/support/pnm.hpp"

namespace apps::ferret {

/// A picture: 8 bits each of red, green and blue for every pixel, line by line from the top.
struct picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t, uninitialised<std::uint8_t>> rgb;  ///< 3 * width * height

  [[nodiscard]] std::size_t pixels() const { return std::size_t{width} * height; }
  bool operator==(const picture&) const = default;
};

/// A larger picture is refused: the sums over a region would not fit.
inline constexpr std::size_t most_pixels = most_pnm_pixels;

/// Reads a binary PPM file (`P6`, 255 levels). \throws error  naming the file, if it is none or cut off
picture read_ppm(const std::filesystem::path& file);

/// Writes one. \throws error  if it cannot be written
void write_ppm(const picture& from, const std::filesystem::path& file);

/// Packs the pixels without loss: about 2 to 3 bits for each 8 of a photograph without much noise.
/// Predictor, contexts and Golomb-Rice codes in the manner of M. Weinberger, G. Seroussi and G. Sapiro, The
/// LOCO-I Lossless Image Compression Algorithm (2000), without its runs and its correction of bias.
bytes encode(const picture& from);

/// Fills `into`, whose size is set, with the pixels that were packed. False if `packed` is not of that size.
bool decode(std::string_view packed, picture& into);

}  // namespace apps::ferret
