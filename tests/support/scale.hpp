#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

/// How often a random or stress test repeats: `count` times the factor in THALWEG_TEST_SCALE (1 without it),
/// but at least once. Sanitizer builds, which are slow, set it below 1; long runs set it above.
inline int scaled(int count) {
  const char* text = std::getenv("THALWEG_TEST_SCALE");
  const double factor = text != nullptr ? std::atof(text) : 1.0;
  return factor > 0 ? std::max(1, static_cast<int>(count * factor)) : count;
}

/// How far apart the places are that a test looks at: 1, or `sparse` where THALWEG_TEST_SCALE is below 1. A
/// test that looks at every byte of a file takes minutes under the sanitizers.
inline std::size_t apart(std::size_t sparse) {
  return scaled(100) < 100 ? sparse : 1;
}
