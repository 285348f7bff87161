#include "apps/video_filter/operators.hpp"

#include <opencv2/imgproc.hpp>

#include "apps/support/files.hpp"

namespace apps::video_filter {
namespace {

/// What the kernel gives for a step of height 1: the sum of its weights on one side.
double step_of(std::uint32_t side) {
  if (side == 3) return 1 * 4;
  if (side == 5) return 3 * 16;
  return 10 * 64;
}

}  // namespace

frame read::operator()(frame item) {
  if (item.content.empty()) item.content = read_file(item.file);
  item.picture = read_(view(item.content), item.file, item.size);
  item.content = bytes();
  return item;
}

frame blur::operator()(frame item) const {
  const auto side = static_cast<int>(filter.blur);
  if (side > 1) cv::GaussianBlur(item.picture, item.picture, {side, side}, filter.deviation());
  return item;
}

frame sobel::operator()(frame item) const {
  const auto side = static_cast<int>(filter.sobel);
  // The sums of the largest kernel do not fit into 16 bits.
  const int depth = side < 7 ? CV_16S : CV_32F;
  const double scale = 4 / step_of(filter.sobel);
  cv::Mat slope, across, down;
  cv::Sobel(item.picture, slope, depth, 1, 0, side);
  cv::convertScaleAbs(slope, across, scale);
  cv::Sobel(item.picture, slope, depth, 0, 1, side);
  cv::convertScaleAbs(slope, down, scale);
  cv::add(across, down, item.picture);
  return item;
}

frame pack::operator()(frame item) {
  const auto jpeg = encode_(item.picture.data, {item.picture.cols, item.picture.rows});
  item.packed.assign(jpeg.begin(), jpeg.end());
  item.picture.release();
  return item;
}

}  // namespace apps::video_filter
