#pragma once

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "bench/support/several_sources.hpp"
#include "bench/support/stage_threads.hpp"
#include "spb/shared_queue.hpp"

/// A farm of threads behind several sources. Where the sink wants the order of the stream, both queues keep
/// it.
template <class Source, class Item, class Sink, class Work>
void stream_of_several_sources(Work work, sink_order wanted) {
  const auto order = wanted == sink_order::of_stream ? queue_order::by_item : queue_order::as_they_come;
  const auto n = static_cast<std::size_t>(spb::nthreads);
  auto sources = several_sources<Source>(2 * spb::nthreads);
  SharedQueue<Item> to_do(n, sources.size(), order), done(n, n, order);
  std::vector<std::jthread> threads;
  threads.reserve(sources.size() + n);
  for (auto& source : sources) {
    threads.emplace_back([&] {
      for (Item item; source.getItem(item);) to_do.enqueue(std::move(item));
      to_do.close();
    });
  }
  start_stage(threads, n, to_do, done, work);
  for (Item item; done.dequeue(item);) Sink::op(item);
}
