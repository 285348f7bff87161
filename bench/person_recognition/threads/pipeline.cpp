#include <thread>
#include <utility>
#include <vector>

#include <person_recognition.hpp>

#include "bench/support/stage_threads.hpp"

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  constexpr int waiting = 2;
  queue frames(waiting), detected(waiting), recognized(waiting);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) frames.enqueue(std::move(item));
      frames.close();
    });
    start_stage(threads, 1, frames, detected, spb::Detect::op);
    start_stage(threads, 1, detected, recognized, spb::Recognize::op);
    for (spb::Item item; recognized.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
