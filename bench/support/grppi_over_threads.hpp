#pragma once

// GrPPI's headers use these, but do not include them.
#include <memory>
#include <vector>

#include <grppi/grppi.h>

#include "spb/api.hpp"

/// GrPPI's back end of C++ threads, in order, with queues as short as they can be.
inline grppi::parallel_execution_native grppi_over_threads() {
  grppi::parallel_execution_native threads(spb::nthreads, true);
  threads.set_queue_attributes(1, grppi::queue_mode::blocking);
  return threads;
}
