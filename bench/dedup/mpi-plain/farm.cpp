#include <dedup.hpp>
#include <ranks.hpp>

#include "bench/support/fragment_letter.hpp"
#include "bench/support/mpi_farm.hpp"

// Each rank knows what it has seen itself: what others have had, too, is compressed by each of them, and
// stored once.
void pack(spb::Item& item) {
  spb::Refine::op(item);
  spb::Deduplicate::op(item);
  spb::Compress::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_farm<spb::Item, spb::Source, spb::Sink>(farm_order::of_source, pack);
  spb::Metrics::stop();
  spb::end_bench();
}
