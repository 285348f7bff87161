// All processes that mpirun has started.
#include <thalweg/run/mpi.hpp>

#include <vector>

#include <mpi.h>

#include "processes.hpp"
#include "work.hpp"

namespace micro {

processes::processes(int& argc, char**& argv) {
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
}

processes::~processes() {
  MPI_Finalize();
}

bool processes::first() const noexcept {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

std::uint32_t processes::told(std::uint32_t says) const {
  MPI_Bcast(&says, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);
  return says;
}

nanos processes::sum(nanos mine) const {
  nanos all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

thalweg::any_policy policy_named(const std::string& name) {
  thalweg::let_travel<worked_item>();
  thalweg::let_travel<std::vector<worked_item>>();
  if (name == "mpi") return thalweg::mpi({.local = thalweg::threads{}});
  return thalweg::policy_from(name);
}

}  // namespace micro
