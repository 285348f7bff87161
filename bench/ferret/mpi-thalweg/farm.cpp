#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>

#include <ferret.hpp>
#include <ranks.hpp>

#include "apps/ferret/query.hpp"
#include "bench/support/item_codec.hpp"
#include "spb/detail/picture_codec.hpp"

namespace tw = thalweg;
using apps::ferret::query;

// There: the picture. Back: the ranking.
template <>
struct tw::codec<spb::Item>
    : item_codec<spb::Item, &query::number, &query::name, &query::shown, &query::ranking> {};

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

spb::Item search(spb::Item item) {
  spb::Segmentation::op(item);
  spb::Extract::op(item);
  spb::Vectorization::op(item);
  spb::Rank::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(search, {.replicas = spb::replicas(), .unordered = true}) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
  spb::end_bench();
}
