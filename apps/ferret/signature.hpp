#pragma once

#include <array>
#include <cstdint>
#include <cstring>
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

/// The distance of two regions: the sum of the absolute differences. Called so often that it is written for
/// the registers; compilers make a chain of single steps of a loop.
inline std::uint16_t distance(const features& a, const features& b) {
  using lanes = std::int16_t __attribute__((vector_size(16)));
  const auto apart = [&](std::size_t from) {
    lanes x, y;
    std::memcpy(&x, &a.values[from], sizeof x);
    std::memcpy(&y, &b.values[from], sizeof y);
    const lanes way = x - y, sign = way >> 15;
    return (way ^ sign) - sign;
  };
  lanes sum = apart(0) + apart(8);
  sum += __builtin_shufflevector(sum, sum, 4, 5, 6, 7, 0, 1, 2, 3);
  sum += __builtin_shufflevector(sum, sum, 2, 3, 0, 1, 6, 7, 4, 5);
  return static_cast<std::uint16_t>(sum[0] + sum[1]);
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
