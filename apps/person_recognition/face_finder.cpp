#include "apps/person_recognition/face_finder.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include <opencv2/core/persistence.hpp>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps::person_recognition {

std::filesystem::path usual_cascade() {
  return THALWEG_FACE_CASCADE;
}

face_finder::face_finder(const std::filesystem::path& cascade) {
  const auto text = read_file(cascade);
  try {
    const cv::FileStorage stored(std::string(view(text)), cv::FileStorage::READ | cv::FileStorage::MEMORY);
    if (stored.isOpened() && cascade_.read(stored.getFirstTopLevelNode()) && !cascade_.empty()) return;
  } catch (const cv::Exception&) {
    // It is said below.
  }
  throw error("'" + cascade.string() + "' is no cascade that OpenCV can read");
}

std::vector<cv::Rect> face_finder::operator()(const cv::Mat& grey, double step, int least) {
  constexpr int neighbours = 3;
  std::vector<cv::Rect> found;
  cascade_.detectMultiScale(grey, found, step, neighbours, 0, {least, least});
  // Their order depends on threads that OpenCV may have.
  std::ranges::sort(found, {}, [](const cv::Rect& r) { return std::tuple(r.y, r.x, r.height, r.width); });
  return found;
}

}  // namespace apps::person_recognition
