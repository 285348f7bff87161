#include "apps/mandelbrot_zoom/picture.hpp"

#include <cstddef>

namespace apps::mandelbrot_zoom {

std::optional<frame> source::operator()() {
  if (next_ == frames_) return std::nullopt;
  frame one{next_++, span_, {}};
  span_ *= zoom_;
  return one;
}

frame draw(const film& shown, frame one, std::uint32_t (*steps)(double, double, std::uint32_t)) {
  auto scene = shown.first;
  scene.span = one.span;
  one.pixels.resize(std::size_t{scene.width} * scene.height);
  for (std::uint32_t y = 0; y < scene.height; ++y)
    mandelbrot::draw_line(scene, y, &one.pixels[std::size_t{y} * scene.width], steps);
  return one;
}

}  // namespace apps::mandelbrot_zoom
