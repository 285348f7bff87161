#pragma once

#include <cstdint>
#include <vector>

#include "apps/person_recognition/portrait.hpp"
#include "apps/support/film/jpeg.hpp"
#include "apps/support/film/paint.hpp"

namespace apps::person_recognition {

/// A face in a picture: where its middle is, and its height, in pixels.
struct appearance {
  std::uint32_t person = 0;  ///< 0 is the wanted one
  int x = 0, y = 0, height = 0;
  pose looks;
  bool hidden = false;  ///< partly: by the edge of the picture, or by somebody nearer
};

/// The people of a film, frame by frame: phases with many faces, with few, and with none; some with the
/// wanted person. Nearer ones come later in a frame.
std::vector<std::vector<appearance>> crowd(std::uint64_t seed, std::uint32_t frames, std::uint32_t phase,
                                           extent size);

/// How many persons there are. Of the first `known_persons` there are pictures; the others are strangers.
inline constexpr std::uint32_t persons = 24, known_persons = 16;

/// Draws them before a background, with the noise of a sensor. In whole numbers.
class stage {
 public:
  stage(std::uint64_t seed, extent size);
  /// The picture: blue, green and red of each pixel. Good until the next call.
  const std::vector<std::uint8_t>& draw(std::uint32_t frame, const std::vector<appearance>& people);

 private:
  void draw_background(std::uint32_t frame);
  void draw_body(const appearance& one, const traits& of);
  void draw_face(const appearance& one, const traits& of);
  [[nodiscard]] std::uint8_t* pixel(int x, int y) {
    return &bgr_[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
                      static_cast<std::size_t>(x))];
  }

  std::uint64_t seed_;
  extent size_;
  std::vector<std::uint8_t> wall_;  // three times as wide as the picture
  sensor_noise noise_;
  std::vector<std::uint8_t> bgr_;
};

}  // namespace apps::person_recognition
