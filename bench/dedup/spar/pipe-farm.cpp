#include <dedup.hpp>

// What has come before is looked up in order, by one: nothing is compressed twice.
int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  [[spar::ToStream]] while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(spb::nthreads)]] {
      spb::Refine::op(item);
    }
    [[spar::Stage, spar::Input(item), spar::Output(item)]] spb::Deduplicate::op(item);
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(spb::nthreads)]] {
      spb::Compress::op(item);
    }
    [[spar::Stage, spar::Input(item)]] spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
