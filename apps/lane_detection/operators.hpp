/// The seven operators between source and sink. None has any state: all may be used by any number of threads.
/// OpenCV's own threads should be off (`cv::setNumThreads(1)`); results do not depend on them.
#pragma once

#include "apps/lane_detection/frame.hpp"

namespace apps::lane_detection {

/// Cuts out the lower part of the picture, where the road is, in grey and smoothed.
struct segment {
  frame operator()(frame item) const;
};

/// Finds edges: J. Canny, A Computational Approach to Edge Detection (1986).
struct canny1 {
  frame operator()(frame item) const;
};

/// Finds straight lines that a lane may have, and draws them: R. Duda and P. Hart, Use of the Hough
/// Transformation to Detect Lines and Curves in Pictures (1972).
struct hough_t {
  frame operator()(frame item) const;
};

/// Finds segments of such lines, and draws them: J. Matas, C. Galambos and J. Kittler, Robust Detection of
/// Lines Using the Progressive Probabilistic Hough Transform (2000).
struct hough_p {
  frame operator()(frame item) const;
};

/// Keeps what both have found.
struct bitwise {
  frame operator()(frame item) const;
};

/// Finds the edges of that.
struct canny2 {
  frame operator()(frame item) const;
};

/// In which marks are drawn: one that a road does not have.
inline const cv::Scalar mark_colour{255, 0, 255};

/// Finds the two marks of the lane in them, and draws these on the picture.
struct overlap {
  frame operator()(frame item) const;
};

}  // namespace apps::lane_detection
