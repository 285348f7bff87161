#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <mandelbrot_zoom.hpp>

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
  queue frames(n), drawn(n, n, in_order), blurred(n, n, in_order);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) frames.enqueue(std::move(item));
      frames.close();
    });
    start<spb::Mandelbrot>(threads, n, frames, drawn);
    start<spb::Blur>(threads, n, drawn, blurred);
    for (spb::Item item; blurred.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
