#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>

#include <ranks.hpp>
#include <video_filter.hpp>

#include "bench/support/video_frame_codec.hpp"

namespace tw = thalweg;

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

spb::Item first(spb::Item item) {
  spb::Read::op(item);
  spb::Blur::op(item);
  return item;
}

spb::Item second(spb::Item item) {
  spb::Sobel::op(item);
  spb::Pack::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::map(first) | tw::farm(second, {.replicas = spb::replicas()}) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}, .grouping = 1}});
  spb::Metrics::stop();
  spb::end_bench();
}
