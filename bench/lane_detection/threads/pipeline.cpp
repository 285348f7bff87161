#include <thread>
#include <utility>
#include <vector>

#include <lane_detection.hpp>

using queue = SharedQueue<spb::Item>;

// The thread of a stage.
template <class Operator> std::jthread stage(queue& from, queue& to) {
  return std::jthread([&from, &to] {
    for (spb::Item item; from.dequeue(item);) {
      Operator::op(item);
      to.enqueue(std::move(item));
    }
    to.close();
  });
}

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
    threads.push_back(stage<spb::Segment>(frames, roads));
    threads.push_back(stage<spb::Canny1>(roads, edges));
    threads.push_back(stage<spb::HoughT>(edges, lines));
    threads.push_back(stage<spb::HoughP>(lines, segments));
    threads.push_back(stage<spb::Bitwise>(segments, agreed));
    threads.push_back(stage<spb::Canny2>(agreed, outlines));
    threads.push_back(stage<spb::Overlap>(outlines, marked));
    for (spb::Item item; marked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
