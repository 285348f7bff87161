#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <video_filter.hpp>

#include "bench/support/stage_threads.hpp"

using queue = SharedQueue<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  // All queues give items in order: if only the last one did, an item that others have overtaken could be
  // kept from it by those that wait there for just this item.
  constexpr auto in_order = queue_order::by_item;
  queue files(n), pictures(n, n, in_order), blurred(n, n, in_order), edges(n, n, in_order),
      packed(n, n, in_order);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) files.enqueue(std::move(item));
      files.close();
    });
    start_stage(threads, n, files, pictures, spb::Read::op);
    start_stage(threads, n, pictures, blurred, spb::Blur::op);
    start_stage(threads, n, blurred, edges, spb::Sobel::op);
    start_stage(threads, n, edges, packed, spb::Pack::op);
    for (spb::Item item; packed.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
