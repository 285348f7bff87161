#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "bench/support/grppi_over_threads.hpp"
#include "spb/detail/failure.hpp"

#ifdef GRPPI_TBB
#include <oneapi/tbb/global_control.h>
#endif

/// The back end that `-user-arg` names (threads, omp, tbb or sequential), set as those over threads are,
/// which are given without it.
///
/// `workers`: how many stages and replicas there are between source and sink. Under OpenMP each is a task
/// that waits at its queue, and keeps the thread that it has got: with fewer threads the stream would stand
/// still.
inline grppi::dynamic_execution grppi_back_end_or(const grppi::parallel_execution_native& threads,
                                                  int workers = spb::nthreads) {
  if (spb::SPBench::getArgs() == 0) return threads;
  const std::string name = spb::SPBench::getArg(0);
  if (name == "threads") return threads;
  constexpr int queue_size = 1;
  constexpr auto mode = grppi::queue_mode::blocking;
  if (name == "omp") {
    grppi::parallel_execution_omp omp(workers + 2, true);  // two more for source and sink
    omp.set_queue_attributes(queue_size, mode);
    return omp;
  }
#ifdef GRPPI_TBB
  if (name == "tbb") {
    // GrPPI leaves the number of threads to oneTBB.
    static const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                           static_cast<std::size_t>(spb::nthreads));
    grppi::parallel_execution_tbb pipelines(spb::nthreads, true);
    pipelines.set_queue_attributes(queue_size, mode, 2 * spb::nthreads);  // so many items are under way
    return pipelines;
  }
#endif
  spb::detail::or_end([&] {
    if (name != "sequential")
      throw std::invalid_argument("GrPPI has no back end '" + name +
                                  "' here: -user-arg threads, omp, sequential, or tbb with a GrPPI that "
                                  "docs/applications.md names");
  });
  return grppi::sequential_execution{};
}
