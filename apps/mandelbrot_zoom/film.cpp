#include "apps/mandelbrot_zoom/film.hpp"

#include "apps/support/parameters.hpp"

namespace apps::mandelbrot_zoom {

film read_film(const std::filesystem::path& file) {
  parameters of(file);
  film shown;
  shown.first = mandelbrot::take_scene(of);
  shown.frames = static_cast<std::uint32_t>(of.whole("frames", 1, 1'000'000));
  shown.zoom = of.real("zoom", 0.01, 1);
  shown.blur = static_cast<std::uint32_t>(of.whole("blur", 0, most_blur));
  of.finish();
  return shown;
}

std::string text_of(const film& shown) {
  return mandelbrot::text_of(shown.first) + parameter("frames", shown.frames) +
         parameter("zoom", shown.zoom) + parameter("blur", shown.blur);
}

}  // namespace apps::mandelbrot_zoom
