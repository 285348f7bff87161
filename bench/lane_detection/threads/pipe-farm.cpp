#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <lane_detection.hpp>

#include "bench/support/stage_threads.hpp"

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  // All queues give items in order: if only the last one did, an item that others have overtaken could be
  // kept from it by those that wait there for just this item.
  constexpr auto in_order = queue_order::by_item;
  queue frames(n), roads(n, n, in_order), edges(n, n, in_order), lines(n, n, in_order),
      segments(n, n, in_order), agreed(n, n, in_order), outlines(n, n, in_order), marked(n, n, in_order);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) frames.enqueue(std::move(item));
      frames.close();
    });
    start_stage(threads, n, frames, roads, spb::Segment::op);
    start_stage(threads, n, roads, edges, spb::Canny1::op);
    start_stage(threads, n, edges, lines, spb::HoughT::op);
    start_stage(threads, n, lines, segments, spb::HoughP::op);
    start_stage(threads, n, segments, agreed, spb::Bitwise::op);
    start_stage(threads, n, agreed, outlines, spb::Canny2::op);
    start_stage(threads, n, outlines, marked, spb::Overlap::op);
    for (spb::Item item; marked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
