/// The Mandelbrot set, line by line: cheap at top and bottom, expensive in the middle.
///
/// ```cpp
/// namespace mandelbrot = apps::mandelbrot;
/// const auto scene = mandelbrot::read_scene("scene.txt");
/// mandelbrot::source source(scene);
/// mandelbrot::sink sink("picture.pgm", scene);
/// while (auto line = source()) sink(mandelbrot::draw(scene, std::move(*line)));
/// sink.close();
/// ```
///
/// Lines are independent of each other, and the sink takes them in any order.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/mandelbrot/escape.hpp"
#include "apps/mandelbrot/line.hpp"
#include "apps/mandelbrot/scene.hpp"
#include "apps/mandelbrot/sink.hpp"
#include "apps/support/application.hpp"

namespace apps::mandelbrot {

/// Gives the lines of a picture from the top down, not yet drawn.
class source {
 public:
  explicit source(const scene& shown) : lines_(shown.height) {}
  /// The next line; nothing behind the last.
  std::optional<line> operator()() {
    if (next_ == lines_) return std::nullopt;
    return line{next_++, {}};
  }

 private:
  std::uint32_t lines_;
  std::uint32_t next_ = 0;
};

/// Draws a line.
inline line draw(const scene& shown, line one) {
  one.pixels.resize(shown.width);
  draw_line(shown, one.number, one.pixels.data());
  return one;
}

/// What tools need to know.
const application& about();

}  // namespace apps::mandelbrot
