/// Pictures are blurred, their edges found, and a film is made of these. One thread does it so:
///
/// ```cpp
/// namespace video = apps::video_filter;
/// cv::setNumThreads(1);  // OpenCV's own threads would come on top
/// const auto album = video::read_album("pictures");
/// video::source source(album);
/// video::read read;
/// video::blur blur{album.filter};
/// video::sobel sobel{album.filter};
/// video::pack pack;
/// video::sink sink("edges.avi", album);
/// while (auto frame = source()) sink(pack(sobel(blur(read(std::move(*frame))))));
/// sink.close();
/// ```
///
/// Frames are independent of each other. The sink needs them in order; its film is the same, bit for bit,
/// whatever runs the operators.
#pragma once

#include "apps/support/application.hpp"
#include "apps/video_filter/album.hpp"
#include "apps/video_filter/frame.hpp"
#include "apps/video_filter/operators.hpp"
#include "apps/video_filter/sink.hpp"
#include "apps/video_filter/source.hpp"

namespace apps::video_filter {

/// What tools need to know.
const application& about();

}  // namespace apps::video_filter
