#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <opencv2/core.hpp>

#include "apps/lane_detection/geometry.hpp"
#include "apps/lane_detection/inputs.hpp"
#include "apps/lane_detection/lane_detection.hpp"
#include "apps/lane_detection/scene.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/film/film.hpp"

namespace apps::lane_detection {
namespace {

constexpr std::uint32_t most_compared = 24;  // frames, bit by bit
constexpr double most_wrong = 8, least_drawn = 0.9;
// How much two pictures differ above the road, per pixel: packed twice about a tenth as much, a neighbour
// three times as much.
constexpr double most_different = 1.0;

struct truth {
  bool clear = false;
  std::array<int, 2 * truth_lines.size()> marks{};  // left ones, then right ones
};

/// Reads lines of `truth_file`, one for each frame.
class truth_reader {
 public:
  explicit truth_reader(const std::filesystem::path& file)
      : file_(file), text_(read_file(file)), rest_(view(text_)) {}

  truth next() {
    truth read;
    const auto line = rest_.substr(0, rest_.find('\n'));
    auto rest = line;
    bool good = number(rest) == static_cast<int>(lines_++);
    const auto state = rest.substr(0, rest.find(',', 1));
    read.clear = state == ",clear";
    good = good && (read.clear || state == ",changing" || state == ",crossing");
    rest.remove_prefix(state.size());
    for (auto& mark : read.marks) {
      const auto value = number(rest);
      good = good && value;
      mark = value.value_or(0);
    }
    if (!good || !rest.empty())
      throw error(file_.string() + ":" + std::to_string(lines_) + ": not a frame's marks");
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    return read;
  }

 private:
  /// Takes a number, and the comma before it.
  static std::optional<int> number(std::string_view& from) {
    if (from.starts_with(',')) from.remove_prefix(1);
    int value = 0;
    const auto [end, wrong] = std::from_chars(from.data(), from.data() + from.size(), value);
    if (wrong != std::errc()) return std::nullopt;
    from.remove_prefix(static_cast<std::size_t>(end - from.data()));
    return value;
  }

  std::filesystem::path file_;
  bytes text_;
  std::string_view rest_;
  std::size_t lines_ = 0;
};

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

std::string rounded(double value) {
  const auto hundredths = static_cast<unsigned>(value * 100 + 0.5);
  return std::to_string(hundredths / 100) + "." + std::to_string(100 + hundredths % 100).substr(1);
}

}  // namespace

verdict verify(std::string_view name, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto& input = input_named(name);
  film_reader made(output);
  truth_reader known(folder / truth_file);
  source next(folder / film_file);
  reference reference;
  judge judge;
  jpeg_decoder decode;
  const auto stride = std::max<std::uint32_t>(input.frames / most_compared, 1);

  const auto wrong = [&](const std::string& what) { return verdict{false, output.string() + ": " + what}; };
  if (made.format().size != input.size)
    return wrong("its pictures are " + std::to_string(made.format().size.width) + "x" +
                 std::to_string(made.format().size.height));
  if (made.frames() != input.frames)
    return wrong("it has " + std::to_string(made.frames()) + " frames instead of " +
                 std::to_string(input.frames));
  cv::Mat picture(input.size.height, input.size.width, CV_8UC3);
  const cv::Rect above(0, 0, picture.cols, geometry{picture.size()}.region().y - 1);
  std::uint32_t compared = 0;
  while (auto shown = next()) {
    const auto frame = "frame " + std::to_string(shown->number);
    const auto packed = made.next_packed();
    if (!decode(packed, picture.data, input.size)) return wrong(frame + " is damaged");
    const double different =
        cv::norm(picture(above), shown->picture(above), cv::NORM_L1) / (3.0 * above.area());
    if (different > most_different) return wrong(frame + " shows something else");
    const auto lanes = known.next();
    if (lanes.clear) judge.see(picture, lanes);
    if (shown->number % stride != 0) continue;
    if (reference(std::move(*shown)) != packed) return wrong(frame + " is not what the operators give");
    ++compared;
  }

  const bool good = judge.drawn() >= least_drawn && judge.wrong() <= most_wrong;
  return {good, std::to_string(input.frames) + " frames, " + std::to_string(compared) +
                    " compared bit by bit; " + rounded(judge.drawn()) + " of the marks drawn, wrong by " +
                    rounded(judge.wrong()) + " pixels of 360 lines in the mean" +
                    (good ? "" : ": may not be below 0.90 and above 8")};
}

}  // namespace apps::lane_detection
