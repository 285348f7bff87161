#include "apps/person_recognition/patterns.hpp"

#include <bit>

#include <opencv2/imgproc.hpp>

namespace apps::person_recognition {
namespace {

/// Of each of the 256 patterns of eight neighbours, its number.
constexpr std::array<std::uint8_t, 256> make_numbers() {
  std::array<std::uint8_t, 256> numbers{};
  std::uint8_t next = 0;
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto pattern = static_cast<std::uint8_t>(bits);
    const int changes = std::popcount(static_cast<std::uint8_t>(pattern ^ std::rotl(pattern, 1)));
    numbers[bits] = changes <= 2 ? next++ : pattern_count - 1;
  }
  return numbers;
}
constexpr auto numbers = make_numbers();

/// (a - b)^2 / (a + b), for counts of pixels in a cell, in 2^-8.
using terms = std::array<std::uint16_t, std::size_t{pixels_of_cell + 1} * (pixels_of_cell + 1)>;
const terms& chi_square() {
  static const terms made = [] {
    terms all{};
    for (int a = 0; a <= pixels_of_cell; ++a)
      for (int b = 0; b <= pixels_of_cell; ++b)
        if (a + b > 0)
          all[static_cast<std::size_t>(a) * (pixels_of_cell + 1) + static_cast<std::size_t>(b)] =
              static_cast<std::uint16_t>((a - b) * (a - b) * 256 / (a + b));
    return all;
  }();
  return made;
}

}  // namespace

patterns patterns_of(const cv::Mat& grey) {
  // With a border, so that each pixel has neighbours; smoothed, so that noise and size matter less.
  constexpr int border = 1, brighter = 2;
  cv::Mat face;
  cv::resize(grey, face, {face_size + 2 * border, face_size + 2 * border}, 0, 0, cv::INTER_LINEAR_EXACT);
  cv::GaussianBlur(face, face, {5, 5}, 0);
  patterns made{};
  for (int y = 0; y < face_size; ++y) {
    const auto* above = face.ptr<std::uint8_t>(y);
    const auto* line = face.ptr<std::uint8_t>(y + 1);
    const auto* below = face.ptr<std::uint8_t>(y + 2);
    for (int x = 0; x < face_size; ++x) {
      const int least = line[x + 1] + brighter;
      unsigned bits = 0;
      for (const int neighbour :
           {above[x], above[x + 1], above[x + 2], line[x + 2], below[x + 2], below[x + 1], below[x], line[x]})
        bits = bits << 1 | (neighbour >= least ? 1U : 0U);
      const auto cell = static_cast<std::size_t>((y * cells / face_size) * cells + x * cells / face_size);
      ++made[cell * pattern_count + numbers[bits]];
    }
  }
  return made;
}

int distance(const patterns& a, const patterns& b) {
  const auto& term = chi_square();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += term[std::size_t{a[i]} * (pixels_of_cell + 1) + b[i]];
  // Of cells that have nothing in common it is twice their pixels.
  constexpr std::uint64_t most = std::uint64_t{2} * 256 * cells * cells * pixels_of_cell;
  return static_cast<int>(sum * 1000 / most);
}

}  // namespace apps::person_recognition
