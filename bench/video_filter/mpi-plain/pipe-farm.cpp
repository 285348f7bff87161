#include <ranks.hpp>
#include <video_filter.hpp>

#include "bench/support/mpi_stages.hpp"
#include "bench/support/video_frame_letter.hpp"

void first(spb::Item& item) {
  spb::Read::op(item);
  spb::Blur::op(item);
}

void second(spb::Item& item) {
  spb::Sobel::op(item);
  spb::Pack::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_stages<spb::Item, spb::Source, spb::Sink>(farm_order::of_source, mpi_farms({1, 1}), {first, second});
  spb::Metrics::stop();
  spb::end_bench();
}
