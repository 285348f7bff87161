#include "apps/mandelbrot_zoom/inputs.hpp"

#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"

namespace apps::mandelbrot_zoom {

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  write_file(folder / film_file, text_of(named_input(inputs, "mandelbrot_zoom", name).shown));
  if (told) told(1, 1);
}

}  // namespace apps::mandelbrot_zoom
