#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <video_filter.hpp>

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  queue items(n), done(n, n, queue_order::by_item);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) items.enqueue(std::move(item));
      items.close();
    });
    for (std::size_t i = 0; i < n; ++i) {
      threads.emplace_back([&] {
        for (spb::Item item; items.dequeue(item);) {
          spb::Read::op(item);
          spb::Blur::op(item);
          spb::Sobel::op(item);
          spb::Pack::op(item);
          done.enqueue(std::move(item));
        }
        done.close();
      });
    }
    for (spb::Item item; done.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
