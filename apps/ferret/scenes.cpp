#include "apps/ferret/scenes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "apps/support/random.hpp"

namespace apps::ferret {
namespace {

using colour = std::array<int, 3>;

enum class shape : std::uint8_t { ellipse, box, triangle, ring, cross };
enum class texture : std::uint8_t { flat, slope, stripes, checks, clouds };

/// In units of a 960th of the picture's width.
struct thing {
  shape outline;
  texture skin;
  int x, y;
  int across, along;  ///< half its size
  int turn;           ///< of 32
  int grain;          ///< of its texture
  colour first, second;
};

struct scene {
  thing ground;
  std::vector<thing> things;
};

constexpr int full = 960;

/// Sines of 32 parts of a circle, of 256.
constexpr std::array<int, 32> sine{0,    50,   98,   142,  181,  213,  237,  251,  256,  251,  237,
                                   213,  181,  142,  98,   50,   0,    -50,  -98,  -142, -181, -213,
                                   -237, -251, -256, -251, -237, -213, -181, -142, -98,  -50};

int sine_of(int turn) {
  return sine[static_cast<std::size_t>(turn & 31)];
}

int draw(random& dice, int low, int high) {
  return static_cast<int>(dice.between(low, high));
}

colour draw_colour(random& dice, const colour& near, int spread) {
  colour made{};
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = std::clamp(near[i] + draw(dice, -spread, spread), 8, 247);
  return made;
}

thing invent_thing(random& dice, const std::array<colour, 5>& palette) {
  thing made{};
  made.outline = static_cast<shape>(dice.below(5));
  made.skin = static_cast<texture>(dice.below(5));
  made.x = draw(dice, 80, 880);
  made.y = draw(dice, 60, 600);
  made.across = draw(dice, 60, 220);
  made.along = draw(dice, 60, 220);
  made.turn = draw(dice, 0, 31);
  made.grain = draw(dice, 40, 90);
  made.first = draw_colour(dice, palette[dice.below(palette.size())], 40);
  made.second = draw_colour(dice, made.first, 50);
  return made;
}

scene invent_scene(std::uint64_t seed, std::uint32_t family) {
  constexpr std::uint32_t palettes = 40;
  random dice(seed * 0x9E3779B97F4A7C15 + family);
  random of_palette(seed + 0x100000000 + dice.below(palettes));
  std::array<colour, 5> palette{};
  for (auto& one : palette) one = draw_colour(of_palette, {128, 128, 128}, 120);
  scene made;
  made.ground = invent_thing(dice, palette);
  made.ground.grain *= 3;
  const auto count = dice.between(4, 9);
  for (std::int64_t i = 0; i < count; ++i) made.things.push_back(invent_thing(dice, palette));
  return made;
}

void change(random& dice, thing& changed) {
  changed.x += draw(dice, -25, 25);
  changed.y += draw(dice, -25, 25);
  changed.across = changed.across * draw(dice, 88, 112) / 100;
  changed.along = changed.along * draw(dice, 88, 112) / 100;
  changed.turn += draw(dice, -1, 1);
  changed.first = draw_colour(dice, changed.first, 8);
  changed.second = draw_colour(dice, changed.second, 8);
}

/// The same scene from elsewhere, later.
void change(random& dice, scene& changed) {
  const int zoom = draw(dice, 90, 112), right = draw(dice, -50, 50), down = draw(dice, -40, 40),
            light = draw(dice, -14, 14);
  change(dice, changed.ground);
  if (dice.chance(0.2)) changed.things.erase(changed.things.begin() + draw(dice, 0, 3));
  if (dice.chance(0.2)) {
    const auto like = changed.things[dice.below(changed.things.size())];
    changed.things.push_back(like);
    changed.things.back().x = draw(dice, 80, 880);
  }
  for (auto& one : changed.things) {
    change(dice, one);
    one.x = full / 2 + (one.x - full / 2) * zoom / 100 + right;
    one.y = full / 3 + (one.y - full / 3) * zoom / 100 + down;
    one.across = one.across * zoom / 100;
    one.along = one.along * zoom / 100;
  }
  const auto lighten = [&](thing& one) {
    for (auto* of : {&one.first, &one.second})
      for (auto& channel : *of) channel = std::clamp(channel + light, 0, 255);
  };
  lighten(changed.ground);
  for (auto& one : changed.things) lighten(one);
}

/// Smooth noise, 0 to 256: random values on a lattice, and straight lines between them.
int cloud(int x, int y, int grain) {
  const auto at = [](int column, int row) {
    auto bits =
        static_cast<std::uint32_t>(column) * 0x9E3779B1U + static_cast<std::uint32_t>(row) * 0x85EBCA77U;
    bits ^= bits >> 15;
    bits *= 0x2C1B3C6DU;
    return static_cast<int>((bits >> 12) & 0xFFU);
  };
  constexpr int far = 1 << 20;  // all coordinates become positive
  x += far;
  y += far;
  const int column = x / grain, row = y / grain, right = x % grain, down = y % grain;
  const int top = at(column, row) * (grain - right) + at(column + 1, row) * right;
  const int bottom = at(column, row + 1) * (grain - right) + at(column + 1, row + 1) * right;
  return (top / grain * (grain - down) + bottom / grain * down) / grain;
}

/// How much of the second colour, of 256, is at a place within a thing.
int share(const thing& of, int u, int v) {
  switch (of.skin) {
    case texture::flat:
      return 0;
    case texture::slope:
      return std::clamp(128 + 128 * u / (of.across + 1), 0, 256);
    case texture::stripes:
      return ((u + 100000) / of.grain) % 2 * 256;
    case texture::checks:
      return ((u + 100000) / of.grain + (v + 100000) / of.grain) % 2 * 256;
    case texture::clouds:
      return cloud(u, v, of.grain);
  }
  return 0;
}

/// Whether a thing covers a place, told from its centre along its axes.
bool covers(const thing& of, int u, int v) {
  const int a = of.across, b = of.along;
  if (std::abs(u) > a || std::abs(v) > b) return false;
  const auto radius = [&](int across, int along) {
    return std::int64_t{u} * u * along * along + std::int64_t{v} * v * across * across <=
           std::int64_t{across} * across * along * along;
  };
  switch (of.outline) {
    case shape::ellipse:
      return radius(a, b);
    case shape::box:
      return true;
    case shape::triangle:
      return std::abs(u) * 2 * b <= a * (v + b);
    case shape::ring:
      return radius(a, b) && !radius(a / 2, b / 2);
    case shape::cross:
      return std::abs(u) * 3 <= a || std::abs(v) * 3 <= b;
  }
  return false;
}

void paint(picture& on, const thing& painted, bool everywhere) {
  constexpr int unit = full / static_cast<int>(scene_width);  // between two pixels: 4
  const int reach = painted.across + painted.along;
  const int s = sine_of(painted.turn), c = sine_of(painted.turn + 8);
  const auto clipped = [](int from, std::uint32_t size) {
    return std::clamp(from / unit, 0, static_cast<int>(size));
  };
  const int left = everywhere ? 0 : clipped(painted.x - reach, scene_width),
            right = everywhere ? scene_width : clipped(painted.x + reach, scene_width),
            top = everywhere ? 0 : clipped(painted.y - reach, scene_height),
            bottom = everywhere ? scene_height : clipped(painted.y + reach, scene_height);
  for (int y = top; y < bottom; ++y) {
    auto* to = &on.rgb[3 * (static_cast<std::size_t>(y) * scene_width + static_cast<std::size_t>(left))];
    for (int x = left; x < right; ++x, to += 3) {
      const int dx = x * unit - painted.x, dy = y * unit - painted.y;
      const int u = (dx * c + dy * s) / 256, v = (dy * c - dx * s) / 256;
      if (!everywhere && !covers(painted, u, v)) continue;
      const int second = share(painted, u, v);
      for (std::size_t i = 0; i < 3; ++i)
        to[i] =
            static_cast<std::uint8_t>((painted.first[i] * (256 - second) + painted.second[i] * second) / 256);
    }
  }
}

/// As a small camera's: five bits of each byte of random bits, about normal.
void add_noise(random& dice, picture& to) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < to.rgb.size(); ++i) {
    if (i % 8 == 0) bits = dice.next();
    const auto byte = static_cast<unsigned>(bits >> (8 * (i % 8)));
    const int noise = static_cast<int>((byte & 3U) + (byte >> 2 & 7U)) - 5;
    to.rgb[i] = static_cast<std::uint8_t>(std::clamp(to.rgb[i] + noise, 0, 255));
  }
}

}  // namespace

picture draw_scene(std::uint64_t seed, std::uint32_t family, std::uint32_t member) {
  auto shown = invent_scene(seed, family);
  random dice((seed << 40) + (std::uint64_t{family} << 16) + member);
  change(dice, shown);
  picture made{.width = scene_width, .height = scene_height, .rgb = {}};
  made.rgb.resize(3 * made.pixels());
  paint(made, shown.ground, true);
  for (const auto& one : shown.things) paint(made, one, false);
  add_noise(dice, made);
  return made;
}

}  // namespace apps::ferret
