// Annotations: thalweg-spar translates them, and a compiler that does not know them ignores them.
#include <bzip2.hpp>

void compress() {
  spb::Metrics::init();
  [[spar::ToStream]] while (1) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate()]] { spb::Compress::op(item); }
    [[spar::Stage, spar::Input(item)]] { spb::Sink::op(item); }
  }
  spb::Metrics::stop();
}

void decompress() {
  spb::Metrics::init();
  [[spar::ToStream]] while (1) {
    spb::Item item;
    if (!spb::Source_d::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate()]] { spb::Decompress::op(item); }
    [[spar::Stage, spar::Input(item)]] { spb::Sink_d::op(item); }
  }
  spb::Metrics::stop();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
  return 0;
}
