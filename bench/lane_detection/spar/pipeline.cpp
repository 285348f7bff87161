#include <lane_detection.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  [[spar::ToStream]] while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item)]] spb::Segment::op(item);
    [[spar::Stage, spar::Input(item), spar::Output(item)]] spb::Canny1::op(item);
    [[spar::Stage, spar::Input(item), spar::Output(item)]] spb::HoughT::op(item);
    [[spar::Stage, spar::Input(item), spar::Output(item)]] spb::HoughP::op(item);
    [[spar::Stage, spar::Input(item), spar::Output(item)]] spb::Bitwise::op(item);
    [[spar::Stage, spar::Input(item), spar::Output(item)]] spb::Canny2::op(item);
    [[spar::Stage, spar::Input(item), spar::Output(item)]] spb::Overlap::op(item);
    [[spar::Stage, spar::Input(item)]] spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
