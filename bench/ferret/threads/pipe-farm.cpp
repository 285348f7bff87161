#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <ferret.hpp>

#include "bench/support/stage_threads.hpp"

using queue = SharedQueue<spb::Item>;

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
    start_stage(threads, n, pictures, divided, spb::Segmentation::op);
    start_stage(threads, n, divided, described, spb::Extract::op);
    start_stage(threads, n, described, found, spb::Vectorization::op);
    start_stage(threads, n, found, ranked, spb::Rank::op);
    for (spb::Item item; ranked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
