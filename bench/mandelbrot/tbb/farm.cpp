#include <cstddef>

#include <mandelbrot.hpp>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const auto source = tbb::make_filter<void, spb::Item>(tbb::filter_mode::serial_out_of_order,
                                                        [](tbb::flow_control& control) {
                                                          spb::Item item;
                                                          if (!spb::Source::op(item)) control.stop();
                                                          return item;
                                                        });
  const auto work = tbb::make_filter<spb::Item, spb::Item>(tbb::filter_mode::parallel, [](spb::Item item) {
    spb::Mandelbrot::op(item);
    return item;
  });
  const auto sink = tbb::make_filter<spb::Item, void>(tbb::filter_mode::serial_out_of_order,
                                                      [](spb::Item item) { spb::Sink::op(item); });
  tbb::task_arena(spb::nthreads).execute([&] { tbb::parallel_pipeline(2 * threads, source & work & sink); });
  spb::Metrics::stop();
  spb::end_bench();
}
