// What is sent is counted where it is handed to MPI: its profiling interface lets a program put functions of
// its own before those of the library.
#include <atomic>
#include <cstdint>
#include <cstring>

#include <mpi.h>

#include "../../src/run/distributed/mpi/message.hpp"
#include "ranks.hpp"

namespace micro {
namespace {

namespace distributed = thalweg::run_detail::distributed;

std::atomic<std::uint64_t> messages{0}, bytes{0}, bytes_of_figures{0};

/// Whether a message is one by which ranks tell rank 0 what they have counted, or are asked to.
bool has_figures(const void* from, std::uint64_t size, int tag) {
  constexpr int of_the_stream = 1;
  distributed::header head;
  if (tag != of_the_stream || size < sizeof head) return false;
  std::memcpy(&head, from, sizeof head);
  using kind = distributed::header::kind;
  return head.what == kind::figures || head.what == kind::watch;
}

void count(const void* from, int count, MPI_Datatype type, int tag) {
  int each = 0;
  PMPI_Type_size(type, &each);
  const auto size = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(each);
  messages.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(size, std::memory_order_relaxed);
  if (type == MPI_BYTE && has_figures(from, size, tag))
    bytes_of_figures.fetch_add(size, std::memory_order_relaxed);
}

}  // namespace

traffic sent_so_far() noexcept {
  return {messages, bytes, bytes_of_figures};
}

}  // namespace micro

extern "C" {

int MPI_Send(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  micro::count(from, count, type, tag);
  return PMPI_Send(from, count, type, to, tag, comm);
}
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  micro::count(from, count, type, tag);
  return PMPI_Isend(from, count, type, to, tag, comm, request);
}

}  // extern "C"
