#include "apps/ferret/picture.hpp"

#include <cstring>
#include <string>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps::ferret {

picture read_ppm(const std::filesystem::path& file) {
  const auto all = read_file(file);
  const auto found = parse_pnm(view(all), file);
  if (!found.colour) throw error("'" + file.string() + "' is no binary PPM picture (P6)");
  picture made;
  made.width = found.width;
  made.height = found.height;
  made.rgb.resize(found.pixels.size());
  std::memcpy(made.rgb.data(), found.pixels.data(), made.rgb.size());
  return made;
}

void write_ppm(const picture& from, const std::filesystem::path& file) {
  output_file out(file);
  out.write("P6\n" + std::to_string(from.width) + " " + std::to_string(from.height) + "\n255\n");
  out.write({reinterpret_cast<const char*>(from.rgb.data()), from.rgb.size()});
  out.close();
}

}  // namespace apps::ferret
