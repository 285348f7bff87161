#include "spb/mandelbrot.hpp"

#include <string>
#include <utility>
#include <vector>

#include "apps/mandelbrot/mandelbrot.hpp"
#include "spb/detail/plain_stream.hpp"

namespace spb {
namespace {

namespace mandelbrot = apps::mandelbrot;

enum operation : std::size_t { source_op, mandelbrot_op, sink_op };

detail::plain_stream<Item, mandelbrot::source, mandelbrot::sink> current;
mandelbrot::scene scene;

std::vector<std::string> open(const detail::options& /*asked*/, const detail::places& where) {
  scene = mandelbrot::read_scene(detail::file_of(where, mandelbrot::scene_file));
  current.open(mandelbrot::source(scene), where.output, scene);
  return mandelbrot::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &mandelbrot::about(),
                 .open = open,
                 .complete = [] { current.complete(); },
                 .discard = [] { current.discard(); }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Mandelbrot::op(Item& item) {
  detail::work_on_each(mandelbrot_op, item,
                       [](auto line) { return mandelbrot::draw(scene, std::move(line)); });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
