#include <string>
#include <utility>

#include "apps/mandelbrot/escape.hpp"
#include "apps/mandelbrot_zoom/inputs.hpp"
#include "apps/mandelbrot_zoom/mandelbrot_zoom.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/named_input.hpp"
#include "apps/support/pgm.hpp"

namespace apps::mandelbrot_zoom {
namespace {

/// Draws the film again, up to the first frame that is not what was written; says which, or nothing if all
/// are.
std::string difference(const film& shown, input_file written) {
  const auto header = pgm_header(shown.first.width, shown.first.height);
  source frames(shown);
  std::string got;
  while (auto one = frames()) {
    const auto name = "frame " + std::to_string(one->number);
    const auto due = blur(shown, draw(shown, std::move(*one), mandelbrot::escape_time_by_cycles));
    got.resize(header.size() + due.pixels.size());
    got.resize(written.read(got.data(), got.size()));
    if (got.empty()) return name + " is missing";
    if (got != header + std::string(view(due.pixels))) return name + " differs";
  }
  return written.read(got.data(), 1) == 0 ? "" : "something follows the last frame";
}

}  // namespace

verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto shown = read_film(folder / film_file);
  if (hash_of_file(output) != named_input(inputs, "mandelbrot_zoom", input).hash)
    if (const auto wrong = difference(shown, input_file(output)); !wrong.empty()) return {false, wrong};
  return {true, "every pixel of " + std::to_string(shown.frames) + " frames"};
}

}  // namespace apps::mandelbrot_zoom
