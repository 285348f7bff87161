#include <bzip2.hpp>

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  [[spar::ToStream]] while (true) {
    spb::Item item;
    if (!Source::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(spb::nthreads)]] Work::op(item);
    [[spar::Stage, spar::Input(item)]] Sink::op(item);
  }
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
