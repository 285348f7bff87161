#include "spb/mandelbrot_zoom.hpp"

#include <string>
#include <utility>
#include <vector>

#include "apps/mandelbrot_zoom/mandelbrot_zoom.hpp"
#include "spb/detail/plain_stream.hpp"

namespace spb {
namespace {

namespace zoom = apps::mandelbrot_zoom;

enum operation : std::size_t { source_op, mandelbrot_op, blur_op, sink_op };

detail::plain_stream<Item, zoom::source, zoom::sink> current;
zoom::film film;

std::vector<std::string> open(const detail::options& /*asked*/, const detail::places& where) {
  film = zoom::read_film(detail::file_of(where, zoom::film_file));
  current.open(zoom::source(film), where.output, film);
  return zoom::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &zoom::about(),
                 .open = open,
                 .complete = [] { current.complete(); },
                 .discard = [] { current.discard(); }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Mandelbrot::op(Item& item) {
  detail::work_on_each(mandelbrot_op, item, [](auto frame) { return zoom::draw(film, std::move(frame)); });
}
void Blur::op(Item& item) {
  detail::work_on_each(blur_op, item, [](auto frame) { return zoom::blur(film, std::move(frame)); });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
