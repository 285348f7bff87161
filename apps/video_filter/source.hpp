#pragma once

#include <optional>

#include "apps/support/file_source.hpp"
#include "apps/video_filter/album.hpp"
#include "apps/video_filter/frame.hpp"

namespace apps::video_filter {

using apps::input_held;

/// Gives the pictures of an album in their order: the names of their files, and, if it holds its input, what
/// is in the files. \throws error  naming the file, if it cannot be read
class source {
 public:
  explicit source(const album& of, input_held held = input_held::on_disk)
      : files_(of.files, held), size_(of.size) {}
  /// The next frame; nothing behind the last.
  std::optional<frame> operator()() {
    auto next = files_();
    if (next) next->size = size_;
    return next;
  }

 private:
  file_source<frame> files_;
  extent size_;
};

}  // namespace apps::video_filter
