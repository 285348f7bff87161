#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>

#include <dedup.hpp>
#include <ranks.hpp>

#include "bench/support/fragment_codec.hpp"

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

// What has come before is looked up in order, by rank 0: nothing is compressed twice.
int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const tw::options all_ranks{.replicas = spb::replicas()};
  tw::run(tw::source(next) | tw::farm(apply<spb::Refine>, all_ranks) | tw::map(apply<spb::Deduplicate>) |
              tw::farm(apply<spb::Compress>, all_ranks) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
  spb::end_bench();
}
