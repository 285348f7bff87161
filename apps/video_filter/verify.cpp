#include <cstdint>
#include <string>
#include <utility>

#include <opencv2/core.hpp>

#include "apps/support/film/film.hpp"
#include "apps/support/rounded.hpp"
#include "apps/video_filter/definition.hpp"
#include "apps/video_filter/inputs.hpp"
#include "apps/video_filter/video_filter.hpp"

namespace apps::video_filter {
namespace {

constexpr std::size_t most_defined = 8;  // frames that are computed by the definition, which is slow

/// How far a picture is from what the definition makes of another one, in the mean over its bytes.
double deviation(const cv::Mat& made, const cv::Mat& picture, const filter& of) {
  cv::Mat different;
  cv::absdiff(made, by_definition(picture, of), different);
  const auto sums = cv::mean(different);
  return (sums[0] + sums[1] + sums[2]) / 3;
}

}  // namespace

verdict verify(std::string_view /*input*/, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto from = read_album(folder);
  film_reader film(output);
  const auto wrong = [&](const std::string& what) { return verdict{false, output.string() + ": " + what}; };
  if (const auto [width, height] = film.format().size; film.format().size != from.size)
    return wrong("its pictures are " + std::to_string(width) + "x" + std::to_string(height));
  const auto frames = from.files.size();
  if (film.frames() != frames)
    return wrong("it has " + std::to_string(film.frames()) + " frames instead of " + std::to_string(frames));

  source source(from);
  read read;
  pack pack;
  jpeg_decoder decode;
  cv::Mat made(from.size.height, from.size.width, CV_8UC3);
  const auto stride = (frames + most_defined - 1) / most_defined;
  std::size_t defined = 0;
  double deviations = 0;
  while (auto one = source()) {
    const auto number = one->number;
    const auto name = "frame " + std::to_string(number);
    const std::string packed(film.next_packed());
    auto item = read(std::move(*one));
    if (number % stride == 0) {
      if (!decode(packed, made.data, from.size)) return wrong(name + " is damaged");
      const double now = deviation(made, item.picture, from.filter);
      if (now > most_wrong)
        return wrong(name + " is " + rounded(now, 2) + " levels a pixel from what the filters give");
      deviations += now;
      ++defined;
    }
    item = pack(sobel{from.filter}(blur{from.filter}(std::move(item))));
    if (view(item.packed) != packed) return wrong(name + " is not what the operators give");
  }
  if (const auto what = wrong_layout(output); !what.empty()) return wrong(what);
  return {true, std::to_string(frames) + " frames, bit by bit; " + std::to_string(defined) +
                    " compared with the definition: " +
                    rounded(deviations / static_cast<double>(defined), 2) + " levels a pixel away"};
}

}  // namespace apps::video_filter
