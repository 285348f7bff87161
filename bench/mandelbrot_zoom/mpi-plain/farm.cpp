#include <mandelbrot_zoom.hpp>
#include <ranks.hpp>

#include "bench/support/mpi_farm.hpp"

void travel(mpi_letter& by, apps::mandelbrot_zoom::frame& one) {
  by.value(one.number);
  by.value(one.span);
  by.block(one.pixels);
}

void film(spb::Item& item) {
  spb::Mandelbrot::op(item);
  spb::Blur::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_farm<spb::Item, spb::Source, spb::Sink>(farm_order::of_source, film);
  spb::Metrics::stop();
  spb::end_bench();
}
