#include <ferret.hpp>

#include "bench/support/threads_several_sources.hpp"

void search(spb::Item& item) {
  spb::Segmentation::op(item);
  spb::Extract::op(item);
  spb::Vectorization::op(item);
  spb::Rank::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  stream_of_several_sources<spb::Source, spb::Item, spb::Sink>(search, sink_order::any);
  spb::Metrics::stop();
  spb::end_bench();
}
