#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <ferret.hpp>

#include "bench/support/stage_threads.hpp"
#include "bench/support/two_farms.hpp"

using queue = SharedQueue<spb::Item>;

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
    start_stage(threads, first, pictures, found, [](spb::Item& item) {
      spb::Segmentation::op(item);
      spb::Extract::op(item);
      spb::Vectorization::op(item);
    });
    start_stage(threads, second, found, ranked, spb::Rank::op);
    for (spb::Item item; ranked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
