#pragma once

#include <cstdint>
#include <string_view>

namespace apps::video_filter {

/// What is done to the pictures: the sides of the two kernels in pixels, odd numbers, and how many pictures
/// a second the film shows.
struct filter {
  std::uint32_t blur = 9;   ///< 1 (no blur) to `most_blur`
  std::uint32_t sobel = 3;  ///< 3, 5 or 7
  std::uint32_t rate = 30;
  bool operator==(const filter&) const = default;

  /// The deviation of the Gaussian curve in pixels: OpenCV's for a kernel of this side.
  [[nodiscard]] double deviation() const { return 0.3 * ((blur - 1) * 0.5 - 1) + 0.8; }
};

inline constexpr std::uint32_t most_blur = 31, most_sobel = 7, most_rate = 1'000;

/// The file of an input's filter, beside the pictures: the members of `filter` by name, each with its value
/// on a line. Without the file, they are as above.
inline constexpr std::string_view filter_file = "filter.txt";

}  // namespace apps::video_filter
