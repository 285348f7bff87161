#include <bzip2.hpp>

#include "bench/support/bzip2_letter.hpp"
#include "bench/support/fastflow_ranks.hpp"

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  fastflow_farm<spb::Item, Source, Sink>(farm_order::of_source, Work::op);
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  init_fastflow(argc, argv);
  spb::bzip2_main(argc, argv);
}
