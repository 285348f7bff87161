#include "apps/mandelbrot/inputs.hpp"

#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"

namespace apps::mandelbrot {

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  write_file(folder / scene_file, text_of(named_input(inputs, "mandelbrot", name).shown));
  if (told) told(1, 1);
}

}  // namespace apps::mandelbrot
