#include "apps/person_recognition/crowd.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "apps/support/film/paint.hpp"

namespace apps::person_recognition {
namespace {

/// One person's way through a phase.
struct walk {
  std::uint32_t person;
  int height;
  int x, y;   // where it starts
  int step;   // to the right in a frame, in sixteenths of a pixel
  int phase;  // of what swings
  int light, side_light;

  [[nodiscard]] appearance at(std::uint32_t frame) const {
    const auto time = std::int64_t{frame};
    appearance now{.person = person, .x = 0, .y = 0, .height = height, .looks = {}};
    now.x = x + static_cast<int>(time * step / 16);
    now.y = y + wave(phase + time * 3'040, height / 24);
    now.looks = {.turn = wave(phase + time * 976, 45),
                 .tilt = wave(std::int64_t{2} * phase + time * 688, 60),
                 .mouth = std::max(wave(phase + time * 6'560, 26), 0),
                 .brows = std::max(wave(phase + time * 1'552, 14), 0),
                 .side_light = side_light,
                 .light = light};
    return now;
  }
};

void mark_hidden(std::vector<appearance>& people, extent size) {
  for (std::size_t i = 0; i < people.size(); ++i) {
    auto& one = people[i];
    const int half = one.height * 6 / 10;
    one.hidden = one.x < half || one.x > size.width - half || one.y < half || one.y > size.height - half;
    for (std::size_t k = i + 1; k < people.size(); ++k) {
      const int reach = (one.height + people[k].height) / 2;
      // Shoulders hide, too.
      if (std::abs(one.x - people[k].x) < reach && people[k].y - one.y < reach) one.hidden = true;
    }
  }
}

}  // namespace

std::vector<std::vector<appearance>> crowd(std::uint64_t seed, std::uint32_t frames, std::uint32_t phase,
                                           extent size) {
  random dice(seed);
  const auto from = [&](int low, int high) { return static_cast<int>(dice.between(low, high)); };
  std::vector<std::vector<appearance>> film(frames);
  // Some alone, some in groups, and nobody; how many the wanted one is among.
  constexpr std::array<std::array<int, 2>, 6> kinds = {{{4, 1}, {0, 0}, {1, 1}, {6, 1}, {3, 0}, {2, 1}}};
  for (std::uint32_t start = 0, number = 0; start < frames; start += phase, ++number) {
    const auto [all, wanted] = kinds[number % kinds.size()];
    std::vector<walk> walks;
    for (int i = 0; i < all; ++i) {
      walk one{};
      // Nobody is there twice.
      do one.person = i < wanted ? 0 : 1 + static_cast<std::uint32_t>(dice.below(persons - 1));
      while (std::ranges::count(walks, one.person, &walk::person) > 0);
      one.height = size.height * from(26, all > 3 ? 34 : 42) / 100;
      one.x = size.width * (2 * i + 1) / (2 * all) + from(-12, 12);
      one.y = size.height * from(36, 52) / 100;
      one.step = from(-12, 12);
      one.phase = from(0, 65'535);
      one.light = from(190, 268);
      one.side_light = from(-50, 50);
      walks.push_back(one);
    }
    std::ranges::stable_sort(walks, {}, &walk::height);
    for (auto frame = start; frame < std::min(start + phase, frames); ++frame) {
      for (const auto& one : walks) film[frame].push_back(one.at(frame - start));
      mark_hidden(film[frame], size);
    }
  }
  return film;
}

stage::stage(std::uint64_t seed, extent size)
    : seed_(seed),
      size_(size),
      wall_(9 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)),
      noise_(seed + 2),
      bgr_(wall_.size() / 3) {
  random dice(seed + 1);
  // A wall with windows, doors and shelves: boxes on boxes.
  const int width = 3 * size.width;
  const auto from = [&](int low, int high) { return static_cast<int>(dice.between(low, high)); };
  const auto box = [&](int x, int y, int across, int down, colour filled) {
    for (int line = std::max(y, 0); line < std::min(y + down, size.height); ++line)
      for (int column = std::max(x, 0); column < std::min(x + across, width); ++column) {
        auto* to = &wall_[3 * (static_cast<std::size_t>(line) * static_cast<std::size_t>(width) +
                               static_cast<std::size_t>(column))];
        const int light = 256 - line * 60 / size.height;
        to[0] = clamped(filled.blue * light >> 8);
        to[1] = clamped(filled.green * light >> 8);
        to[2] = clamped(filled.red * light >> 8);
      }
  };
  box(0, 0, width, size.height, {150, 158, 162});
  for (int i = 0; i < 90; ++i) {
    const int across = size.width * from(4, 22) / 100, down = size.height * from(6, 60) / 100;
    const int grey = from(40, 200);
    // In which order a call's arguments are computed is up to the compiler: what is drawn has names.
    const colour filled{grey + from(-25, 25), grey + from(-20, 20), grey + from(-25, 25)};
    const int y = from(-20, size.height), x = from(-20, width);
    box(x, y, across, down, filled);
  }
  box(0, size.height * 88 / 100, width, size.height, {70, 84, 96});
}

const std::vector<std::uint8_t>& stage::draw(std::uint32_t frame, const std::vector<appearance>& people) {
  draw_background(frame);
  for (const auto& one : people) {
    const auto of = person(seed_, one.person);
    draw_body(one, of);
    draw_face(one, of);
  }
  noise_.add_to(bgr_, size_);
  return bgr_;
}

// The camera pans along the wall.
void stage::draw_background(std::uint32_t frame) {
  const int shift = size_.width + wave(std::int64_t{frame} * 80, size_.width - 1);
  const auto line = 3 * static_cast<std::size_t>(size_.width);
  for (int y = 0; y < size_.height; ++y)
    std::copy_n(&wall_[3 * line * static_cast<std::size_t>(y) + 3 * static_cast<std::size_t>(shift)], line,
                pixel(0, y));
}

void stage::draw_body(const appearance& one, const traits& of) {
  const int neck = one.height / 7, shoulders = one.height * 85 / 100, top = one.y + one.height * 42 / 100;
  const int light = one.looks.light;
  for (int y = std::max(one.y + one.height / 4, 0); y < size_.height; ++y) {
    const int down = y - top;
    const int round = one.height * 30 / 100;
    const int half = down < 0       ? 0
                     : down < round ? shoulders * (2 * round - down) / round * down / round
                                    : shoulders;
    for (int x = std::max(one.x - shoulders, 0); x < std::min(one.x + shoulders, size_.width); ++x) {
      const int side = std::abs(x - one.x);
      auto* to = pixel(x, y);
      const int shade = light - side * 90 / shoulders;
      if (side < half) {
        to[0] = clamped((40 + (of.clothes & 0x7F)) * shade >> 8);
        to[1] = clamped((40 + (of.clothes >> 8 & 0x7F)) * shade >> 8);
        to[2] = clamped((40 + (of.clothes >> 16 & 0x7F)) * shade >> 8);
      } else if (side < neck && down < round / 2) {
        to[0] = clamped(of.skin * 50 / 100 * light >> 8);
        to[1] = clamped(of.skin * 62 / 100 * light >> 8);
        to[2] = clamped(of.skin * 82 / 100 * light >> 8);
      }
    }
  }
}

void stage::draw_face(const appearance& one, const traits& of) {
  const portrait face(of, one.looks);
  const int reach = one.height * 64 / 100;
  for (int y = std::max(one.y - reach, 0); y < std::min(one.y + reach, size_.height); ++y)
    for (int x = std::max(one.x - reach, 0); x < std::min(one.x + reach, size_.width); ++x) {
      colour seen;
      const int cover = face.at((x - one.x) * 1000 / one.height, (y - one.y) * 1000 / one.height, seen);
      if (cover == 0) continue;
      auto* to = pixel(x, y);
      to[0] = clamped(to[0] + ((seen.blue - to[0]) * cover >> 8));
      to[1] = clamped(to[1] + ((seen.green - to[1]) * cover >> 8));
      to[2] = clamped(to[2] + ((seen.red - to[2]) * cover >> 8));
    }
}

}  // namespace apps::person_recognition
