#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <ferret.hpp>

#include "bench/support/two_farms.hpp"

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
  const two_farms workers;
  spb::Metrics::init();
  const auto first = static_cast<std::size_t>(workers.first),
             second = static_cast<std::size_t>(workers.second);
  queue pictures(first), found(second, first), ranked(second, second);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) pictures.enqueue(std::move(item));
      pictures.close();
    });
    start(threads, first, pictures, found, [](spb::Item& item) {
      spb::Segmentation::op(item);
      spb::Extract::op(item);
      spb::Vectorization::op(item);
    });
    start(threads, second, found, ranked, spb::Rank::op);
    for (spb::Item item; ranked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
