#include "apps/lane_detection/scene.hpp"

#include <algorithm>

namespace apps::lane_detection {
namespace {

constexpr int camera_height = 1'400;
constexpr int shoulder = 900, mark_width = 150, edge_width = 200;
constexpr int road_width = lane_width * lanes_of_road;
constexpr int farthest = 220'000;

/// Bits that look random, from a place.
std::uint32_t scattered(std::int64_t place, std::uint32_t which) {
  auto z = static_cast<std::uint64_t>(place) * 0x9E3779B97F4A7C15 + which;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return static_cast<std::uint32_t>(z >> 32);
}

}  // namespace

/// A line of the picture below the horizon: what of the world it shows.
struct scene::ground {
  int line = 0;
  int below = 0;           // the horizon, in sixteenths of a line
  std::int64_t away = 0;   // from the camera
  std::int64_t place = 0;  // along the road
  std::int64_t pixel = 0;  // its width, in 2^-8 mm
  int centre = 0;          // the pixel of what is straight ahead of the camera along the road, in 2^-8
  bool crossing = false;   // where the other road is
  bool painted = false;    // with a stop line
  bool zebra = false;

  /// The pixel, in 2^-8, that shows a place so far to the right of the camera.
  [[nodiscard]] int pixel_of(int right) const {
    return centre + static_cast<int>((std::int64_t{right} << 16) / pixel);
  }
};

scene::scene(std::uint64_t seed, extent size)
    : size_(size),
      focus_(size.height * 615 / 360),
      horizon_(size.height * 150 * 16 / 360),
      grains_(std::size_t{256} * 256),
      noise_(seed + 1),
      lit_(static_cast<std::size_t>(size.width)),
      bgr_(3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)) {
  random dice(seed);
  for (auto& grain : grains_) grain = static_cast<std::uint8_t>(dice.below(256));
}

int scene::smooth_grain(std::int64_t x, std::int64_t y) const {
  const auto column = x >> 8, line = y >> 8;
  const int right = static_cast<int>(x & 255), down = static_cast<int>(y & 255);
  const int upper = grain_at(column, line) * (256 - right) + grain_at(column + 1, line) * right;
  const int lower = grain_at(column, line + 1) * (256 - right) + grain_at(column + 1, line + 1) * right;
  return (upper * (256 - down) + lower * down) >> 16;
}

scene::ground scene::ground_at(int line, const moment& now) const {
  ground there{.line = line};
  there.below = 16 * line + 8 - horizon_ - at_scale(now.pitch);
  if (there.below < 16) return there;
  there.pixel = std::int64_t{camera_height} * 16 * 256 / there.below;
  there.away = there.pixel * focus_ >> 8;
  there.place = now.distance + there.away;
  // A curve of the road moves what is far away to the side.
  const auto bent = (std::int64_t{focus_} * now.curvature * there.away >> 31) * 256;
  there.centre = size_.width * 128 + static_cast<int>(bent);
  const auto into = there.place - now.crossing;
  there.crossing = into >= 0 && into < crossing_length;
  there.painted = into >= -crossing_ahead && into < -crossing_ahead + 600;
  there.zebra = into >= -4'500 && into < -1'000;
  return there;
}

marks_seen scene::truth(const moment& now) const {
  marks_seen seen;
  for (std::size_t i = 0; i < truth_lines.size(); ++i) {
    const auto there = ground_at(at_scale(truth_lines[i]), now);
    seen.left[i] = there.pixel_of(now.lane * lane_width - now.sideways) / 16;
    seen.right[i] = there.pixel_of((now.lane + 1) * lane_width - now.sideways) / 16;
  }
  return seen;
}

const std::vector<std::uint8_t>& scene::draw(const moment& now) {
  draw_sky(now);
  for (int line = 0; line < size_.height; ++line) {
    const auto there = ground_at(line, now);
    if (there.below < 16 || there.away > farthest) continue;
    draw_ground(there, now);
    draw_marks(there, now);
    light_line(line, there, now);
  }
  draw_trees(now);
  for (std::uint32_t i = 0; i < now.vehicle_count; ++i) draw_vehicle(now, now.vehicles[i]);
  noise_.add_to(bgr_, size_);
  return bgr_;
}

void scene::draw_sky(const moment& now) {
  const int end = std::min(size_.height, (horizon_ + at_scale(now.pitch)) / 16 + at_scale(16));
  const int turned = static_cast<int>(std::int64_t{now.heading} * focus_ >> 16);
  for (int x = 0; x < size_.width; ++x) {
    const std::int64_t direction = (x + turned) * 360 / size_.height;
    const int hills = smooth_grain(direction * 3, 0) / 6 + smooth_grain(direction * 11, 999) / 20;
    lit_[static_cast<std::size_t>(x)] = (horizon_ + at_scale(now.pitch)) / 16 - at_scale(hills);
  }
  auto* to = bgr_.data();
  for (int y = 0; y < end; ++y)
    for (int x = 0; x < size_.width; ++x, to += 3) {
      const std::int64_t direction = (x + turned) * 360 / size_.height;
      const int level = y * 360 / size_.height;
      const std::int64_t high = level;
      const bool sky = y < lit_[static_cast<std::size_t>(x)];
      const int cloud = sky ? std::max(smooth_grain(direction * 2, high * 7) - 120, 0) : 0;
      const colour seen =
          sky ? colour{225 - level / 4 + cloud / 4, 190 - level / 5 + cloud / 2, 150 + cloud * 3 / 4}
              : colour{92, 104 + grain_at(direction / 3, high / 3) / 8, 78};
      to[0] = clamped(seen.blue * now.light >> 8);
      to[1] = clamped(seen.green * now.light >> 8);
      to[2] = clamped(seen.red * now.light >> 8);
    }
}

