#include <mandelbrot.hpp>
#include <ranks.hpp>

#include "bench/support/mpi_farm.hpp"

void travel(mpi_letter& by, apps::mandelbrot::line& one) {
  by.value(one.number);
  by.block(one.pixels);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_farm<spb::Item, spb::Source, spb::Sink>(farm_order::any, spb::Mandelbrot::op);
  spb::Metrics::stop();
  spb::end_bench();
}
