#include <person_recognition.hpp>

#include "bench/support/thalweg_several_sources.hpp"

void find(spb::Item& item) {
  spb::Detect::op(item);
  spb::Recognize::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  stream_of_several_sources<spb::Source, spb::Item, spb::Sink>(find, sink_order::of_stream);
  spb::Metrics::stop();
  spb::end_bench();
}
