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

// Each rank knows what it has seen itself: what others have had, too, is compressed by each of them, and
// stored once.
spb::Item pack(spb::Item item) {
  spb::Refine::op(item);
  spb::Deduplicate::op(item);
  spb::Compress::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(pack, {.replicas = spb::replicas()}) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
  spb::end_bench();
}
