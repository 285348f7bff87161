#pragma once

#include <cmath>
#include <string>

namespace apps {

/// A number that is not negative, with so many digits behind the point: `rounded(0.25, 1)` is `0.3`.
inline std::string rounded(double value, int digits) {
  long unit = 1;
  for (int i = 0; i < digits; ++i) unit *= 10;
  const auto parts = std::lround(value * static_cast<double>(unit));
  return std::to_string(parts / unit) + "." + std::to_string(unit + parts % unit).substr(1);
}

}  // namespace apps
