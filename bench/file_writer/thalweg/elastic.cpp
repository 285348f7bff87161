#include <thalweg/thalweg.hpp>

#include <optional>

#include <file_writer.hpp>

namespace tw = thalweg;

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

spb::Item work(spb::Item item) {
  spb::Write::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(work, {.replicas = spb::nthreads, .unordered = true}) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::threads{});
  spb::Metrics::stop();
  spb::end_bench();
}
