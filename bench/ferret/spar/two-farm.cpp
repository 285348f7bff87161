#include <ferret.hpp>

#include "bench/support/two_farms.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const two_farms workers;
  spb::Metrics::init();
  [[spar::ToStream]] while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(workers.first),
      thalweg::Unordered]] {
      spb::Segmentation::op(item);
      spb::Extract::op(item);
      spb::Vectorization::op(item);
    }
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(workers.second),
      thalweg::Unordered]] {
      spb::Rank::op(item);
    }
    [[spar::Stage, spar::Input(item)]] spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
