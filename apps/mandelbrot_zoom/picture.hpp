#pragma once

#include <cstdint>
#include <optional>

#include "apps/mandelbrot/escape.hpp"
#include "apps/mandelbrot_zoom/film.hpp"
#include "apps/mandelbrot_zoom/frame.hpp"

namespace apps::mandelbrot_zoom {

/// Gives the frames of a film, not yet drawn.
class source {
 public:
  explicit source(const film& shown) : frames_(shown.frames), zoom_(shown.zoom), span_(shown.first.span) {}
  /// The next frame; nothing behind the last.
  std::optional<frame> operator()();

 private:
  std::uint32_t frames_;
  double zoom_;
  double span_;
  std::uint32_t next_ = 0;
};

/// Draws a frame. `steps`: `escape_time` or `escape_time_by_cycles`, which gives the same picture.
frame draw(const film& shown, frame one,
           std::uint32_t (*steps)(double, double, std::uint32_t) = mandelbrot::escape_time);

}  // namespace apps::mandelbrot_zoom
