#include "apps/mandelbrot/scene.hpp"

#include <string>

namespace apps::mandelbrot {
namespace {

constexpr std::uint64_t most_side = 30'000;
constexpr std::uint64_t most_iterations = 1'000'000'000;
constexpr double far = 4;             // beyond, there is nothing to see
constexpr double least_span = 1e-13;  // neighbours would be the same number

}  // namespace

scene take_scene(parameters& from) {
  scene shown;
  shown.width = static_cast<std::uint32_t>(from.whole("width", 1, most_side));
  shown.height = static_cast<std::uint32_t>(from.whole("height", 1, most_side));
  shown.iterations = static_cast<std::uint32_t>(from.whole("iterations", 1, most_iterations));
  shown.centre_x = from.real("centre_x", -far, far);
  shown.centre_y = from.real("centre_y", -far, far);
  shown.span = from.real("span", least_span, 2 * far);
  return shown;
}

scene read_scene(const std::filesystem::path& file) {
  parameters of(file);
  const auto shown = take_scene(of);
  of.finish();
  return shown;
}

std::string text_of(const scene& shown) {
  return parameter("width", shown.width) + parameter("height", shown.height) +
         parameter("iterations", shown.iterations) + parameter("centre_x", shown.centre_x) +
         parameter("centre_y", shown.centre_y) + parameter("span", shown.span);
}

}  // namespace apps::mandelbrot
