#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <file_writer.hpp>

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  queue files(n), written(n, n);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) files.enqueue(std::move(item));
      files.close();
    });
    for (std::size_t i = 0; i < n; ++i) {
      threads.emplace_back([&] {
        for (spb::Item item; files.dequeue(item);) {
          spb::Write::op(item);
          written.enqueue(std::move(item));
        }
        written.close();
      });
    }
    for (spb::Item item; written.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
