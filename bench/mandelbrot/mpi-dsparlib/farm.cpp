#include <mandelbrot.hpp>

#include "bench/support/dsparlib_farm.hpp"

void travel(dsparlib_letter& by, apps::mandelbrot::line& one) {
  by.value(one.number);
  by.block(one.pixels);
}

int main(int argc, char* argv[]) {
  init_dsparlib(argc, argv);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  dsparlib_farm<spb::Item, spb::Source, spb::Sink>(farm_order::any, spb::Mandelbrot::op);
  spb::Metrics::stop();
  spb::end_bench();
}
