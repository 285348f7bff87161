#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "apps/mandelbrot/scene.hpp"
#include "apps/support/application.hpp"

namespace apps::mandelbrot {

/// An input: what is drawn.
struct input {
  std::string_view name;
  scene shown;
};

/// All show the whole set; `huge` has the size that is customary in the literature.
constexpr scene whole_set(std::uint32_t side, std::uint32_t iterations) {
  return {side, side, iterations, -0.6, 0, 3};
}

inline constexpr std::array inputs = {
    input{"test", whole_set(300, 1'000)},     input{"small", whole_set(1'500, 2'000)},
    input{"medium", whole_set(3'000, 3'000)}, input{"large", whole_set(4'000, 6'000)},
    input{"huge", whole_set(6'000, 10'000)},
};

/// Makes the file of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Compares a program's picture, pixel by pixel, with one that is drawn with less work.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::mandelbrot
