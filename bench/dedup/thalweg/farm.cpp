#include <thalweg/thalweg.hpp>

#include <optional>

#include <dedup.hpp>

namespace tw = thalweg;

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

spb::Item work(spb::Item item) {
  spb::Refine::op(item);
  spb::Deduplicate::op(item);
  spb::Compress::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(work) | tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
