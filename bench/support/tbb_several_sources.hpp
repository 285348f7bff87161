#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/support/several_sources.hpp"

/// A farm behind several sources, as a flow graph. What is under way is bounded for each source by itself:
/// where the sink wants the order of the stream, the item that it waits for could otherwise be kept out by
/// later ones of other sources.
template <class Source, class Item, class Sink, class Work>
void stream_of_several_sources(Work work, sink_order wanted) {
  namespace flow = tbb::flow;
  struct entrance;
  struct message {  // nodes copy what they hand over
    std::shared_ptr<Item> item;
    entrance* through = nullptr;
  };
  struct entrance {
    entrance(flow::graph& streams, Source& source, std::size_t most)
        : limit(streams, most), input(streams, [this, &source](tbb::flow_control& control) {
            message next{std::make_shared<Item>(), this};
            if (!source.getItem(*next.item)) control.stop();
            return next;
          }) {
      flow::make_edge(input, limit);
    }
    flow::limiter_node<message> limit;
    flow::input_node<message> input;
  };

  const auto threads = static_cast<std::size_t>(spb::nthreads);
  auto sources = several_sources<Source>(2 * spb::nthreads);
  // A source that waits for its next item keeps a thread from other work: there is one more for each.
  const auto all = threads + sources.size();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, all);
  tbb::task_arena arena(static_cast<int>(all));
  arena.execute([&] {
    flow::graph streams;
    flow::function_node<message, message> farm(streams, threads, [work](const message& one) {
      work(*one.item);
      return one;
    });
    flow::sequencer_node<message> in_order(
        streams, [](const message& one) { return static_cast<std::size_t>(one.item->batch_index); });
    flow::function_node<message> sink(streams, flow::serial, [](const message& one) {
      Sink::op(*one.item);
      one.through->limit.decrementer().try_put(flow::continue_msg());
      return flow::continue_msg();
    });
    if (wanted == sink_order::of_stream) {
      flow::make_edge(farm, in_order);
      flow::make_edge(in_order, sink);
    } else {
      flow::make_edge(farm, sink);
    }
    std::deque<entrance> entrances;
    const auto most = (2 * threads + sources.size() - 1) / sources.size();
    for (auto& source : sources) flow::make_edge(entrances.emplace_back(streams, source, most).limit, farm);
    for (auto& each : entrances) each.input.activate();
    streams.wait_for_all();
  });
}
