#include <mandelbrot.hpp>
#include <ranks.hpp>

#include "bench/support/mpi_outlet.hpp"

// A pipeline of two ranks, as some libraries have it: the sink is not where the source is.

void travel(mpi_letter& by, apps::mandelbrot::line& one) {
  by.value(one.number);
  by.block(one.pixels);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one, {.source = 0, .sink = 1});
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  if (mpi_rank() == 0) {
    mpi_two_sending<spb::Item> out;
    for (spb::Item item; spb::Source::op(item);) {
      spb::Mandelbrot::op(item);
      out.send(std::move(item), 1, mpi_item);
    }
    out.wait();
    MPI_Send(nullptr, 0, MPI_BYTE, 1, mpi_item, MPI_COMM_WORLD);
  } else {
    for (spb::Item item; mpi_receive(item, 0, mpi_item), !item.empty();) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
