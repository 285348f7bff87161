#include <thalweg/model/opencv.hpp>
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>

#include <person_recognition.hpp>
#include <ranks.hpp>

#include "apps/person_recognition/frame.hpp"
#include "bench/support/item_codec.hpp"

namespace tw = thalweg;
using apps::person_recognition::frame;

template <> struct tw::codec<spb::Item> : item_codec<spb::Item, &frame::number, &frame::picture> {};

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

spb::Item search(spb::Item item) {
  spb::Detect::op(item);
  spb::Recognize::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(search, {.replicas = spb::replicas()}) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
  spb::end_bench();
}
