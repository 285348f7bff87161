#include "spb/mandelbrot_zoom.hpp"

#include <string>
#include <utility>
#include <vector>

#include "apps/mandelbrot_zoom/mandelbrot_zoom.hpp"
#include "apps/mandelbrot_zoom/operator_names.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/plain_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::mandelbrot_zoom::frame>
    : thalweg::codec_of_members<&apps::mandelbrot_zoom::frame::number, &apps::mandelbrot_zoom::frame::span> {
};

namespace spb {
namespace {

namespace zoom = apps::mandelbrot_zoom;

using enum zoom::operation;

detail::plain_stream<Item, detail::elements<zoom::source>, zoom::sink> current;
detail::per_stream<zoom::film> films;

zoom::source source_of(const detail::options& /*asked*/, const detail::places& where) {
  return zoom::source(zoom::read_film(detail::file_of(where, zoom::film_file)));
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto& film = films.add(zoom::read_film(detail::file_of(where, zoom::film_file)));
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }), where.output, film);
  return zoom::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &zoom::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard =
                     [] {
                       current.discard();
                       films.clear();
                     }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Mandelbrot::op(Item& item) {
  detail::work_on_each(mandelbrot_op, item,
                       [&](auto frame) { return zoom::draw(films.of(item), std::move(frame)); });
}
void Blur::op(Item& item) {
  detail::work_on_each(blur_op, item,
                       [&](auto frame) { return zoom::blur(films.of(item), std::move(frame)); });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
