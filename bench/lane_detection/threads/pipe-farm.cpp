#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <lane_detection.hpp>

using queue = SharedQueue<spb::Item>;

// Threads that share a stage. All queues give items in order: if only the last one did, an item that others
// have overtaken could be kept from it by those that wait there for just this item.
template <class Operator>
void start(std::vector<std::jthread>& threads, std::size_t count, queue& from, queue& to) {
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&from, &to] {
      for (spb::Item item; from.dequeue(item);) {
        Operator::op(item);
        to.enqueue(std::move(item));
      }
      to.close();
    });
  }
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  constexpr auto in_order = queue_order::by_item;
  queue frames(n), roads(n, n, in_order), edges(n, n, in_order), lines(n, n, in_order),
      segments(n, n, in_order), agreed(n, n, in_order), outlines(n, n, in_order), marked(n, n, in_order);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) frames.enqueue(std::move(item));
      frames.close();
    });
    start<spb::Segment>(threads, n, frames, roads);
    start<spb::Canny1>(threads, n, roads, edges);
    start<spb::HoughT>(threads, n, edges, lines);
    start<spb::HoughP>(threads, n, lines, segments);
    start<spb::Bitwise>(threads, n, segments, agreed);
    start<spb::Canny2>(threads, n, agreed, outlines);
    start<spb::Overlap>(threads, n, outlines, marked);
    for (spb::Item item; marked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
