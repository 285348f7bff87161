#include <lane_detection.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  [[spar::ToStream]] while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(spb::nthreads)]] {
      spb::Segment::op(item);
      spb::Canny1::op(item);
      spb::HoughT::op(item);
      spb::HoughP::op(item);
      spb::Bitwise::op(item);
      spb::Canny2::op(item);
      spb::Overlap::op(item);
    }
    [[spar::Stage, spar::Input(item)]] spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
