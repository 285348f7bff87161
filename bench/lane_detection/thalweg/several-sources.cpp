#include <lane_detection.hpp>

#include "bench/support/thalweg_several_sources.hpp"

void mark(spb::Item& item) {
  spb::Segment::op(item);
  spb::Canny1::op(item);
  spb::HoughT::op(item);
  spb::HoughP::op(item);
  spb::Bitwise::op(item);
  spb::Canny2::op(item);
  spb::Overlap::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  stream_of_several_sources<spb::Source, spb::Item, spb::Sink>(mark, sink_order::of_stream);
  spb::Metrics::stop();
  spb::end_bench();
}
