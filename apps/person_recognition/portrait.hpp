#pragma once

#include <cstdint>

#include "apps/support/random.hpp"

namespace apps::person_recognition {

/// Blue, green and red.
struct colour {
  int blue = 0, green = 0, red = 0;
};

/// What makes a face that of one person. Lengths are in thousandths of the face's height.
struct traits {
  int skin, hair, eyes, clothes;
  int width, jaw;
  int eye_apart, eye_width, eye_height;
  int brow_height, brow_width, brow_slope;
  int nose_width, nose_length;
  int mouth_width, mouth_place, lips;
  int hair_line, hair_sides;
  bool beard, glasses, moustache;
};

/// The traits of a person, by number.
traits person(std::uint64_t seed, std::uint32_t number);

/// How a face looks at one moment.
struct pose {
  int turn = 0;   ///< to the side, thousandths
  int tilt = 0;   ///< thousandths of a radian
  int mouth = 0;  ///< how far open, thousandths
  int brows = 0;  ///< raised, thousandths
  int side_light = 0;
  int light = 256;  ///< 256: full
};

/// A face drawn from many soft shapes: so much like a face that cascades which were trained with photographs
/// find it. In whole numbers: the same on every machine.
class portrait {
 public:
  portrait(const traits& of, const pose& now) : of_(of), now_(now) {}

  /// What covers the point at (x, y), thousandths of the face's height from its middle, and how much of what
  /// is behind: 0 to 256. There is nothing beyond 620 in any direction.
  int at(int x, int y, colour& seen) const;

 private:
  [[nodiscard]] colour skin_at(int x, int y, int inner) const;
  void add_eyes(int inner, int y, colour& seen) const;
  void add_mouth(int inner, int y, colour& seen) const;

  traits of_;
  pose now_;
};

}  // namespace apps::person_recognition
