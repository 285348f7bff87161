#include "apps/person_recognition/portrait.hpp"

#include <algorithm>
#include <cstdlib>

namespace apps::person_recognition {
namespace {

/// A soft ellipse: 256 well inside, 0 outside; `soft` of 256 of it is its edge.
struct ellipse {
  int x, y, across, down, soft;

  [[nodiscard]] int cover(int at_x, int at_y) const {
    const int right = at_x - x, below = at_y - y;
    if (std::abs(right) >= across || std::abs(below) >= down) return 0;
    const auto out =
        right * right * 4096 / (across * across) + below * below * 4096 / (down * down);  // 4096: the edge
    return std::clamp((4096 - out) * 8 / soft, 0, 256);
  }
};

colour mixed(colour a, colour b, int part) {
  return {a.blue + ((b.blue - a.blue) * part >> 8), a.green + ((b.green - a.green) * part >> 8),
          a.red + ((b.red - a.red) * part >> 8)};
}

colour lit(colour c, int light) {
  return {c.blue * light >> 8, c.green * light >> 8, c.red * light >> 8};
}

colour hair_of(const traits& of, int x, int y) {
  const int strands = ((x * 37 + y * 5) & 63) - 32;
  return lit({of.hair * 7 / 10, of.hair * 8 / 10, of.hair}, 256 + strands);
}

}  // namespace

traits person(std::uint64_t seed, std::uint32_t number) {
  random dice(seed * 1'000'003 + number);
  const auto from = [&](int low, int high) { return static_cast<int>(dice.between(low, high)); };
  traits made{};
  made.skin = from(140, 225);
  made.hair = from(20, 110);
  made.eyes = from(30, 110);
  made.clothes = from(0, 0xFFFFFF);
  made.width = from(335, 395);
  made.jaw = from(210, 310);
  made.eye_apart = from(152, 208);
  made.eye_width = from(62, 86);
  made.eye_height = from(22, 42);
  made.brow_height = from(64, 118);
  made.brow_width = from(12, 42);
  made.brow_slope = from(-24, 24);
  made.nose_width = from(44, 104);
  made.nose_length = from(138, 218);
  made.mouth_width = from(92, 196);
  made.mouth_place = from(244, 304);
  made.lips = from(10, 46);
  made.hair_line = from(-350, -220);
  made.hair_sides = from(10, 60);
  made.beard = dice.chance(0.3);
  made.moustache = dice.chance(0.3);
  made.glasses = dice.chance(0.2);
  return made;
}

// Skin, shaded as what is under it stands out. `inner`: across, as features move when the head turns.
colour portrait::skin_at(int x, int y, int inner) const {
  const int mirrored = std::abs(inner);
  int light = 256 - x * x / 1400 + (x * now_.side_light >> 8) - std::max(y - 250, 0) / 3;
  const auto shade = [&](const ellipse& where, int by, int at_x) {
    light += light * (where.cover(at_x, y) * by >> 8) >> 8;
  };
  shade({of_.eye_apart, -95, of_.eye_width * 2, 95, 256}, -120, mirrored);
  shade({190, 110, 110, 90, 256}, 34, mirrored);
  shade({0, -270, 240, 90, 256}, 24, inner);
  // The nose: a ridge with shadows beside it, its tip, and what is below.
  if (y > -200 && y < of_.nose_length - 90) {
    const int ridge = 30 + (y > 0 ? y * of_.nose_width / 300 : 0);
    const int beside = mirrored - ridge;
    if (beside < 0)
      light += light * (-36 * beside / ridge) >> 8;
    else if (beside < 40)
      light -= light * (36 * (40 - beside) / 40) >> 8;
  }
  shade({0, of_.nose_length - 110, of_.nose_width, 45, 256}, 20, inner);
  shade({0, of_.nose_length - 60, of_.nose_width + 10, 26, 256}, -110, inner);
  shade({0, of_.mouth_place + of_.lips + now_.mouth + 30, of_.mouth_width * 6 / 10, 16, 256}, -60, inner);
  const colour seen = lit({of_.skin * 62 / 100, of_.skin * 76 / 100, of_.skin}, light);
  const int nostril = ellipse{of_.nose_width / 2, of_.nose_length - 72, 18, 12, 100}.cover(mirrored, y);
  return mixed(seen, {20, 20, 40}, nostril * 200 >> 8);
}

void portrait::add_eyes(int inner, int y, colour& seen) const {
  const int mirrored = std::abs(inner), apart = of_.eye_apart;
  const int open = ellipse{apart, -90, of_.eye_width, of_.eye_height, 60}.cover(mirrored, y);
  if (open > 0) {
    colour eye{205, 205, 205};
    eye = mixed(eye, {of_.eyes, of_.eyes * 8 / 10, of_.eyes * 6 / 10},
                ellipse{apart, -92, 34, 34, 40}.cover(mirrored, y));
    eye = mixed(eye, {8, 8, 8}, ellipse{apart, -92, 16, 16, 40}.cover(mirrored, y));
    eye = mixed(eye, {250, 250, 250},
                ellipse{(inner < 0 ? -apart : apart) + 10, -102, 7, 7, 40}.cover(inner, y));
    seen = mixed(seen, lit(eye, 225), open);
  }
  const int lid = ellipse{apart, -100, of_.eye_width + 6, of_.eye_height + 6, 60}.cover(mirrored, y) -
                  ellipse{apart, -84, of_.eye_width + 4, of_.eye_height + 6, 60}.cover(mirrored, y);
  if (lid > 0) seen = mixed(seen, {20, 24, 34}, lid * 220 >> 8);
  const int brow_at = -90 - of_.brow_height - now_.brows + (mirrored - apart) * of_.brow_slope / 100;
  const int brow = ellipse{apart, brow_at, of_.eye_width + 24, of_.brow_width, 100}.cover(mirrored, y);
  if (brow > 0) seen = mixed(seen, lit(hair_of(of_, inner, y), 180), brow * 230 >> 8);
  if (!of_.glasses) return;
  const int frame = ellipse{apart, -88, 118, 88, 24}.cover(mirrored, y) -
                    ellipse{apart, -88, 106, 76, 24}.cover(mirrored, y);
  if (frame > 0) seen = mixed(seen, {40, 38, 36}, frame * 200 >> 8);
}

void portrait::add_mouth(int inner, int y, colour& seen) const {
  const int at = of_.mouth_place;
  if (of_.beard) {
    const int beard = ellipse{0, 330, of_.jaw + 60, 190, 200}.cover(inner, y) -
                      ellipse{0, at, of_.mouth_width + 30, 60, 120}.cover(inner, y);
    if (beard > 0) seen = mixed(seen, lit(hair_of(of_, inner, y), 220), beard * 190 >> 8);
  }
  if (of_.moustache) {
    const int hairs = ellipse{0, at - 48, of_.mouth_width, 26, 160}.cover(inner, y);
    seen = mixed(seen, lit(hair_of(of_, inner, y), 220), hairs * 200 >> 8);
  }
  const colour lips{of_.skin * 40 / 100, of_.skin * 42 / 100, of_.skin * 80 / 100};
  seen = mixed(seen, lips, ellipse{0, at, of_.mouth_width, of_.lips + 8 + now_.mouth, 100}.cover(inner, y));
  seen = mixed(seen, {20, 20, 50},
               ellipse{0, at - 4, of_.mouth_width, 7 + now_.mouth, 100}.cover(inner, y) * 220 >> 8);
}

int portrait::at(int x, int y, colour& seen) const {
  const int turned = x - (y * now_.tilt >> 10);
  y += x * now_.tilt >> 10;
  x = turned;
  const int below = std::clamp(y, 0, 430);
  const int wide = of_.width - (of_.width - of_.jaw) * below / 430 * below / 430;
  const int head = ellipse{0, -20, wide, 480, 40}.cover(x, y);
  const int around = ellipse{0, -90, of_.width + of_.hair_sides, 470, 40}.cover(x, y);
  const bool hair_in_front = y < of_.hair_line + std::min(x * x / 900, 120);
  const bool hair_behind = y < 120;
  const int hair = hair_in_front || hair_behind ? around : 0;
  const int cover = std::max(head, hair);
  if (cover == 0) return 0;
  const int light = 256 + (x * now_.side_light >> 8);
  const auto behind = lit(hair_of(of_, x, y), hair_in_front ? light : 230);
  if (hair_in_front || head == 0) {
    seen = behind;
  } else {
    // What is on the front of the head moves most when it turns.
    const int inner = x - now_.turn * (wide * wide - std::min(x * x, wide * wide)) / (wide * wide);
    seen = skin_at(x, y, inner);
    add_eyes(inner, y, seen);
    add_mouth(inner, y, seen);
    if (hair > 0) seen = mixed(behind, seen, head);
  }
  seen = lit(seen, now_.light);
  return cover;
}

}  // namespace apps::person_recognition
