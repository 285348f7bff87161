#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>

namespace apps::lane_detection {

/// A mark of the lane as a straight line: where it leaves the picture, and where its far end is.
struct mark {
  cv::Point near;
  cv::Point far;
  bool operator==(const mark&) const = default;
};

/// The item: a picture of the film, and what each operator has made of it. Pictures of the region have its
/// size, and are freed by the operator that needs them last.
struct frame {
  std::uint64_t number = 0;         ///< its place in the stream, from 0
  cv::Mat picture;                  ///< source; overlap draws on it
  cv::Mat region;                   ///< segment: the road in grey; freed by canny1
  cv::Mat edges;                    ///< canny1; freed by hough_p
  cv::Mat lines;                    ///< hough_t: straight lines; freed by bitwise
  cv::Mat segments;                 ///< hough_p: parts of lines; freed by bitwise
  cv::Mat agreed;                   ///< bitwise: what is in both; freed by canny2
  cv::Mat outlines;                 ///< canny2: its edges; freed by overlap
  std::optional<mark> left, right;  ///< overlap: the marks of the lane

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + picture.total() * picture.elemSize(); }
};

}  // namespace apps::lane_detection
