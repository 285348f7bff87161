#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>

namespace apps::person_recognition {

/// A face that was found.
struct face {
  cv::Rect where;
  int distance = 0;     ///< recognize: to the most similar picture of the gallery; thousandths of the largest
  bool wanted = false;  ///< recognize: whether that is of the wanted person, and similar enough
  bool operator==(const face&) const = default;
};

/// The item: a picture of the film, and the faces in it.
struct frame {
  std::uint64_t number = 0;  ///< its place in the stream, from 0
  cv::Mat picture;           ///< source; recognize draws on it
  cv::Mat grey;              ///< detect; freed by recognize
  std::vector<face> faces;   ///< detect, from top to bottom; recognize says whose they are

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + picture.total() * picture.elemSize(); }
};

}  // namespace apps::person_recognition
