/// The four operators between source and sink. What they make of a frame depends on nothing else; `read` and
/// `pack` have memory of their own, so each thread needs its own. OpenCV's own threads should be off
/// (`cv::setNumThreads(1)`).
#pragma once

#include "apps/support/film/film.hpp"
#include "apps/support/film/jpeg.hpp"
#include "apps/video_filter/filter.hpp"
#include "apps/video_filter/frame.hpp"
#include "apps/video_filter/picture_reader.hpp"

namespace apps::video_filter {

/// Reads the picture's file. \throws error  naming the file, if it cannot be read, is no picture, or has
/// another size than the item says
class read {
 public:
  frame operator()(frame item);

 private:
  picture_reader read_;
};

/// Replaces each pixel by the mean of those around it, weighed by a Gaussian curve. Behind an edge the
/// picture is mirrored, without the pixel at the edge.
struct blur {
  video_filter::filter filter;
  frame operator()(frame item) const;
};

/// Finds edges, in each colour by itself: how steep the picture is across and down, by the kernels of I.
/// Sobel, one added to the other. They are scaled so that a step from one pixel to the next would
/// give four times its height: those that are left by the blur are flatter. What is beyond 255 is 255.
struct sobel {
  video_filter::filter filter;
  frame operator()(frame item) const;
};

/// Packs the picture as JPEG, as the film has it.
class pack {
 public:
  frame operator()(frame item);

 private:
  jpeg_encoder encode_{film_quality};
};

}  // namespace apps::video_filter
