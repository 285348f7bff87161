#pragma once

#include <cstdint>
#include <vector>

namespace apps {

/// The weights of `n` things of which few come often and many rarely: the k-th (from 0) about 1 / (k + 1 +
/// shift), as integers (Zipf's law; with `shift` Zipf and Mandelbrot's, in which the first few are less far
/// apart). For `choice`; n up to 2^20.
///
/// ```cpp
/// const auto weights = apps::zipf_weights(1000);
/// assert(weights[0] == 2 * weights[1]);
/// ```
inline std::vector<std::uint64_t> zipf_weights(std::uint64_t n, std::uint64_t shift = 0) {
  std::vector<std::uint64_t> weights(n);
  for (std::uint64_t k = 0; k < n; ++k) weights[k] = (std::uint64_t{1} << 36) / (k + 1 + shift);
  return weights;
}

}  // namespace apps
