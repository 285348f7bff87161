/// For those who draw films: in whole numbers, so that pictures are the same on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "apps/support/film/jpeg.hpp"
#include "apps/support/random.hpp"

namespace apps {

/// A colour's part as it is stored.
inline std::uint8_t clamped(int value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0, 255));
}

/// About a sine of period 2^16, from -`most` to `most` (up to 2^18).
inline int wave(std::int64_t phase, int most) {
  const auto x = static_cast<int>(phase & 0x7FFF);
  const int half = x * (0x8000 - x) >> 16;  // to 4096
  return ((phase & 0x8000) != 0 ? -half : half) * most / 4096;
}

/// The noise of a camera's sensor: about normal, 6 levels at most.
class sensor_noise {
 public:
  explicit sensor_noise(std::uint64_t seed) : dice_(seed) {
    for (auto& level : levels_) level = static_cast<std::uint8_t>(dice_.below(7) + dice_.below(7));
  }
  /// Adds it to a picture of less than 2^13 pixels in a line.
  void add_to(std::vector<std::uint8_t>& bgr, extent size) {
    const auto line = 3 * static_cast<std::size_t>(size.width);
    for (std::size_t at = 0; at < bgr.size(); at += line) {
      const auto* level = &levels_[dice_.below(levels_.size() - line)];
      for (std::size_t i = at; i < at + line; ++i) bgr[i] = clamped(bgr[i] + *level++ - 6);
    }
  }

 private:
  random dice_;
  std::vector<std::uint8_t> levels_ = std::vector<std::uint8_t>(std::size_t{1} << 16);
};

}  // namespace apps
