#include "work.hpp"

#include <limits>

#include "clock.hpp"
#include "program.hpp"

namespace micro {

std::uint64_t burn(std::uint64_t x, std::uint32_t steps) noexcept {
  for (; steps != 0; --steps) {
    x ^= x << 13;
    x ^= x >> 7;
    asm volatile("" : "+r"(x));
  }
  return x;
}

calibration calibration::measure() {
  const auto loop_time = [](std::uint32_t steps) {
    constexpr std::uint64_t steps_a_run = 600'000;
    const std::uint64_t items = std::max<std::uint64_t>(100, steps_a_run / (steps + 2));
    double best = std::numeric_limits<double>::max();  // noise only ever adds
    for (int attempt = 0; attempt < 9; ++attempt) {
      const nanos start = now();
      counter source{0, items};
      checksum sink;
      run_loop(source, even_work{steps}, sink);
      const nanos stop = now();
      volatile std::uint64_t kept = sink.value();
      static_cast<void>(kept);
      best = std::min(best, static_cast<double>(stop - start) / static_cast<double>(items));
    }
    return best;
  };
  calibration result;
  for (const std::uint32_t steps : {1, 2, 4, 8, 16, 32, 64, 96, 128, 256, 512, 2'048}) {
    double time = loop_time(steps);
    if (!result.points_.empty()) time = std::max(time, result.points_.back().nanoseconds + 0.01);
    result.points_.push_back({static_cast<double>(steps), time});
  }
  return result;
}

namespace {

/// The value at `x` on the line through (x0, y0) and (x1, y1).
double on_line(double x, double x0, double y0, double x1, double y1) {
  return y0 + (x - x0) * (y1 - y0) / (x1 - x0);
}

}  // namespace

std::uint32_t calibration::steps(double nanoseconds) const {
  auto after = std::find_if(points_.begin() + 1, points_.end() - 1,
                            [&](const point& p) { return p.nanoseconds >= nanoseconds; });
  const auto before = after - 1;
  const double exact =
      on_line(nanoseconds, before->nanoseconds, before->steps, after->nanoseconds, after->steps);
  return static_cast<std::uint32_t>(std::max(1L, std::lround(exact)));
}

double calibration::nanoseconds(double steps) const {
  auto after =
      std::find_if(points_.begin() + 1, points_.end() - 1, [&](const point& p) { return p.steps >= steps; });
  const auto before = after - 1;
  return on_line(steps, before->steps, before->nanoseconds, after->steps, after->nanoseconds);
}

}  // namespace micro
