#include <nexmark_q0.hpp>

#include "bench/support/bids_over_threads.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  bids_over_threads<spb::Bids>();
  spb::Metrics::stop();
  spb::end_bench();
}
