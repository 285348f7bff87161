#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "apps/mandelbrot/scene.hpp"

namespace apps::mandelbrot_zoom {

/// What is filmed: a scene that every frame shows more closely.
struct film {
  mandelbrot::scene first;
  std::uint32_t frames = 1;
  double zoom = 1;         ///< the span of a frame is that of the frame before times this
  std::uint32_t blur = 1;  ///< radius of the blur in pixels
  bool operator==(const film&) const = default;
};

/// The file of an input: the members of `scene` and of `film` by name, each with its value on a line.
inline constexpr std::string_view film_file = "film.txt";

inline constexpr std::uint32_t most_blur = 8;

/// \throws error  naming the file, if it has no film or anything else
film read_film(const std::filesystem::path& file);

/// The text of a film's file.
std::string text_of(const film& shown);

}  // namespace apps::mandelbrot_zoom
