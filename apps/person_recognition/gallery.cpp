#include "apps/person_recognition/gallery.hpp"

#include <algorithm>
#include <system_error>

#include <opencv2/imgproc.hpp>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/film/jpeg.hpp"

namespace apps::person_recognition {
namespace {

// More unlike than this is nobody who is known.
constexpr int most_unlike = 215;

cv::Mat read_grey(const std::filesystem::path& file, jpeg_decoder& decode) {
  const auto packed = read_file(file);
  const auto size = decode.size_of(view(packed));
  if (!size) throw error("'" + file.string() + "' is no JPEG picture");
  cv::Mat picture(size->height, size->width, CV_8UC3), grey;
  if (!decode(view(packed), picture.data, *size)) throw error("'" + file.string() + "' is damaged");
  cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
  return grey;
}

}  // namespace

std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder) {
  std::error_code wrong;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(folder, wrong), end; !wrong && entry != end;
       entry.increment(wrong))
    if (entry->path().extension() == ".jpg") found.push_back(entry->path());
  if (wrong) throw error("cannot read '" + folder.string() + "': " + wrong.message());
  std::ranges::sort(found);
  return found;
}

gallery::gallery(const std::filesystem::path& folder, face_finder& find, std::string_view wanted) {
  jpeg_decoder decode;
  for (const auto& file : pictures_in(folder)) {
    const auto grey = read_grey(file, decode);
    constexpr double coarse = 1.15;
    const auto found = find(grey, coarse, std::min(grey.rows, grey.cols) / 3);
    if (found.empty()) {
      left_out_.push_back(file);
      continue;
    }
    const auto largest = *std::ranges::max_element(found, {}, [](const cv::Rect& r) { return r.area(); });
    const auto name = file.stem().string();
    known_.push_back({patterns_of(grey(largest)), name.substr(0, name.rfind('-')) == wanted});
  }
  if (std::ranges::none_of(known_, &known_face::wanted))
    throw error("'" + folder.string() + "' has no picture that shows the face of '" + std::string(wanted) +
                "': '" + std::string(wanted) + "-*.jpg'");
}

face gallery::recognize(const cv::Mat& grey, const cv::Rect& where) const {
  const auto looks = patterns_of(grey(where));
  face made{.where = where, .distance = 1001};
  for (const auto& one : known_) {
    const int unlike = distance(looks, one.looks);
    if (unlike >= made.distance) continue;
    made.distance = unlike;
    made.wanted = one.wanted && unlike <= most_unlike;
  }
  return made;
}

}  // namespace apps::person_recognition
