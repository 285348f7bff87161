#include <nexmark_q2.hpp>

#include "bench/support/bids_over_tbb.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  bids_over_tbb<spb::Select>();
  spb::Metrics::stop();
  spb::end_bench();
}
