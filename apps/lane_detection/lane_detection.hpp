/// The marks of a car's lane, found in a film and drawn on it. One thread does it so:
///
/// ```cpp
/// namespace lane = apps::lane_detection;
/// cv::setNumThreads(1);  // OpenCV's own threads would come on top
/// lane::source source("road.avi");
/// lane::segment segment;
/// lane::canny1 canny1;
/// lane::hough_t hough_t;
/// lane::hough_p hough_p;
/// lane::bitwise bitwise;
/// lane::canny2 canny2;
/// lane::overlap overlap;
/// lane::sink sink("lanes.avi", source);
/// while (auto frame = source())
///   sink(overlap(canny2(bitwise(hough_p(hough_t(canny1(segment(std::move(*frame)))))))));
/// sink.close();
/// ```
///
/// The operators have no state. The sink needs the frames in order; its film is the same, bit for bit,
/// whatever runs the operators.
#pragma once

#include <utility>

#include "apps/lane_detection/frame.hpp"
#include "apps/lane_detection/operators.hpp"
#include "apps/support/application.hpp"
#include "apps/support/film/stages.hpp"

namespace apps::lane_detection {

using apps::input_held;

/// Reads the film: Motion JPEG in an AVI file.
using source = film_source<frame>;
/// Writes the film with the marks.
using sink = film_sink<frame>;

/// What tools need to know.
const application& about();

}  // namespace apps::lane_detection
