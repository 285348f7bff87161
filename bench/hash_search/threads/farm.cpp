#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <hash_search.hpp>

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  queue hashes(n), found(n, n);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) hashes.enqueue(std::move(item));
      hashes.close();
    });
    for (std::size_t i = 0; i < n; ++i) {
      threads.emplace_back([&] {
        for (spb::Item item; hashes.dequeue(item);) {
          spb::Search::op(item);
          found.enqueue(std::move(item));
        }
        found.close();
      });
    }
    for (spb::Item item; found.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
