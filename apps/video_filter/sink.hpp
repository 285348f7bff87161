#pragma once

#include <cstddef>
#include <filesystem>

#include "apps/support/film/film.hpp"
#include "apps/video_filter/album.hpp"
#include "apps/video_filter/frame.hpp"

namespace apps::video_filter {

/// Writes the film, in Motion JPEG. Frames must come in order. The film gets its name at `close`.
/// \throws error  naming the file, if it cannot be written, would take the place of one of the pictures, or
/// if another frame is due
class sink {
 public:
  sink(std::filesystem::path file, const album& from);
  void operator()(const frame& one);
  /// \throws error  if frames are missing
  void close();

 private:
  film_writer film_;
  std::size_t frames_;
};

}  // namespace apps::video_filter
