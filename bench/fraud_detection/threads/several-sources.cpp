#include <cstddef>
#include <thread>
#include <vector>

#include <fraud_detection.hpp>

#include "bench/support/card_threads.hpp"
#include "bench/support/several_sources.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  auto sources = several_sources<spb::Source>(256);
  card_queues to_do;
  for (std::size_t i = 0; i < n; ++i) to_do.emplace_back(4, sources.size());
  SharedQueue<spb::Item> alarms(n, n);
  {
    std::vector<std::jthread> threads;
    for (auto& source : sources)
      start_source(threads, to_do, [&source](spb::Item& item) { return source.getItem(item); });
    start_predictors(threads, to_do, alarms);
    for (spb::Item alarm; alarms.dequeue(alarm);) spb::Sink::op(alarm);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
