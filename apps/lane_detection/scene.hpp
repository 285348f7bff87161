#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/lane_detection/road.hpp"
#include "apps/support/film/jpeg.hpp"
#include "apps/support/film/paint.hpp"

namespace apps::lane_detection {

/// The lines of a picture in which ground truth is given, as parts of 360 of its height.
inline constexpr std::array truth_lines = {350, 310, 270};

/// Where the two marks of a lane are in those lines: sixteenths of a pixel from the left.
struct marks_seen {
  std::array<int, truth_lines.size()> left{}, right{};
};

/// Draws what the camera sees: 1.4 m above a flat road with marks, shoulders and grass, shadows of trees,
/// crossings, other cars, hills, clouds, and with the noise of its sensor. In whole numbers: the same picture
/// on every machine.
class scene {
 public:
  scene(std::uint64_t seed, extent size);
  /// The picture: blue, green and red of each pixel, 3 * width * height bytes. Good until the next call.
  const std::vector<std::uint8_t>& draw(const moment& now);
  /// Where the marks of the camera's lane are, drawn or hidden.
  [[nodiscard]] marks_seen truth(const moment& now) const;

 private:
  struct ground;
  struct colour {
    int blue, green, red;
  };

  [[nodiscard]] ground ground_at(int line, const moment& now) const;
  void draw_sky(const moment& now);
  void draw_ground(const ground& there, const moment& now);
  void draw_marks(const ground& there, const moment& now);
  void light_line(int line, const ground& there, const moment& now);
  void draw_trees(const moment& now);
  void draw_vehicle(const moment& now, const vehicle& car);

  void stripe(int line, int from, int to, int cover);
  void box(int left, int top, int right, int bottom, colour filled);
  void disc(int x, int y, int radius, colour filled, std::uint32_t grain);
  [[nodiscard]] int grain_at(std::int64_t x, std::int64_t y) const {
    return grains_[static_cast<std::size_t>((y & 255) << 8 | (x & 255))];
  }
  [[nodiscard]] int smooth_grain(std::int64_t x, std::int64_t y) const;
  [[nodiscard]] int at_scale(int of_360) const { return of_360 * size_.height / 360; }

  extent size_;
  int focus_;                         // in pixels
  int horizon_;                       // in sixteenths of a line
  std::vector<std::uint8_t> grains_;  // 256 * 256
  sensor_noise noise_;
  std::vector<int> lit_;  // of each pixel of a line, 256: full
  std::vector<std::uint8_t> bgr_;
};

}  // namespace apps::lane_detection
