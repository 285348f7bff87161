#include <dedup.hpp>
#include <ranks.hpp>

#include "bench/support/fragment_letter.hpp"
#include "bench/support/mpi_stages.hpp"

// What has come before is looked up by a rank of its own, in the order in which fragments come there.
int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_stages<spb::Item, spb::Source, spb::Sink>(farm_order::of_source, mpi_farms({1, 0, 13}),
                                                {spb::Refine::op, spb::Deduplicate::op, spb::Compress::op});
  spb::Metrics::stop();
  spb::end_bench();
}
