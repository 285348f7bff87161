#include "apps/video_filter/scene.hpp"

#include <algorithm>

#include "apps/support/random.hpp"

namespace apps::video_filter {
namespace {

constexpr int tile_rows = 6, tile_columns = 32;  // of tiles, before they come again
constexpr std::size_t balls = 9;

}  // namespace

scene::scene(std::uint64_t seed, extent size)
    : size_(size),
      balls_(balls),
      tiles_(std::size_t{3} * tile_rows * tile_columns),
      noise_(seed + 1),
      bgr_(3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)) {
  random dice(seed);
  for (auto& part : tiles_) part = static_cast<std::uint8_t>(dice.between(50, 140));
  for (auto& one : balls_) {
    one.radius = static_cast<int>(dice.between(size.height / 18, size.height / 6));
    for (auto& phase : one.phase) phase = dice.between(0, 0xFFFF);
    for (auto& speed : one.speed) speed = dice.between(200, 700);
    for (auto& part : one.colour) part = static_cast<std::uint8_t>(dice.between(30, 255));
  }
}

const std::vector<std::uint8_t>& scene::draw() {
  ++number_;
  draw_wall();
  for (const auto& one : balls_) draw_ball(one);
  noise_.add_to(bgr_, size_);
  return bgr_;
}

void scene::draw_wall() {
  const int side = std::max(size_.height / tile_rows, 1), joint = std::max(side / 24, 1);
  const int slid = number_ * size_.height / 180;
  auto* pixel = bgr_.data();
  for (int y = 0; y < size_.height; ++y) {
    const int row = y / side % tile_rows;
    const int offset = slid + (row % 2) * side / 2;
    for (int x = 0; x < size_.width; ++x, pixel += 3) {
      const int along = x + offset;
      const bool between = y % side < joint || along % side < joint;
      const auto* tile =
          &tiles_[static_cast<std::size_t>(3 * (row * tile_columns + along / side % tile_columns))];
      // The light falls from above.
      const int light = 320 - 160 * y / size_.height;
      for (int i = 0; i < 3; ++i) pixel[i] = clamped((between ? 30 : tile[i]) * light >> 8);
    }
  }
}

void scene::draw_ball(const ball& one) {
  const int middle_x = size_.width / 2 + wave(one.phase[0] + number_ * one.speed[0], size_.width * 9 / 20);
  const int middle_y = size_.height / 2 + wave(one.phase[1] + number_ * one.speed[1], size_.height * 2 / 5);
  const int square = one.radius * one.radius;
  for (int y = std::max(middle_y - one.radius, 0); y < std::min(middle_y + one.radius, size_.height); ++y)
    for (int x = std::max(middle_x - one.radius, 0); x < std::min(middle_x + one.radius, size_.width); ++x) {
      const int right = x - middle_x, below = y - middle_y, away = right * right + below * below;
      if (away >= square) continue;
      // Brighter where it is turned to the light, darker towards its rim.
      const int light = 256 - 120 * away / square - 50 * (right + below) / one.radius;
      auto* pixel = &bgr_[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
                               static_cast<std::size_t>(x))];
      for (int i = 0; i < 3; ++i) pixel[i] = clamped(one.colour[i] * light >> 8);
    }
}

}  // namespace apps::video_filter
