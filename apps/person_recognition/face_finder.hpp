#pragma once

#include <filesystem>
#include <vector>

#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>
#include <opencv2/objdetect.hpp>

namespace apps::person_recognition {

/// The cascade for faces seen from the front, as OpenCV's data have it on this machine.
std::filesystem::path usual_cascade();

/// Finds faces with a cascade of classifiers: P. Viola and M. Jones, Robust Real-Time Face Detection (2004).
/// Has memory that it works in: one for each thread.
class face_finder {
 public:
  /// \throws error  naming the file, if it is missing or no cascade of OpenCV
  explicit face_finder(const std::filesystem::path& cascade);
  /// The faces in a grey picture that are at least `least` high, from top to bottom. Sizes are tried in steps
  /// of `step`: the finer, the more are found, and the longer it takes.
  std::vector<cv::Rect> operator()(const cv::Mat& grey, double step, int least);

 private:
  cv::CascadeClassifier cascade_;
};

}  // namespace apps::person_recognition
