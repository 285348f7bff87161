#include "apps/mandelbrot/sink.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "apps/support/error.hpp"
#include "apps/support/pgm.hpp"

namespace apps::mandelbrot {

sink::sink(std::filesystem::path file, const scene& shown)
    : scene_(shown),
      out_(std::move(file)),
      lines_(out_.path(), "line", 0, shown.height),
      picture_(std::size_t{shown.width} * shown.height) {}

void sink::operator()(const line& drawn) {
  if (drawn.pixels.size() != scene_.width)
    throw error("'" + out_.path().string() + "' is not written: line " + std::to_string(drawn.number) +
                " was not drawn");
  lines_.note(drawn.number);
  std::copy_n(drawn.pixels.data(), scene_.width, &picture_[std::size_t{drawn.number} * scene_.width]);
}

void sink::close() {
  lines_.check_complete();
  out_.write(pgm_header(scene_.width, scene_.height));
  out_.write(view(picture_));
  out_.close();
}

}  // namespace apps::mandelbrot
