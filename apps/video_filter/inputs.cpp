#include "apps/video_filter/inputs.hpp"

#include <string>

#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"
#include "apps/video_filter/album.hpp"
#include "apps/video_filter/scene.hpp"

namespace apps::video_filter {
namespace {

constexpr int picture_quality = 90;

std::string name_of(std::uint32_t number) {
  const auto digits = std::to_string(100'000 + number).substr(1);
  return "frame" + digits + ".jpg";
}

}  // namespace

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto& input = named_input(inputs, "video_filter", name);
  scene camera(input.seed, input.size);
  jpeg_encoder encode(picture_quality);
  for (std::uint32_t number = 0; number < input.frames; ++number) {
    write_file(folder / name_of(number), encode(camera.draw().data(), input.size));
    if (told && (number + 1) % 16 == 0) told(number + 1, input.frames);
  }
  write_file(folder / filter_file, text_of(input.filter));
  if (told) told(input.frames, input.frames);
}

}  // namespace apps::video_filter
