// What is sent is counted where it is handed to MPI: its profiling interface lets a program put functions of
// its own before those of the library.
#include <atomic>

#include <mpi.h>

#include "ranks.hpp"

namespace micro {
namespace {

std::atomic<std::uint64_t> sent{0};

int counted(int result) {
  sent.fetch_add(1, std::memory_order_relaxed);
  return result;
}

}  // namespace

std::uint64_t messages_sent() noexcept {
  return sent.load(std::memory_order_relaxed);
}

}  // namespace micro

extern "C" {

int MPI_Send(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return micro::counted(PMPI_Send(from, count, type, to, tag, comm));
}
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return micro::counted(PMPI_Isend(from, count, type, to, tag, comm, request));
}

}  // extern "C"
