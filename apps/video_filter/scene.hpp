#pragma once

#include <cstdint>
#include <vector>

#include "apps/support/film/jpeg.hpp"
#include "apps/support/film/paint.hpp"

namespace apps::video_filter {

/// Draws what the pictures of an input show: balls before a wall of tiles that slides by, and the noise of a
/// camera. In whole numbers: the same on every machine.
class scene {
 public:
  scene(std::uint64_t seed, extent size);
  /// The next picture: blue, green and red of each pixel; good until the next call.
  const std::vector<std::uint8_t>& draw();

 private:
  struct ball {
    int radius = 0;
    std::int64_t phase[2]{}, speed[2]{};
    std::uint8_t colour[3]{};
  };

  void draw_wall();
  void draw_ball(const ball& one);

  extent size_;
  std::vector<ball> balls_;
  std::vector<std::uint8_t> tiles_;  // colours
  sensor_noise noise_;
  std::vector<std::uint8_t> bgr_;
  int number_ = -1;
};

}  // namespace apps::video_filter
