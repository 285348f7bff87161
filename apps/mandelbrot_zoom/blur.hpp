#pragma once

#include "apps/mandelbrot_zoom/film.hpp"
#include "apps/mandelbrot_zoom/frame.hpp"

namespace apps::mandelbrot_zoom {

/// Blurs a frame: each pixel becomes the mean of those around it, by weights that fall like a Gaussian curve.
/// They are the binomial coefficients of twice the radius, which come close to it, so that all is computed in
/// whole numbers (deviation: the root of half the radius, in pixels). Behind an edge is what is at the edge.
/// Lines first, then columns, which is as good as both at once and costs less.
frame blur(const film& shown, frame one);

}  // namespace apps::mandelbrot_zoom
