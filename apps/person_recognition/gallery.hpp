#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <opencv2/core/mat.hpp>

#include "apps/person_recognition/face_finder.hpp"
#include "apps/person_recognition/frame.hpp"
#include "apps/person_recognition/patterns.hpp"

namespace apps::person_recognition {

/// The person who is looked for, as files are named.
inline constexpr std::string_view usual_person = "wanted";

/// The pictures that a gallery learns from a folder, in the order of their names. \throws error  naming the
/// folder, if it cannot be read
std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder);

/// Known faces. Only read once made, by as many threads as there are.
class gallery {
 public:
  /// Learns the faces in the JPEG pictures of a folder, each of one face; what stands before the last `-` of
  /// a name is whose it is: `wanted-07.jpg`, `somebody-01.jpg`. Pictures in which no face is found are left
  /// out. \throws error  naming the folder or file, if it cannot be read, or if no face of the wanted person
  /// is left
  gallery(const std::filesystem::path& folder, face_finder& find, std::string_view wanted = usual_person);

  /// Whose a face in a grey picture is: that of the most similar known one.
  [[nodiscard]] face recognize(const cv::Mat& grey, const cv::Rect& where) const;
  [[nodiscard]] std::size_t size() const { return known_.size(); }
  /// The pictures in which no face was found.
  [[nodiscard]] const std::vector<std::filesystem::path>& left_out() const { return left_out_; }

 private:
  struct known_face {
    patterns looks;
    bool wanted;
  };
  std::vector<known_face> known_;
  std::vector<std::filesystem::path> left_out_;
};

}  // namespace apps::person_recognition
