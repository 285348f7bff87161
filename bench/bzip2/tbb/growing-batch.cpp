#include <bzip2.hpp>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/support/growing_batch.hpp"
#include "bench/support/user_number.hpp"

template <class Source, class Work, class Sink> void run() {
  const auto seconds = user_number(0, 10, "the seconds in which batches grow from 1 to 10");
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const growing_batch growing(10, seconds);
  const auto source =
      tbb::make_filter<void, spb::Item>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        growing.set_size();
        spb::Item item;
        if (!Source::op(item)) control.stop();
        return item;
      });
  const auto work = tbb::make_filter<spb::Item, spb::Item>(tbb::filter_mode::parallel, [](spb::Item item) {
    Work::op(item);
    return item;
  });
  const auto sink = tbb::make_filter<spb::Item, void>(tbb::filter_mode::serial_in_order,
                                                      [](spb::Item item) { Sink::op(item); });
  tbb::task_arena(spb::nthreads).execute([&] { tbb::parallel_pipeline(2 * threads, source & work & sink); });
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
}
