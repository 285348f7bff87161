#pragma once

#include <algorithm>
#include <cstdlib>

#include <opencv2/core/types.hpp>

namespace apps::lane_detection {

/// What operators take for granted about the camera: it looks ahead along the road, and the horizon is about
/// where the upper two fifths of the picture end. Lengths scale with the picture's height.
struct geometry {
  cv::Size picture;

  /// Pixels that are so many in a picture of 360 lines.
  [[nodiscard]] int scaled(int of_360) const { return std::max(1, of_360 * picture.height / 360); }
  [[nodiscard]] int horizon() const { return picture.height * 150 / 360; }
  /// The part of the picture in which the road is searched.
  [[nodiscard]] cv::Rect region() const {
    const int top = picture.height * 195 / 360;
    return {0, top, picture.width, picture.height - top};
  }
  /// The x of a line through two points of the picture at another height.
  static double x_at(cv::Point a, cv::Point b, int y) {
    return a.x + static_cast<double>(b.x - a.x) * (y - a.y) / (b.y - a.y);
  }
  /// Whether a line may be a mark of the lane: it comes from about the middle of the horizon, and leaves the
  /// picture through its lower corners. Nearly level lines are none.
  [[nodiscard]] bool may_be_mark(cv::Point a, cv::Point b) const {
    if (4 * std::abs(a.y - b.y) < std::abs(a.x - b.x)) return false;
    const double origin = x_at(a, b, horizon()) / picture.width;
    const double exit = x_at(a, b, picture.height) / picture.width;
    return origin > 0.32 && origin < 0.68 && exit > -0.35 && exit < 1.35;
  }
};

}  // namespace apps::lane_detection
