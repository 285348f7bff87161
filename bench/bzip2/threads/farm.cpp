#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <bzip2.hpp>

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  SharedQueue<spb::Item> to_do(n);
  SharedQueue<spb::Item> done(n, n, queue_order::by_item);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; Source::op(item);) to_do.enqueue(std::move(item));
      to_do.close();
    });
    for (std::size_t i = 0; i < n; ++i) {
      threads.emplace_back([&] {
        for (spb::Item item; to_do.dequeue(item);) {
          Work::op(item);
          done.enqueue(std::move(item));
        }
        done.close();
      });
    }
    for (spb::Item item; done.dequeue(item);) Sink::op(item);
  }
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
}
