#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/parameters.hpp"

namespace apps::mandelbrot {

/// What a picture shows: a part of the plane of complex numbers, in so many pixels.
struct scene {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  std::uint32_t iterations = 1;  ///< after which a point counts as one of the set
  double centre_x = 0;
  double centre_y = 0;
  double span = 4;  ///< of the plane, from the left side of the picture to the right
  bool operator==(const scene&) const = default;
};

/// The file of an input: the members of `scene` by name, each with its value on a line.
inline constexpr std::string_view scene_file = "scene.txt";

/// Takes a scene out of a file that may have more. \throws error  naming the file
scene take_scene(parameters& from);

/// \throws error  naming the file, if it has no scene or anything else
scene read_scene(const std::filesystem::path& file);

/// The text of a scene's file.
std::string text_of(const scene& shown);

}  // namespace apps::mandelbrot
