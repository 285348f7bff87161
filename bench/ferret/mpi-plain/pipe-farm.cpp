#include <ferret.hpp>
#include <ranks.hpp>

#include "bench/support/mpi_stages.hpp"
#include "bench/support/query_letter.hpp"

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_stages<spb::Item, spb::Source, spb::Sink>(
      farm_order::any, mpi_farms({13, 1, 1, 21}),
      {spb::Segmentation::op, spb::Extract::op, spb::Vectorization::op, spb::Rank::op});
  spb::Metrics::stop();
  spb::end_bench();
}
