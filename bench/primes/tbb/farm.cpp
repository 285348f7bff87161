#include <cstddef>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <primes.hpp>

#include "bench/support/chunk.hpp"

using numbers = chunk<spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const auto source =
      tbb::make_filter<void, numbers>(tbb::filter_mode::serial_out_of_order, [](tbb::flow_control& control) {
        numbers some;
        if (!some.take<spb::Source>()) control.stop();
        return some;
      });
  const auto test = tbb::make_filter<numbers, numbers>(tbb::filter_mode::parallel, [](numbers some) {
    some.apply<spb::Primality>();
    return some;
  });
  const auto sink = tbb::make_filter<numbers, void>(tbb::filter_mode::serial_out_of_order,
                                                    [](numbers some) { some.apply<spb::Sink>(); });
  tbb::task_arena(spb::nthreads).execute([&] { tbb::parallel_pipeline(2 * threads, source & test & sink); });
  spb::Metrics::stop();
  spb::end_bench();
}
