#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>

#include <primes.hpp>
#include <ranks.hpp>

#include "bench/support/item_codec.hpp"

namespace tw = thalweg;
using apps::primes::candidate;

template <> struct tw::codec<spb::Item> : item_codec<spb::Item, &candidate::number, &candidate::prime> {};

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

spb::Item test(spb::Item item) {
  spb::Primality::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(test, {.replicas = spb::replicas(), .unordered = true}) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
  spb::end_bench();
}
