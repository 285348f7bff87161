#include <thalweg/thalweg.hpp>

#include <optional>

#include <dedup.hpp>

namespace tw = thalweg;

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

template <class Operator> spb::Item apply(spb::Item item) {
  Operator::op(item);
  return item;
}

// What has come before is looked up in order, by one: nothing is compressed twice.
int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(apply<spb::Refine>) | tw::map(apply<spb::Deduplicate>) |
              tw::farm(apply<spb::Compress>) | tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
