#pragma once

#include <thalweg/thalweg.hpp>

#include <optional>
#include <utility>

#include "bench/support/several_sources.hpp"

/// A farm behind several sources, as a graph: what they give is merged, in the order of the stream if the
/// sink wants that.
template <class Source, class Item, class Sink, class Work>
void stream_of_several_sources(Work work, sink_order wanted) {
  namespace tw = thalweg;
  const bool in_order = wanted == sink_order::of_stream;
  const auto earlier = [](const Item& a, const Item& b) { return a.batch_index < b.batch_index; };
  auto sources = several_sources<Source>(2 * spb::nthreads);
  tw::graph streams;
  auto& all = in_order ? streams.add<tw::merge<Item>>(earlier) : streams.add<tw::merge<Item>>();
  for (auto& source : sources) {
    const auto next = [&source]() -> std::optional<Item> {
      Item item;
      if (!source.getItem(item)) return std::nullopt;
      return item;
    };
    streams.connect(streams.add(tw::source(next)).out, all.input());
  }
  const auto worked_on = [work](Item item) {
    work(item);
    return item;
  };
  const auto farm = streams.add(tw::farm(worked_on, {.replicas = spb::nthreads, .unordered = !in_order}));
  streams.connect(all.out, farm.in);
  streams.connect(farm.out, streams.add(tw::sink([](Item item) { Sink::op(item); })).in);
  // A source that waits for its next item keeps a worker from other work: there is one more for each.
  tw::run(streams, tw::pool{.workers = spb::nthreads + static_cast<int>(sources.size())});
}
