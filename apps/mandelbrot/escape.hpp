#pragma once

#include <cstdint>

#include "apps/mandelbrot/scene.hpp"

namespace apps::mandelbrot {

/// After how many steps of z := z² + c, from z = 0 on, z is further than 2 from 0; `limit` if that takes
/// longer. Products and sums are rounded one by one, to doubles, so that every machine finds the same.
///
/// ```cpp
/// assert(escape_time(1, 0, 100) == 3);  // 0, 1, 2, 5
/// assert(escape_time(-1, 0, 100) == 100);
/// ```
std::uint32_t escape_time(double x, double y, std::uint32_t limit);

/// The same number, often sooner: when z is what it has been before, to the last bit, it will not get away.
/// Where it is looked for is R. Brent's choice (An Improved Monte Carlo Factorization Algorithm, 1980). For
/// those who check: that points inside cost more than others is what the application is about.
std::uint32_t escape_time_by_cycles(double x, double y, std::uint32_t limit);

/// How bright a point is: 0 inside; outside up and down again every eight times as many steps, as 255 greys
/// of three binary orders, computed in whole numbers.
std::uint8_t shade(std::uint32_t steps, std::uint32_t limit);

/// Draws line `y` of a picture, counted from the top, into `pixels`, which holds `width` bytes.
/// `steps`: `escape_time` or `escape_time_by_cycles`.
void draw_line(const scene& shown, std::uint32_t y, char* pixels,
               std::uint32_t (*steps)(double, double, std::uint32_t) = escape_time);

}  // namespace apps::mandelbrot
