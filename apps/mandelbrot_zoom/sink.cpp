#include "apps/mandelbrot_zoom/sink.hpp"

#include <utility>

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
  check_complete(out_.path(), "frame", due_, film_.frames);
  out_.close();
}

}  // namespace apps::mandelbrot_zoom
