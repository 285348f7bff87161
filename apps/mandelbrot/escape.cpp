#include "apps/mandelbrot/escape.hpp"

#include <bit>
#include <cfloat>

static_assert(FLT_EVAL_METHOD == 0, "doubles have to be rounded to doubles");
#ifdef __FAST_MATH__
#error "what is computed here has to be the same everywhere"
#endif

namespace apps::mandelbrot {
namespace {

struct point {
  double x = 0;
  double y = 0;
  bool operator==(const point&) const = default;
};

/// A step; false, and none, if z is too far away.
bool step(point& z, const point& c) {
  const double xx = z.x * z.x;
  const double yy = z.y * z.y;
  if (xx + yy > 4) return false;
  z.y = 2 * z.x * z.y + c.y;
  z.x = xx - yy + c.x;
  return true;
}

}  // namespace

std::uint32_t escape_time(double x, double y, std::uint32_t limit) {
  const point c{x, y};
  point z;
  std::uint32_t steps = 0;
  while (steps < limit && step(z, c)) ++steps;
  return steps;
}

std::uint32_t escape_time_by_cycles(double x, double y, std::uint32_t limit) {
  const point c{x, y};
  point z;
  point before;
  std::uint64_t look_again = 8;
  for (std::uint32_t steps = 0; steps < limit; ++steps) {
    if (!step(z, c)) return steps;
    if (z == before) return limit;
    if (steps != look_again) continue;
    before = z;
    look_again *= 2;
  }
  return limit;
}

std::uint8_t shade(std::uint32_t steps, std::uint32_t limit) {
  if (steps >= limit) return 0;
  const std::uint64_t from_one = std::uint64_t{steps} + 1;
  const auto order = static_cast<unsigned>(std::bit_width(from_one)) - 1;
  constexpr std::uint64_t levels = 85;  // for each binary order; three of them go up, the next three down
  const auto level = levels * order + ((from_one * levels >> order) - levels);
  const auto turn = level % (6 * levels);
  return static_cast<std::uint8_t>(turn < 3 * levels ? turn : 6 * levels - turn);
}

void draw_line(const scene& shown, std::uint32_t y, char* pixels,
               std::uint32_t (*steps)(double, double, std::uint32_t)) {
  const double pixel = shown.span / shown.width;
  const double at_y = shown.centre_y - (y - (shown.height - 1) / 2.0) * pixel;
  for (std::uint32_t x = 0; x < shown.width; ++x) {
    const double at_x = shown.centre_x + (x - (shown.width - 1) / 2.0) * pixel;
    pixels[x] = static_cast<char>(shade(steps(at_x, at_y, shown.iterations), shown.iterations));
  }
}

}  // namespace apps::mandelbrot
