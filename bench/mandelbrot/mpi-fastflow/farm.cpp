#include <mandelbrot.hpp>

#include "bench/support/fastflow_ranks.hpp"

template <class Archive> void travel(cereal_letter<Archive>& by, apps::mandelbrot::line& one) {
  by.value(one.number);
  by.block(one.pixels);
}

int main(int argc, char* argv[]) {
  init_fastflow(argc, argv);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  fastflow_farm<spb::Item, spb::Source, spb::Sink>(spb::Mandelbrot::op);
  spb::Metrics::stop();
  spb::end_bench();
}
