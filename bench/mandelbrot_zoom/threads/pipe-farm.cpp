#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <mandelbrot_zoom.hpp>

#include "bench/support/stage_threads.hpp"

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  // All queues give items in order: if only the last one did, an item that others have overtaken could be
  // kept from it by those that wait there for just this item.
  constexpr auto in_order = queue_order::by_item;
  queue frames(n), drawn(n, n, in_order), blurred(n, n, in_order);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) frames.enqueue(std::move(item));
      frames.close();
    });
    start_stage(threads, n, frames, drawn, spb::Mandelbrot::op);
    start_stage(threads, n, drawn, blurred, spb::Blur::op);
    for (spb::Item item; blurred.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
