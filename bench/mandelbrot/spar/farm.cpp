#include <mandelbrot.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  [[spar::ToStream]] while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(spb::nthreads),
      thalweg::Unordered]] {
      spb::Mandelbrot::op(item);
    }
    [[spar::Stage, spar::Input(item)]] spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
