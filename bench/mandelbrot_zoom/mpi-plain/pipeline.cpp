#include <mandelbrot_zoom.hpp>
#include <ranks.hpp>

#include "bench/support/mpi_stages.hpp"

void travel(mpi_letter& by, apps::mandelbrot_zoom::frame& one) {
  by.value(one.number);
  by.value(one.span);
  by.block(one.pixels);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_stages<spb::Item, spb::Source, spb::Sink>(farm_order::of_source, {1, 1},
                                                {spb::Mandelbrot::op, spb::Blur::op});
  spb::Metrics::stop();
  spb::end_bench();
}
