#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "apps/person_recognition/inputs.hpp"
#include "apps/person_recognition/person_recognition.hpp"
#include "apps/support/csv.hpp"
#include "apps/support/film/comparison.hpp"
#include "apps/support/rounded.hpp"

namespace apps::person_recognition {
namespace {

constexpr double least_precision = 0.75, least_recall = 0.6;

struct known_face {
  bool wanted = false, hidden = false;
  cv::Point middle;
  int height = 0;
  bool has_circle = false;

  [[nodiscard]] bool is_near(cv::Point p) const {
    const auto off = p - middle;
    return std::max(std::abs(off.x), std::abs(off.y)) < height / 2;
  }
};

/// `truth_file`, by frames.
std::vector<std::vector<known_face>> read_truth(const std::filesystem::path& file, std::uint32_t frames) {
  std::vector<std::vector<known_face>> film(frames);
  csv_reader lines(file);
  while (lines.next()) {
    const auto number = lines.number();
    if (number < 0 || number >= static_cast<int>(frames)) lines.fail("there is no such frame");
    known_face read;
    read.wanted = lines.number() == 0;
    read.middle.x = lines.number();
    read.middle.y = lines.number();
    read.height = lines.number();
    const auto state = lines.field();
    if (state != "seen" && state != "hidden") lines.fail("says not whether the face is hidden");
    read.hidden = state == "hidden";
    lines.end();
    film[static_cast<std::size_t>(number)].push_back(read);
  }
  return film;
}

/// Where circles have been drawn on a picture: the middles of what has changed much.
std::vector<cv::Point> circles(const cv::Mat& shown, const cv::Mat& made) {
  constexpr int much = 60, least_size = 24;
  cv::Mat different, changed;
  cv::absdiff(shown, made, different);
  cv::inRange(different, cv::Scalar::all(0), cv::Scalar::all(much), changed);
  cv::bitwise_not(changed, changed);
  cv::dilate(changed, changed, cv::getStructuringElement(cv::MORPH_RECT, {5, 5}));
  cv::Mat labels, boxes, centres;
  const int count = cv::connectedComponentsWithStats(changed, labels, boxes, centres);
  std::vector<cv::Point> found;
  for (int i = 1; i < count; ++i) {  // 0 is what has not changed
    const auto* const box = boxes.ptr<int>(i);
    const int width = box[cv::CC_STAT_WIDTH], height = box[cv::CC_STAT_HEIGHT];
    if (std::max(width, height) < least_size) continue;
    found.emplace_back(box[cv::CC_STAT_LEFT] + width / 2, box[cv::CC_STAT_TOP] + height / 2);
  }
  return found;
}

/// Counts circles that are right, and faces that have none.
class judge {
 public:
  void see(const std::vector<cv::Point>& drawn, std::vector<known_face> faces) {
    for (const auto& circle : drawn) {
      ++circles_;
      for (auto& face : faces) {
        if (!face.wanted || face.has_circle || !face.is_near(circle)) continue;
        face.has_circle = true;
        ++right_;
        break;
      }
    }
    for (const auto& face : faces) {
      if (!face.wanted || face.hidden) continue;
      ++wanted_;
      found_ += face.has_circle ? 1 : 0;
    }
  }
  [[nodiscard]] double precision() const { return circles_ == 0 ? 0 : right_ / circles_; }
  [[nodiscard]] double recall() const { return wanted_ == 0 ? 0 : found_ / wanted_; }

 private:
  double circles_ = 0, right_ = 0, wanted_ = 0, found_ = 0;
};

/// Runs the operators on one frame.
class reference {
 public:
  explicit reference(const std::filesystem::path& folder) : known_(folder, find_) {}

  std::string_view operator()(const cv::Mat& picture) {
    frame item;
    item.picture = picture.clone();
    item = recognize_(detect_(std::move(item)));
    return encode_(item.picture.data, {picture.cols, picture.rows});
  }

 private:
  face_finder find_{usual_cascade()};
  gallery known_;
  detect detect_{usual_cascade()};
  recognize recognize_{known_};
  jpeg_encoder encode_{film_quality};
};

}  // namespace

verdict verify(std::string_view name, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto& input = input_named(name);
  film_comparison films(folder / film_file, output);
  const auto truth = read_truth(folder / truth_file, input.frames);
  std::optional<reference> reference;
  judge judge;
  const auto wrong = [&](const std::string& what) { return verdict{false, output.string() + ": " + what}; };
  while (films.next()) {
    judge.see(circles(films.shown(), films.made()), truth.at(films.number()));
    if (!reference) reference.emplace(folder);
    if ((*reference)(films.shown()) != films.packed())
      return wrong(films.frame() + " is not what the operators give");
  }
  if (!films.wrong().empty()) return wrong(films.wrong());

  const bool good = judge.precision() >= least_precision && judge.recall() >= least_recall;
  return {good, std::to_string(input.frames) + " frames, bit by bit; precision " +
                    rounded(judge.precision(), 2) + ", recall " + rounded(judge.recall(), 2) +
                    (good ? "" : ": may not be below 0.75 and 0.60")};
}

}  // namespace apps::person_recognition
