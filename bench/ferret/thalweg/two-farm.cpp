#include <thalweg/thalweg.hpp>

#include <optional>

#include <ferret.hpp>

#include "bench/support/two_farms.hpp"

namespace tw = thalweg;

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

spb::Item describe(spb::Item item) {
  spb::Segmentation::op(item);
  spb::Extract::op(item);
  spb::Vectorization::op(item);
  return item;
}
spb::Item rank(spb::Item item) {
  spb::Rank::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const two_farms workers;
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(describe, {.replicas = workers.first, .unordered = true}) |
              tw::farm(rank, {.replicas = workers.second, .unordered = true}) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
