#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <primes.hpp>

#include "bench/support/chunk.hpp"

using numbers = chunk<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  SharedQueue<numbers> to_do(n), tested(n, n);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      while (auto some = numbers::next<spb::Source>()) to_do.enqueue(std::move(*some));
      to_do.close();
    });
    for (std::size_t i = 0; i < n; ++i) {
      threads.emplace_back([&] {
        for (numbers some; to_do.dequeue(some);) {
          some.apply<spb::Primality>();
          tested.enqueue(std::move(some));
        }
        tested.close();
      });
    }
    for (numbers some; tested.dequeue(some);) some.apply<spb::Sink>();
  }
  spb::Metrics::stop();
  spb::end_bench();
}
