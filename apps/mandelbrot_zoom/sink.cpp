#include "apps/mandelbrot_zoom/sink.hpp"

#include <string>
#include <utility>

#include "apps/support/error.hpp"
#include "apps/support/order.hpp"
#include "apps/support/pgm.hpp"

namespace apps::mandelbrot_zoom {

sink::sink(std::filesystem::path file, const film& shown) : film_(shown), out_(std::move(file)) {}

void sink::operator()(const frame& one) {
  check_order(out_.path(), "frame", one.number, due_++);
  out_.write(pgm_header(film_.first.width, film_.first.height));
  out_.write(view(one.pixels));
}

void sink::close() {
  if (due_ < film_.frames)
    throw error("'" + out_.path().string() + "' is not written: frame " + std::to_string(due_) +
                " is missing");
  out_.close();
}

}  // namespace apps::mandelbrot_zoom
