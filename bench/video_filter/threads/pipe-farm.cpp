#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <video_filter.hpp>

using queue = SharedQueue<spb::Item>;

// Threads that share a stage.
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
  queue files(n), pictures(n, n), blurred(n, n), edges(n, n), packed(n, n, queue_order::by_item);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) files.enqueue(std::move(item));
      files.close();
    });
    start<spb::Read>(threads, n, files, pictures);
    start<spb::Blur>(threads, n, pictures, blurred);
    start<spb::Sobel>(threads, n, blurred, edges);
    start<spb::Pack>(threads, n, edges, packed);
    for (spb::Item item; packed.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
