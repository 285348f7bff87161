#include <algorithm>
#include <string>

#include "apps/mandelbrot/escape.hpp"
#include "apps/mandelbrot/inputs.hpp"
#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"
#include "apps/support/pgm.hpp"

namespace apps::mandelbrot {

verdict verify(std::string_view /*input*/, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto shown = read_scene(folder / scene_file);
  const auto size = std::to_string(shown.width) + "x" + std::to_string(shown.height);
  const auto written = read_file(output);
  auto rest = view(written);
  const auto header = pgm_header(shown.width, shown.height);
  if (!rest.starts_with(header)) return {false, "'" + output.string() + "' is no PGM picture of " + size};
  rest.remove_prefix(header.size());
  bytes line(shown.width);
  for (std::uint32_t y = 0; y < shown.height; ++y) {
    draw_line(shown, y, line.data(), escape_time_by_cycles);
    const auto differs = std::ranges::mismatch(view(line), rest);
    const auto x = differs.in1 - view(line).begin();
    const auto where = "pixel " + std::to_string(x) + " of line " + std::to_string(y);
    if (differs.in1 != view(line).end())
      return {false, differs.in2 == rest.end() ? "the picture ends at " + where : where + " differs"};
    rest.remove_prefix(line.size());
  }
  if (!rest.empty()) return {false, "something follows the picture"};
  return {true, "every pixel of " + size};
}

}  // namespace apps::mandelbrot
