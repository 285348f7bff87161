#pragma once

#include <cstddef>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/support/chunk.hpp"
#include "spb/nexmark.hpp"

/// A query of Nexmark that gives bids, as a pipeline of oneTBB.
template <class Query> void bids_over_tbb() {
  using events = chunk<spb::Item>;
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const auto source =
      tbb::make_filter<void, events>(tbb::filter_mode::serial_out_of_order, [](tbb::flow_control& control) {
        events some;
        if (!some.take<spb::Source>()) control.stop();
        return some;
      });
  const auto make = tbb::make_filter<events, events>(tbb::filter_mode::parallel, [](events some) {
    some.apply<spb::Generate>();
    some.apply<Query>();
    return some;
  });
  const auto sink = tbb::make_filter<events, void>(tbb::filter_mode::serial_out_of_order,
                                                   [](events some) { some.apply_to_rest<spb::Sink>(); });
  tbb::task_arena(spb::nthreads).execute([&] { tbb::parallel_pipeline(2 * threads, source & make & sink); });
}
