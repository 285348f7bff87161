#include "apps/video_filter/definition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace apps::video_filter {
namespace {

using kernel = std::vector<double>;  // its middle is the pixel itself

/// A channel of a picture in doubles.
struct plane {
  int width, height;
  std::vector<double> values;

  [[nodiscard]] double at(int x, int y) const {
    return values[static_cast<std::size_t>(mirrored(y, height)) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(mirrored(x, width))];
  }

 private:
  static int mirrored(int at, int size) {
    const int period = std::max(2 * (size - 1), 1);
    const int in_period = std::abs(at) % period;
    return std::min(in_period, period - in_period) % size;
  }
};

kernel gaussian(const filter& of) {
  kernel weights(of.blur);
  const double middle = (of.blur - 1) / 2.0, deviation = of.deviation();
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double away = static_cast<double>(i) - middle;
    sum += weights[i] = std::exp(-away * away / (2 * deviation * deviation));
  }
  for (auto& weight : weights) weight /= sum;
  return weights;
}

/// A polynomial (1 + x)^ones (-1 + x)^steps: what comes of adding neighbours, and of taking their
/// difference, so many times.
kernel product(std::uint32_t ones, std::uint32_t steps) {
  kernel terms{1};
  for (std::uint32_t i = 0; i < ones + steps; ++i) {
    const double sign = i < ones ? 1 : -1;
    terms.push_back(0);
    for (auto k = terms.size() - 1; k > 0; --k) terms[k] = terms[k - 1] + sign * terms[k];
    terms[0] *= sign;
  }
  return terms;
}

/// The sum of what lies around each pixel, weighed across and down.
plane weighed(const plane& from, const kernel& across, const kernel& down) {
  const auto apply = [](const plane& to, const kernel& by, bool along_lines) {
    plane made = to;
    const int middle = static_cast<int>(by.size()) / 2;
    for (int y = 0; y < to.height; ++y)
      for (int x = 0; x < to.width; ++x) {
        double sum = 0;
        for (int k = 0; k < static_cast<int>(by.size()); ++k) {
          const int away = k - middle;
          sum += by[static_cast<std::size_t>(k)] * (along_lines ? to.at(x + away, y) : to.at(x, y + away));
        }
        made.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(to.width) +
                    static_cast<std::size_t>(x)] = sum;
      }
    return made;
  };
  return apply(apply(from, across, true), down, false);
}

}  // namespace

cv::Mat by_definition(const cv::Mat& picture, const filter& of) {
  const auto bell = gaussian(of);
  const auto smooth = product(of.sobel - 1, 0), slope = product(of.sobel - 2, 1);
  double step = 0;
  for (const double s : smooth)
    for (const double d : slope) step += s * std::max(d, 0.0);

  cv::Mat made(picture.rows, picture.cols, CV_8UC3);
  for (int channel = 0; channel < 3; ++channel) {
    plane seen{picture.cols, picture.rows, {}};
    for (int y = 0; y < picture.rows; ++y)
      for (int x = 0; x < picture.cols; ++x) seen.values.push_back(picture.at<cv::Vec3b>(y, x)[channel]);
    auto soft = weighed(seen, bell, bell);
    for (auto& value : soft.values) value = std::round(value);
    const auto across = weighed(soft, slope, smooth), down = weighed(soft, smooth, slope);
    for (int y = 0; y < picture.rows; ++y)
      for (int x = 0; x < picture.cols; ++x) {
        const double steep = (std::abs(across.at(x, y)) + std::abs(down.at(x, y))) * 4 / step;
        made.at<cv::Vec3b>(y, x)[channel] = static_cast<std::uint8_t>(std::min(std::round(steep), 255.0));
      }
  }
  return made;
}

}  // namespace apps::video_filter
