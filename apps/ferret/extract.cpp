#include "apps/ferret/extract.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace apps::ferret {
namespace {

__extension__ using wide = __int128;

/// Sums of the powers of a channel's values.
struct powers {
  std::int64_t first = 0, second = 0, third = 0;

  void add(std::int32_t value) {
    first += value;
    second += std::int64_t{value} * value;
    third += std::int64_t{value} * value * value;
  }
};

struct region_sums {
  std::int64_t size = 0;
  std::int64_t x = 0, y = 0;
  std::uint32_t left = 0xFFFFFFFF, right = 0, top = 0xFFFFFFFF, bottom = 0;
  std::array<powers, 3> channels;
};

/// The whole part of the `degree`th root.
std::int64_t root(wide of, int degree) {
  std::int64_t found = 0;
  for (std::int64_t bit = std::int64_t{1} << 20; bit > 0; bit /= 2) {
    const wide tried = found + bit;
    if ((degree == 2 ? tried * tried : tried * tried * tried) <= of) found += bit;
  }
  return found;
}

std::int16_t feature(std::int64_t value) {
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(value, 0, most_feature));
}

features features_of(const region_sums& sums, const picture& shown) {
  features made;
  auto* to = made.values.data();
  const std::int64_t n = sums.size;
  for (const auto& channel : sums.channels) {
    const wide mean = channel.first;
    // Moments about the mean, times n^2 and n^3.
    const wide second = wide{n} * channel.second - mean * mean;
    const wide third =
        wide{n} * n * channel.third - 3 * wide{n} * channel.first * channel.second + 2 * mean * mean * mean;
    const auto skew = root((third < 0 ? -third : third) * 64 / (wide{n} * n * n), 3);  // 4 times
    *to++ = feature(channel.first * 6 / n);
    *to++ = feature(root(second * 36 / (wide{n} * n), 2));
    *to++ = feature(512 + (third < 0 ? -skew : skew) / 2);
  }
  const std::int64_t width = sums.right - sums.left + 1, height = sums.bottom - sums.top + 1;
  *to++ = feature(600 * width / (width + height));
  *to++ = feature(600 * width * height / static_cast<std::int64_t>(shown.pixels()));
  *to++ = feature(300 * n / (width * height));
  *to++ = feature(600 * sums.x / (n * shown.width));
  *to++ = feature(600 * sums.y / (n * shown.height));
  return made;
}

/// Shares of `unit_weight` in proportion; what rounding leaves goes to the first ones, one each.
std::vector<std::uint16_t> normalised(const std::vector<std::int64_t>& weights) {
  const auto all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::vector<std::uint16_t> made;
  std::uint32_t left = unit_weight;
  for (const auto weight : weights) {
    made.push_back(static_cast<std::uint16_t>(weight * unit_weight / all));
    left -= made.back();
  }
  for (std::size_t i = 0; left > 0; ++i, --left) ++made[i % made.size()];
  return made;
}

}  // namespace

signature describe(const picture& shown, const segments& divided) {
  std::array<region_sums, most_regions> regions;
  const auto* rgb = shown.rgb.data();
  const auto* name = divided.region.data();
  for (std::uint32_t y = 0; y < shown.height; ++y) {
    for (std::uint32_t x = 0; x < shown.width; ++x, rgb += 3) {
      auto& sums = regions[*name++];
      const std::int32_t r = rgb[0], g = rgb[1], b = rgb[2];
      ++sums.size;
      sums.x += x;
      sums.y += y;
      sums.left = std::min(sums.left, x);
      sums.right = std::max(sums.right, x);
      sums.top = std::min(sums.top, y);
      sums.bottom = y;
      sums.channels[0].add((77 * r + 150 * g + 29 * b) / 256);
      sums.channels[1].add((32768 - 43 * r - 85 * g + 128 * b) / 256);
      sums.channels[2].add((32768 + 128 * r - 107 * g - 21 * b) / 256);
    }
  }
  signature made;
  std::vector<std::int64_t> weights;
  for (std::uint32_t i = 0; i < divided.count; ++i) {
    const auto& sums = regions[i];
    made.regions.push_back(features_of(sums, shown));
    weights.push_back(root(wide{sums.size} * 256, 2));
  }
  made.weights = normalised(weights);
  return made;
}

}  // namespace apps::ferret
