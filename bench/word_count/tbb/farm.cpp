#include <cstddef>
#include <utility>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <word_count.hpp>

#include "bench/support/words_by_part.hpp"

using items = std::vector<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  std::vector<spb::Counts> counts(threads);

  const auto source = tbb::make_filter<void, spb::Item>(tbb::filter_mode::serial_out_of_order,
                                                        [](tbb::flow_control& control) {
                                                          spb::Item item;
                                                          if (!spb::Source::op(item)) control.stop();
                                                          return item;
                                                        });
  auto stages = source & tbb::make_filter<spb::Item, items>(
                             tbb::filter_mode::parallel,
                             [threads](spb::Item item) { return words_by_part(item, threads); });
  // A serial filter for each part of the words: one counts while the next one has the item before.
  for (std::size_t part = 0; part < threads; ++part) {
    stages &= tbb::make_filter<items, items>(tbb::filter_mode::serial_out_of_order,
                                             [part, &state = counts[part]](items parts) {
                                               spb::Count::op(parts[part], state);
                                               return parts;
                                             });
  }
  tbb::task_arena(spb::nthreads).execute([&] {
    tbb::parallel_pipeline(
        2 * threads, stages & tbb::make_filter<items, void>(tbb::filter_mode::parallel, [](const items&) {}));
  });
  for (auto& part : counts) spb::Sink::op(part);
  spb::Metrics::stop();
  spb::end_bench();
}
