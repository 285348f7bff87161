#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <ferret.hpp>

#include "bench/support/several_sources.hpp"
#include "bench/support/stage_threads.hpp"

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  auto sources = several_sources<spb::Source>();
  queue pictures(n, sources.size()), ranked(n, n);
  {
    std::vector<std::jthread> threads;
    threads.reserve(sources.size() + n);
    for (auto& source : sources) {
      threads.emplace_back([&] {
        for (spb::Item item; source.getItem(item);) pictures.enqueue(std::move(item));
        pictures.close();
      });
    }
    start_stage(threads, n, pictures, ranked, [](spb::Item& item) {
      spb::Segmentation::op(item);
      spb::Extract::op(item);
      spb::Vectorization::op(item);
      spb::Rank::op(item);
    });
    for (spb::Item item; ranked.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
