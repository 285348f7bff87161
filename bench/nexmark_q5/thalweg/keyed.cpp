#include <nexmark_q5.hpp>

#include "bench/support/hot_items.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  hot_items(thalweg::farm(bids_of_auction()));
  spb::Metrics::stop();
  spb::end_bench();
}
