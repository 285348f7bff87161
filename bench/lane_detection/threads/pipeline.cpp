#include <thread>
#include <utility>
#include <vector>

#include <lane_detection.hpp>

#include "bench/support/stage_threads.hpp"

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  constexpr int waiting = 2;
  queue frames(waiting), roads(waiting), edges(waiting), lines(waiting), segments(waiting), agreed(waiting),
      outlines(waiting), marked(waiting);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) frames.enqueue(std::move(item));
      frames.close();
    });
    start_stage(threads, 1, frames, roads, spb::Segment::op);
    start_stage(threads, 1, roads, edges, spb::Canny1::op);
    start_stage(threads, 1, edges, lines, spb::HoughT::op);
    start_stage(threads, 1, lines, segments, spb::HoughP::op);
    start_stage(threads, 1, segments, agreed, spb::Bitwise::op);
    start_stage(threads, 1, agreed, outlines, spb::Canny2::op);
    start_stage(threads, 1, outlines, marked, spb::Overlap::op);
    for (spb::Item item; marked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
