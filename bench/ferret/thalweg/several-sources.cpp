#include <thalweg/thalweg.hpp>

#include <optional>

#include <ferret.hpp>

#include "bench/support/several_sources.hpp"

namespace tw = thalweg;

spb::Item search(spb::Item item) {
  spb::Segmentation::op(item);
  spb::Extract::op(item);
  spb::Vectorization::op(item);
  spb::Rank::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  auto sources = several_sources<spb::Source>();
  tw::graph streams;
  auto& all = streams.add<tw::merge<spb::Item>>();  // as they come
  for (auto& source : sources) {
    const auto next = [&source]() -> std::optional<spb::Item> {
      spb::Item item;
      if (!source.getItem(item)) return std::nullopt;
      return item;
    };
    streams.connect(streams.add(tw::source(next)).out, all.input());
  }
  const auto searching = streams.add(tw::farm(search, {.replicas = spb::nthreads, .unordered = true}));
  streams.connect(all.out, searching.in);
  streams.connect(searching.out, streams.add(tw::sink([](spb::Item item) { spb::Sink::op(item); })).in);
  // A source that waits for its next item keeps a worker from searching: there is one more for each.
  tw::run(streams, tw::pool{.workers = spb::nthreads + static_cast<int>(sources.size())});
  spb::Metrics::stop();
  spb::end_bench();
}
