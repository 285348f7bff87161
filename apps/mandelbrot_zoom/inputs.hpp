#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "apps/mandelbrot_zoom/film.hpp"
#include "apps/support/application.hpp"

namespace apps::mandelbrot_zoom {

/// An input: what is filmed, and the SHA-256 of the film.
struct input {
  std::string_view name;
  film shown;
  std::string_view hash;
};

/// All begin with the whole set and go down to a billionth of it, into the valley of sea horses.
constexpr film valley(std::uint32_t width, std::uint32_t height, std::uint32_t iterations,
                      std::uint32_t frames, double zoom) {
  return {{width, height, iterations, -0.7436438870371587, 0.13182590420531197, 3}, frames, zoom, 4};
}

inline constexpr std::array inputs = {
    input{"test", valley(96, 54, 500, 24, 0.42),
          "b068ec8deb7d2b4f8f7060baca95781303a165f745d1fe37fc2d6256b7d025d8"},
    input{"small", valley(160, 90, 1'000, 80, 0.77),
          "0c8fc04827b250325060a6bf0ecdf261f632d31b1200cea578779582ad4f26d3"},
    input{"medium", valley(240, 135, 1'500, 120, 0.84),
          "b116c5deadc5ae0cc8af75d105940864fabc1a9f2618c0ae3f49cb7da6208503"},
    input{"large", valley(480, 270, 2'000, 150, 0.87),
          "25cdd8e21369f8d202b44c4fa20b3b21ec5699123cd1e8ffdfd31d2b94d0166b"},
    input{"huge", valley(640, 360, 2'000, 200, 0.9),
          "858c9b33ef1813c8695f21924b9d6fbcfeed9d149318b3aef6b508707b80ad98"},
};

/// Makes the file of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Compares the hash of a program's film with that of the input. If it is another, draws the film again, up
/// to the first frame that differs.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::mandelbrot_zoom
