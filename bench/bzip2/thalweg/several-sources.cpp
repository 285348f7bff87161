#include <bzip2.hpp>

#include "bench/support/thalweg_several_sources.hpp"

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  stream_of_several_sources<Source, spb::Item, Sink>(Work::op, sink_order::of_stream);
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
}
