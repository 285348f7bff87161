#include "spb/mandelbrot.hpp"

#include <string>
#include <utility>
#include <vector>

#include "apps/mandelbrot/mandelbrot.hpp"
#include "apps/mandelbrot/operator_names.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/plain_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::mandelbrot::line> : thalweg::codec_of_members<&apps::mandelbrot::line::number> {};

namespace spb {
namespace {

namespace mandelbrot = apps::mandelbrot;

using enum mandelbrot::operation;

detail::plain_stream<Item, detail::elements<mandelbrot::source>, mandelbrot::sink> current;
detail::per_stream<mandelbrot::scene> scenes;

mandelbrot::source source_of(const detail::options& /*asked*/, const detail::places& where) {
  return mandelbrot::source(mandelbrot::read_scene(detail::file_of(where, mandelbrot::scene_file)));
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto& scene = scenes.add(mandelbrot::read_scene(detail::file_of(where, mandelbrot::scene_file)));
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }), where.output, scene);
  return mandelbrot::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &mandelbrot::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard =
                     [] {
                       current.discard();
                       scenes.clear();
                     }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Mandelbrot::op(Item& item) {
  detail::work_on_each(mandelbrot_op, item,
                       [&](auto line) { return mandelbrot::draw(scenes.of(item), std::move(line)); });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
