#include <bzip2.hpp>
#include <ranks.hpp>

#include "bench/support/bzip2_letter.hpp"
#include "bench/support/mpi_farm.hpp"

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  mpi_farm<spb::Item, Source, Sink>(farm_order::of_source, Work::op);
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::bzip2_main(argc, argv);
}
