#include <nexmark_q5.hpp>

#include "bench/support/query_in_sequence.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  query_in_sequence();
  spb::Metrics::stop();
  spb::end_bench();
}
