#pragma once

// GrPPI's headers use the first two, but do not include them.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <grppi/grppi.h>

#include "spb/api.hpp"
#include "spb/detail/failure.hpp"

/// The back end that `-user-arg` names (threads, omp or sequential; threads without it), in order, with
/// queues as short as they can be. Not GrPPI's back end of oneTBB: at the end of the stream it copies what an
/// empty optional would hold, and it keeps no order.
///
/// `workers`: how many stages and replicas there are between source and sink. Under OpenMP each is a task
/// that waits at its queue, and keeps the thread that it has got: with fewer threads the stream would stand
/// still.
inline grppi::dynamic_execution grppi_back_end(int workers = spb::nthreads) {
  const std::string name = spb::SPBench::getArgs() > 0 ? spb::SPBench::getArg(0) : "threads";
  constexpr int queue_size = 1;
  constexpr auto mode = grppi::queue_mode::blocking;
  if (name == "threads") {
    grppi::parallel_execution_native threads(spb::nthreads, true);
    threads.set_queue_attributes(queue_size, mode);
    return threads;
  }
  if (name == "omp") {
    grppi::parallel_execution_omp omp(workers + 2, true);  // two more for source and sink
    omp.set_queue_attributes(queue_size, mode);
    return omp;
  }
  spb::detail::or_end([&] {
    if (name != "sequential")
      throw std::invalid_argument("GrPPI has no back end '" + name +
                                  "': -user-arg threads, omp or sequential");
  });
  return grppi::sequential_execution{};
}
