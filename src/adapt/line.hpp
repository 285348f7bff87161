#pragma once

#include <thalweg/version.hpp>

#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

struct point {
  double x = 0, y = 0;
};

struct line {
  double x = 0, y = 0;  ///< a point of it
  double slope = 0;
  [[nodiscard]] double at(double where) const { return y + slope * (where - x); }
};

/// The line of least squares through points, of which there is at least one; level if all have the same x.
line line_through(const std::vector<point>& points);

}  // namespace THALWEG_NAMESPACE::adaptation
