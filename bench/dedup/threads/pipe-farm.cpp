#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <dedup.hpp>

#include "bench/support/stage_threads.hpp"

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  // What has come before is looked up in order, by one: nothing is compressed twice.
  queue fragments(n), refined(n, n, queue_order::by_item), looked_up(n), packed(n, n, queue_order::by_item);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) fragments.enqueue(std::move(item));
      fragments.close();
    });
    start_stage(threads, n, fragments, refined, spb::Refine::op);
    start_stage(threads, 1, refined, looked_up, spb::Deduplicate::op);
    start_stage(threads, n, looked_up, packed, spb::Compress::op);
    for (spb::Item item; packed.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
