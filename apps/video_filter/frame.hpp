#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <opencv2/core/mat.hpp>

#include "apps/support/bytes.hpp"
#include "apps/support/film/jpeg.hpp"

namespace apps::video_filter {

/// The item: a picture of the film, in what form the operators have brought it.
struct frame {
  std::uint64_t number = 0;    ///< its place in the stream, from 0
  std::filesystem::path file;  ///< source: where it is from
  extent size;                 ///< source: that of all pictures
  bytes content;               ///< source, if it holds its input: what is in the file; freed by read
  cv::Mat picture;             ///< read, blur and sobel; freed by pack
  bytes packed;                ///< pack: the picture as JPEG

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + file.native().size() + content.size(); }
};

}  // namespace apps::video_filter
