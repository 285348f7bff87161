#pragma once

#include <opencv2/core/mat.hpp>

#include "apps/video_filter/filter.hpp"

namespace apps::video_filter {

/// What blur and sobel are by their definition, for those who check the operators: computed by itself, in
/// doubles, from the formulas of the two kernels, and slowly. `picture`: bytes of blue, green and red; so is
/// the result. Only what lies between the two is rounded, as the operators have bytes there.
cv::Mat by_definition(const cv::Mat& picture, const filter& of);

}  // namespace apps::video_filter
