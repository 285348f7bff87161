#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <mandelbrot.hpp>

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  queue lines(n), drawn(n, n);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) lines.enqueue(std::move(item));
      lines.close();
    });
    for (std::size_t i = 0; i < n; ++i) {
      threads.emplace_back([&] {
        for (spb::Item item; lines.dequeue(item);) {
          spb::Mandelbrot::op(item);
          drawn.enqueue(std::move(item));
        }
        drawn.close();
      });
    }
    for (spb::Item item; drawn.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
