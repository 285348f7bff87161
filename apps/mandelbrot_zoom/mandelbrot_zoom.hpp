/// A film of the Mandelbrot set that comes nearer and nearer, softened by a blur.
///
/// ```cpp
/// namespace zoom = apps::mandelbrot_zoom;
/// const auto film = zoom::read_film("film.txt");
/// zoom::source source(film);
/// zoom::sink sink("film.pgm", film);
/// while (auto frame = source()) sink(zoom::blur(film, zoom::draw(film, std::move(*frame))));
/// sink.close();
/// ```
///
/// Frames are independent of each other; the sink needs them in order.
#pragma once

#include "apps/mandelbrot_zoom/blur.hpp"
#include "apps/mandelbrot_zoom/film.hpp"
#include "apps/mandelbrot_zoom/frame.hpp"
#include "apps/mandelbrot_zoom/picture.hpp"
#include "apps/mandelbrot_zoom/sink.hpp"
#include "apps/support/application.hpp"

namespace apps::mandelbrot_zoom {

/// What tools need to know.
const application& about();

}  // namespace apps::mandelbrot_zoom