void scene::draw_ground(const ground& there, const moment& now) {
  // Detail that is smaller than a pixel is not seen.
  const int detail = std::min(256, there.below * 360 * 256 / (size_.height * 16 * 160));
  auto* to = &bgr_[3 * static_cast<std::size_t>(there.line) * static_cast<std::size_t>(size_.width)];
  auto right = std::int64_t{now.sideways} * 256 - there.centre * there.pixel / 256;
  for (int x = 0; x < size_.width; ++x, right += there.pixel, to += 3) {
    const auto sideways = right >> 8;
    const int fine = (grain_at(sideways >> 5, there.place >> 6) - 128) * detail >> 8;
    const int coarse = grain_at(sideways >> 8, there.place >> 10) - 128;
    const bool paved = there.crossing || (sideways >= -shoulder && sideways < road_width + shoulder);
    if (paved) {
      const int grey = 92 + (fine * 22 >> 8) + (coarse * 14 >> 8);
      to[0] = clamped(grey + 3);
      to[1] = clamped(grey);
      to[2] = clamped(grey - 2);
    } else {
      const int green = 108 + (fine * 70 >> 8) + (coarse * 40 >> 8);
      to[0] = clamped(green * 3 / 8);
      to[1] = clamped(green);
      to[2] = clamped(green * 3 / 4);
    }
  }
}

/// Paints white on a line between two pixels, given in 2^-8; `cover`: 256 hides all.
void scene::stripe(int line, int from, int to, int cover) {
  from = std::clamp(from, 0, size_.width * 256);
  to = std::clamp(to, 0, size_.width * 256);
  for (int x = from >> 8; x * 256 < to; ++x) {
    const int covered = (std::min(to, x * 256 + 256) - std::max(from, x * 256)) * cover >> 8;
    auto* at = &bgr_[3 * (static_cast<std::size_t>(line) * static_cast<std::size_t>(size_.width) +
                          static_cast<std::size_t>(x))];
    for (int i = 0; i < 3; ++i) at[i] = clamped(at[i] + ((228 - at[i]) * covered >> 8));
  }
}

void scene::draw_marks(const ground& there, const moment& now) {
  if (there.crossing) return;
  if (there.painted) {
    stripe(there.line, there.pixel_of(-now.sideways), there.pixel_of(road_width - now.sideways), 220);
    return;
  }
  if (there.zebra) {
    for (int at = 250; at < road_width; at += 1'000)
      stripe(there.line, there.pixel_of(at - now.sideways), there.pixel_of(at + 500 - now.sideways), 220);
    return;
  }
  for (int i = 0; i <= lanes_of_road; ++i) {
    const bool edge = i == 0 || i == lanes_of_road;
    if (!edge && there.place % 12'000 >= 6'000) continue;
    const int at = i * lane_width - now.sideways, half = (edge ? edge_width : mark_width) / 2;
    const int worn = std::max(grain_at(there.place >> 8, std::int64_t{40} * i) - 150, 0);
    stripe(there.line, there.pixel_of(at - half), there.pixel_of(at + half), 240 - worn);
  }
}

void scene::light_line(int line, const ground& there, const moment& now) {
  // Trees shade some stretches, and each to another degree.
  const int trees = std::clamp(2 * smooth_grain(there.place >> 7, 17) - 200, 0, 150);
  auto right = std::int64_t{now.sideways} * 256 - there.centre * there.pixel / 256;
  auto* to = &bgr_[3 * static_cast<std::size_t>(line) * static_cast<std::size_t>(size_.width)];
  for (int x = 0; x < size_.width; ++x, right += there.pixel, to += 3) {
    int light = now.light;
    if (trees > 0) {
      const int shade = smooth_grain(right >> 11, there.place >> 3) - 110;
      light -= light * std::clamp(shade * 12, 0, trees) >> 8;
    }
    for (int i = 0; i < 3; ++i) to[i] = clamped(to[i] * light >> 8);
  }
}

void scene::box(int left, int top, int right, int bottom, colour filled) {
  left = std::max(left, 0);
  right = std::min(right, size_.width);
  for (int y = std::max(top, 0); y < std::min(bottom, size_.height); ++y)
    for (int x = left; x < right; ++x) {
      auto* to = &bgr_[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
                            static_cast<std::size_t>(x))];
      to[0] = clamped(filled.blue);
      to[1] = clamped(filled.green);
      to[2] = clamped(filled.red);
    }
}

