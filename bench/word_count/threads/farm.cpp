#include <cstddef>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include <word_count.hpp>

#include "bench/support/words_by_part.hpp"

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  queue passages(n);
  std::deque<queue> to_count;  // a queue for each part of the words
  for (std::size_t i = 0; i < n; ++i) to_count.emplace_back(4, n);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) passages.enqueue(std::move(item));
      passages.close();
    });
    for (std::size_t i = 0; i < n; ++i) {
      threads.emplace_back([&] {
        for (spb::Item item; passages.dequeue(item);)
          for (auto& part : words_by_part(item, n)) to_count[part.key].enqueue(std::move(part));
        for (auto& part : to_count) part.close();
      });
    }
    for (auto& mine : to_count) {
      threads.emplace_back([&] {
        spb::Counts counts;
        for (spb::Item item; mine.dequeue(item);) spb::Count::op(item, counts);
        spb::Sink::op(counts);
      });
    }
  }
  spb::Metrics::stop();
  spb::end_bench();
}
