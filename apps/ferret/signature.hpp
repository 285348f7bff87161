#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace apps::ferret {

/// A picture has at most so many regions.
inline constexpr std::size_t most_regions = 16;

/// How many numbers describe a region.
inline constexpr std::size_t dimensions = 14;

/// They are whole numbers from 0 to this: a distance fits into 16 bits.
inline constexpr int most_feature = 2047;

/// The description of a region; the last two numbers are 0, so that it is two or four registers.
struct alignas(32) features {
  std::array<std::int16_t, 16> values{};
  bool operator==(const features&) const = default;
};

/// The distance of two regions: the sum of the absolute differences.
inline std::uint16_t distance(const features& a, const features& b) {
  std::uint16_t sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    sum = static_cast<std::uint16_t>(sum + std::max(a.values[i], b.values[i]) -
                                     std::min(a.values[i], b.values[i]));
  return sum;
}

/// The weights of a picture's regions have this sum.
inline constexpr std::uint32_t unit_weight = 1000;

/// The regions of a picture, and how much each of them counts.
struct signature_view {
  std::span<const features> regions;
  std::span<const std::uint16_t> weights;
};
struct signature {
  std::vector<features> regions;
  std::vector<std::uint16_t> weights;

  operator signature_view() const { return {regions, weights}; }
  bool operator==(const signature&) const = default;
};

}  // namespace apps::ferret
