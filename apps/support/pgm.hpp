#pragma once

#include <cstdint>
#include <string>

namespace apps {

/// What stands before the pixels of a binary PGM picture of 256 greys: they follow line by line, a byte each.
/// A file may have several pictures, one behind the other.
inline std::string pgm_header(std::uint32_t width, std::uint32_t height) {
  return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
}

}  // namespace apps
