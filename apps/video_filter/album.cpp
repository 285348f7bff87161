#include "apps/video_filter/album.hpp"

#include <system_error>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/folder.hpp"
#include "apps/support/parameters.hpp"
#include "apps/video_filter/picture_reader.hpp"

namespace apps::video_filter {
namespace {

/// The side of a kernel, which has a middle.
std::uint32_t take_side(parameters& of, const std::filesystem::path& file, const char* name,
                        std::uint32_t least, std::uint32_t most) {
  const auto side = static_cast<std::uint32_t>(of.whole(name, least, most));
  if (side % 2 == 0)
    throw error("'" + file.string() + "' has " + name + " " + std::to_string(side) +
                ", which is no odd number");
  return side;
}

}  // namespace

filter read_filter(const std::filesystem::path& file) {
  parameters of(file);
  filter read;
  read.blur = take_side(of, file, "blur", 1, most_blur);
  read.sobel = take_side(of, file, "sobel", 3, most_sobel);
  read.rate = static_cast<std::uint32_t>(of.whole("rate", 1, most_rate));
  of.finish();
  return read;
}

std::string text_of(const filter& of) {
  return parameter("blur", of.blur) + parameter("sobel", of.sobel) + parameter("rate", of.rate);
}

album read_album(const std::filesystem::path& folder) {
  album read;
  std::error_code none;
  if (std::filesystem::exists(folder, none) && !std::filesystem::is_directory(folder, none))
    throw error("'" + folder.string() + "' is no folder of pictures");
  read.files = files_in(folder, {".jpg", ".jpeg", ".pgm", ".ppm"});
  const auto& first = read.files.front();
  read.size = picture_reader{}.size_of(view(read_file(first)), first);
  if (std::filesystem::exists(folder / filter_file, none)) read.filter = read_filter(folder / filter_file);
  return read;
}

}  // namespace apps::video_filter
