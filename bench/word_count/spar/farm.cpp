#include <word_count.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  spb::Counts counts;
  [[spar::ToStream]] while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(spb::nthreads),
      thalweg::Unordered]] {
      spb::Split::op(item);
      spb::Combine::op(item);
    }
    [[spar::Stage, spar::Input(item)]] spb::Count::op(item, counts);
  }
  spb::Sink::op(counts);
  spb::Metrics::stop();
  spb::end_bench();
}
