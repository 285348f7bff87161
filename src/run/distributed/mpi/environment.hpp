#pragma once

#include <vector>

#include <mpi.h>

#include "machine.hpp"
#include "process.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// The ranks, where they are, and what they have.
struct environment {
  machine all;
  std::vector<process> processes;
  std::vector<int> node_of;  ///< of each rank the first one that shares its memory and its clock
  bool crowded = false;      ///< there are more ranks on this machine than cores for them
  int cores = 1;             ///< of this machine, that its ranks may use
};

/// All ranks of `comm` call it together. `workers`: what this rank's policy has; `automatic`: its share of
/// the cores.
[[nodiscard]] environment look_around(MPI_Comm comm, int workers);

/// The same if ranks have started some of the others, so that MPI may not know which of them share memory.
/// Two ranks that see the same boot of the same host are on one machine. Sleeps while it waits.
[[nodiscard]] environment discover_joined_environment(MPI_Comm comm, int workers);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