void scene::disc(int x, int y, int radius, colour filled, std::uint32_t grain) {
  for (int line = std::max(y - radius, 0); line < std::min(y + radius, size_.height); ++line)
    for (int column = std::max(x - radius, 0); column < std::min(x + radius, size_.width); ++column) {
      const int across = column - x, down = line - y;
      if (across * across + down * down >= radius * radius) continue;
      // Leaves get smaller with the tree.
      const int leaves =
          grain_at(across * 40 / radius + static_cast<int>(grain & 255), down * 40 / radius + 128) - 128;
      auto* to = &bgr_[3 * (static_cast<std::size_t>(line) * static_cast<std::size_t>(size_.width) +
                            static_cast<std::size_t>(column))];
      const int lit = 256 + leaves * 3 / 4 - down * 60 / radius;
      to[0] = clamped(filled.blue * lit >> 8);
      to[1] = clamped(filled.green * lit >> 8);
      to[2] = clamped(filled.red * lit >> 8);
    }
}

void scene::draw_trees(const moment& now) {
  constexpr int apart = 11'000;
  for (auto number = (now.distance + 110'000) / apart; number * apart > now.distance + 6'000; --number) {
    const auto away = number * apart - now.distance;
    const auto below = static_cast<int>(std::int64_t{camera_height} * focus_ * 16 / away);
    const auto there = ground_at((horizon_ + at_scale(now.pitch) + below) / 16, now);
    if (there.below < 16) continue;
    for (const bool on_left : {true, false}) {
      const auto looks = scattered(number, on_left ? 1 : 2);
      if (looks % 5 < 2) continue;
      const int off = 3'000 + static_cast<int>(looks >> 8 & 0x1FFF);
      const int tall = 3'500 + static_cast<int>(looks >> 21 & 0x7FF);
      const int x = there.pixel_of((on_left ? -off : road_width + off) - now.sideways) >> 8;
      const auto pixels = [&](std::int64_t length) { return static_cast<int>(length * 256 / there.pixel); };
      const auto lit = [&](int value) { return value * now.light >> 8; };
      const int trunk = std::max(pixels(180), 1);
      box(x - trunk, there.line - pixels(tall), x + trunk, there.line, {lit(38), lit(48), lit(60)});
      const colour green{lit(36), lit(70 + static_cast<int>(looks >> 3 & 31)), lit(48)};
      for (int leaf = 0; leaf < 3; ++leaf)
        disc(x + pixels(900) * (leaf - 1), there.line - pixels(tall + 700 * (leaf % 2)),
             std::max(pixels(tall / 3), 1), green, looks >> leaf);
    }
  }
}

void scene::draw_vehicle(const moment& now, const vehicle& car) {
  const auto below = static_cast<int>(std::int64_t{camera_height} * focus_ * 16 / car.ahead);
  const auto there = ground_at((horizon_ + at_scale(now.pitch) + below) / 16, now);
  if (there.below < 16) return;
  constexpr std::array<colour, 5> paints = {
      colour{200, 200, 198}, {40, 38, 36}, {150, 60, 40}, {40, 44, 150}, {120, 124, 118}};
  const auto pixels = [&](std::int64_t length) { return static_cast<int>(length * 256 / there.pixel); };
  const auto lit = [&](colour c, int part) {
    const int light = now.light * part;
    return colour{c.blue * light >> 16, c.green * light >> 16, c.red * light >> 16};
  };
  const auto& paint = paints[scattered(car.look, 3) % paints.size()];
  const int x = there.pixel_of(car.sideways - now.sideways) >> 8, ground = there.line;
  const int half = pixels(880), tall = pixels(1'350 + static_cast<int>(scattered(car.look, 4) % 300));
  box(x - half, ground - tall / 8, x + half, ground + tall / 20, {18, 18, 18});  // shadow
  box(x - half, ground - tall / 6, x - half * 3 / 4, ground, {10, 10, 10});      // wheels
  box(x + half * 3 / 4, ground - tall / 6, x + half, ground, {10, 10, 10});
  box(x - half, ground - tall * 5 / 9, x + half, ground - tall / 8, lit(paint, 256));
  box(x - half * 4 / 5, ground - tall, x + half * 4 / 5, ground - tall * 5 / 9, lit(paint, 220));
  box(x - half * 7 / 10, ground - tall * 17 / 18, x + half * 7 / 10, ground - tall * 3 / 5,
      lit({70, 62, 54}, 200));  // window
  box(x - half * 9 / 10, ground - tall / 2, x - half * 6 / 10, ground - tall * 2 / 5, {30, 30, 190});
  box(x + half * 6 / 10, ground - tall / 2, x + half * 9 / 10, ground - tall * 2 / 5, {30, 30, 190});
  box(x - half / 4, ground - tall / 3, x + half / 4, ground - tall / 4, lit({210, 214, 210}, 240));
}

}  // namespace apps::lane_detection
