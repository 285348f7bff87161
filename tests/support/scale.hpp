#pragma once

#include <algorithm>
#include <cstdlib>

/// How often a random or stress test repeats: `count` times the factor in THALWEG_TEST_SCALE (1 without it),
/// but at least once. Sanitizer builds, which are slow, set it below 1; long runs set it above.
inline int scaled(int count) {
  const char* text = std::getenv("THALWEG_TEST_SCALE");
  const double factor = text != nullptr ? std::atof(text) : 1.0;
  return factor > 0 ? std::max(1, static_cast<int>(count * factor)) : count;
}
