#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>

#include <ferret.hpp>
#include <ranks.hpp>

#include "bench/support/query_codec.hpp"

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

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const tw::options any_order{.replicas = spb::replicas(), .unordered = true};
  tw::run(tw::source(next) | tw::farm(apply<spb::Segmentation>, any_order) |
              tw::farm(apply<spb::Extract>, any_order) | tw::farm(apply<spb::Vectorization>, any_order) |
              tw::farm(apply<spb::Rank>, any_order) | tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
  spb::end_bench();
}
