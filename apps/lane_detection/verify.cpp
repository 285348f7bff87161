#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <opencv2/core.hpp>

#include "apps/lane_detection/inputs.hpp"
#include "apps/lane_detection/lane_detection.hpp"
#include "apps/lane_detection/scene.hpp"
#include "apps/support/csv.hpp"
#include "apps/support/film/comparison.hpp"
#include "apps/support/rounded.hpp"

namespace apps::lane_detection {
namespace {

constexpr double most_wrong = 8, least_drawn = 0.9;

struct truth {
  bool clear = false;
  std::array<int, 2 * truth_lines.size()> marks{};  // left ones, then right ones
};

/// Reads the next line of `truth_file`.
truth read_truth(csv_reader& lines, std::uint32_t number) {
  truth read;
  if (!lines.next() || lines.number() != static_cast<int>(number)) lines.fail("is not of the next frame");
  const auto state = lines.field();
  read.clear = state == "clear";
  if (!read.clear && state != "changing" && state != "crossing")
    lines.fail("says not whether the lane is clear");
  for (auto& mark : read.marks) mark = lines.number();
  lines.end();
  return read;
}

/// The middle of what is drawn in a line of the picture, between two pixels.
std::optional<double> drawn_at(const cv::Mat& picture, int line, int from, int to) {
  constexpr int vivid = 90;
  double sum = 0;
  int count = 0;
  for (int x = from; x < to; ++x) {
    const auto& pixel = picture.at<cv::Vec3b>(line, x);
    if (std::min(pixel[0], pixel[2]) - pixel[1] < vivid) continue;
    sum += x;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

/// How far the marks of a film are from where they should be.
class judge {
 public:
  void see(const cv::Mat& picture, const truth& known) {
    const int middle = picture.cols / 2;
    for (std::size_t i = 0; i < known.marks.size(); ++i) {
      const bool left = i < truth_lines.size();
      const int line = truth_lines[i % truth_lines.size()] * picture.rows / 360;
      const int margin = picture.cols / 40;
      const int from = left ? 0 : middle, to = left ? middle : picture.cols;
      if (known.marks[i] < from + margin || known.marks[i] >= to - margin) continue;
      ++there_;
      const auto drawn = drawn_at(picture, line, from, to);
      if (!drawn) continue;
      ++drawn_;
      wrong_ += std::abs(*drawn - known.marks[i]) * 360 / picture.rows;
    }
  }
  [[nodiscard]] double drawn() const { return there_ == 0 ? 0 : drawn_ / there_; }
  [[nodiscard]] double wrong() const { return drawn_ == 0 ? 0 : wrong_ / drawn_; }

 private:
  double there_ = 0, drawn_ = 0, wrong_ = 0;
};

/// Runs the operators on one frame.
class reference {
 public:
  std::string_view operator()(frame item) {
    const auto size = item.picture.size();
    item = canny1{}(segment{}(std::move(item)));
    item = overlap{}(canny2{}(bitwise{}(hough_p{}(hough_t{}(std::move(item))))));
    return encode_(item.picture.data, {size.width, size.height});
  }

 private:
  jpeg_encoder encode_{film_quality};
};

}  // namespace

verdict verify(std::string_view name, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto& input = input_named(name);
  film_comparison films(folder / film_file, output);
  csv_reader lines(folder / truth_file);
  reference reference;
  judge judge;
  const auto wrong = [&](const std::string& what) { return verdict{false, output.string() + ": " + what}; };
  while (films.next()) {
    const auto known = read_truth(lines, films.number());
    if (known.clear) judge.see(films.made(), known);
    frame item;
    item.picture = films.shown().clone();
    if (reference(std::move(item)) != films.packed())
      return wrong(films.frame() + " is not what the operators give");
  }
  if (!films.wrong().empty()) return wrong(films.wrong());

  const bool good = judge.drawn() >= least_drawn && judge.wrong() <= most_wrong;
  return {good, std::to_string(input.frames) + " frames, bit by bit; " + rounded(judge.drawn(), 2) +
                    " of the marks drawn, wrong by " + rounded(judge.wrong(), 2) +
                    " pixels of 360 lines in the mean" + (good ? "" : ": may not be below 0.90 and above 8")};
}

}  // namespace apps::lane_detection
