#pragma once

#include <memory>
#include <string>
#include <vector>

#include <video_filter.hpp>

#include "apps/video_filter/frame.hpp"
#include "bench/support/mpi_letter.hpp"

/// A frame whose operator has failed is none, and travels as an empty one.
/// The name of the file, or what is in it, until the picture is there, then the picture until it is packed.
inline void travel(mpi_letter& by, std::shared_ptr<apps::video_filter::frame>& one) {
  if (!one) one = std::make_shared<apps::video_filter::frame>();
  auto file = one->file.string();
  auto& picture = one->picture;
  int rows = picture.rows, columns = picture.cols;
  by.value(one->number);
  by.value(one->size);
  by.text(file);
  by.value(rows);
  by.value(columns);
  by.block(one->content);
  by.block(one->packed);
  if (!by.reads()) return by.lying(picture.data, picture.total() * picture.elemSize());
  one->file = file;
  if (rows == 0) return;
  picture.create(rows, columns, CV_8UC3);
  by.lying(picture.data, picture.total() * picture.elemSize());
}
