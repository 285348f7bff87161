#pragma once

#include <filesystem>
#include <string_view>

#include <opencv2/core/mat.hpp>

#include "apps/support/film/jpeg.hpp"

namespace apps::video_filter {

/// Unpacks the bytes of a picture's file: JPEG, binary PGM or PPM. Which of them it is, its first bytes tell.
/// One for each thread. Errors are `apps::error`s that name the file.
class picture_reader {
 public:
  /// The size of the picture. \throws error  if it is none, or larger than a film's may be
  extent size_of(std::string_view bytes, const std::filesystem::path& file);
  /// Its pixels: blue, green and red, a byte each. \throws error  if it is damaged, or not of this size
  cv::Mat operator()(std::string_view bytes, const std::filesystem::path& file, extent size);

 private:
  jpeg_decoder decode_;
};

}  // namespace apps::video_filter
