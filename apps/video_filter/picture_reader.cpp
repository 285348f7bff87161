#include "apps/video_filter/picture_reader.hpp"

#include <string>

#include <opencv2/imgproc.hpp>

#include "apps/support/error.hpp"
#include "apps/support/film/film.hpp"
#include "apps/support/pnm.hpp"

namespace apps::video_filter {
namespace {

bool is_jpeg(std::string_view bytes) {
  return bytes.starts_with("\xFF\xD8");
}

std::string text_of(extent size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw error("'" + file.string() + "' " + what);
}

}  // namespace

extent picture_reader::size_of(std::string_view bytes, const std::filesystem::path& file) {
  extent size;
  if (is_jpeg(bytes)) {
    const auto found = decode_.size_of(bytes);
    if (!found) fail(file, "is no JPEG picture, or a damaged one");
    size = *found;
  } else {
    const auto found = parse_pnm(bytes, file);
    size = {static_cast<int>(found.width), static_cast<int>(found.height)};
  }
  if (size.width > most_film_side || size.height > most_film_side)
    fail(file, "is of " + text_of(size) + " pixels, which is too large for a film");
  return size;
}

cv::Mat picture_reader::operator()(std::string_view bytes, const std::filesystem::path& file, extent size) {
  if (const auto found = size_of(bytes, file); found != size)
    fail(file, "is of " + text_of(found) + " pixels, where the first picture is of " + text_of(size));
  cv::Mat picture(size.height, size.width, CV_8UC3);
  if (is_jpeg(bytes)) {
    if (!decode_(bytes, picture.data, size)) fail(file, "is damaged or cut off");
    return picture;
  }
  const auto found = parse_pnm(bytes, file);
  // It is only read, though OpenCV's type cannot say so.
  auto* const pixels = const_cast<char*>(found.pixels.data());
  const cv::Mat stored(size.height, size.width, found.colour ? CV_8UC3 : CV_8UC1, pixels);
  cv::cvtColor(stored, picture, found.colour ? cv::COLOR_RGB2BGR : cv::COLOR_GRAY2BGR);
  return picture;
}

}  // namespace apps::video_filter
