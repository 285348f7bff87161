#include <nexmark_q2.hpp>

#include "bench/support/bids_over_fastflow.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  bids_over_fastflow<spb::Select>();
  spb::Metrics::stop();
  spb::end_bench();
}
