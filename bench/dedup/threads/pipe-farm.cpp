#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <dedup.hpp>

using queue = SharedQueue<spb::Item>;

// Threads that share a stage. What has come before is looked up in order, by one: nothing is compressed
// twice.
template <class Operator>
void start(std::vector<std::jthread>& threads, std::size_t count, queue& from, queue& to) {
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&from, &to] {
      for (spb::Item item; from.dequeue(item);) {
        Operator::op(item);
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
  queue fragments(n), refined(n, n, queue_order::by_item), looked_up(n), packed(n, n, queue_order::by_item);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) fragments.enqueue(std::move(item));
      fragments.close();
    });
    start<spb::Refine>(threads, n, fragments, refined);
    start<spb::Deduplicate>(threads, 1, refined, looked_up);
    start<spb::Compress>(threads, n, looked_up, packed);
    for (spb::Item item; packed.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
