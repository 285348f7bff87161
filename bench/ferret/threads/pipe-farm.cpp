#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <ferret.hpp>

using queue = SharedQueue<spb::Item>;

// Threads that share a stage.
template <class Work>
void start(std::vector<std::jthread>& threads, std::size_t count, queue& from, queue& to, Work work) {
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&from, &to, work] {
      for (spb::Item item; from.dequeue(item);) {
        work(item);
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
  queue pictures(n), divided(n, n), described(n, n), found(n, n), ranked(n, n);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) pictures.enqueue(std::move(item));
      pictures.close();
    });
    start(threads, n, pictures, divided, spb::Segmentation::op);
    start(threads, n, divided, described, spb::Extract::op);
    start(threads, n, described, found, spb::Vectorization::op);
    start(threads, n, found, ranked, spb::Rank::op);
    for (spb::Item item; ranked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
