#include "apps/mandelbrot_zoom/blur.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace apps::mandelbrot_zoom {
namespace {

using weights = std::array<std::uint32_t, 2 * most_blur + 1>;  // their sum is a power of 2

weights binomial(std::uint32_t n) {
  weights row{1};
  for (std::uint32_t i = 1; i <= n; ++i)
    for (auto k = i; k > 0; --k) row[k] += row[k - 1];
  return row;
}

/// Between lines and columns a pixel has 8 bits more, which are lost only at the end.
constexpr unsigned more_bits = 8;
using sums = std::vector<std::uint32_t>;

/// Adds to each of `to` the weighted one of `from`.
template <class T> void add(sums& to, const T* from, std::uint32_t weight) {
  for (std::size_t x = 0; x < to.size(); ++x) to[x] += weight * from[x];
}

}  // namespace

frame blur(const film& shown, frame one) {
  const std::size_t width = shown.first.width, height = shown.first.height, radius = shown.blur;
  const auto weight = binomial(2 * shown.blur);
  const auto weight_bits = 2 * shown.blur;

  std::vector<std::uint16_t> lines(width * height);
  std::vector<std::uint8_t> wider(width + 2 * radius);
  sums sum(width);
  for (std::size_t y = 0; y < height; ++y) {
    const auto* const line = reinterpret_cast<const std::uint8_t*>(&one.pixels[y * width]);
    std::fill_n(wider.begin(), radius, line[0]);
    std::copy_n(line, width, wider.begin() + static_cast<std::ptrdiff_t>(radius));
    std::fill_n(wider.end() - static_cast<std::ptrdiff_t>(radius), radius, line[width - 1]);
    std::ranges::fill(sum, 0);
    for (std::size_t k = 0; k <= 2 * radius; ++k) add(sum, &wider[k], weight[k]);
    for (std::size_t x = 0; x < width; ++x)
      lines[y * width + x] = static_cast<std::uint16_t>((sum[x] << more_bits) >> weight_bits);
  }
  for (std::size_t y = 0; y < height; ++y) {
    std::ranges::fill(sum, 1U << (weight_bits + more_bits - 1));  // a half: to be rounded
    for (std::size_t k = 0; k <= 2 * radius; ++k) {
      const auto from = std::clamp(y + k, radius, height - 1 + radius) - radius;
      add(sum, &lines[from * width], weight[k]);
    }
    for (std::size_t x = 0; x < width; ++x)
      one.pixels[y * width + x] = static_cast<char>(sum[x] >> (weight_bits + more_bits));
  }
  return one;
}

}  // namespace apps::mandelbrot_zoom
