#pragma once

#include <thalweg/model/codec.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "process.hpp"

/// What all ranks do together at the end of a run, without keeping a processor busy as MPI's own waiting
/// would.
namespace THALWEG_NAMESPACE::run_detail::distributed {

[[nodiscard]] int rank_in(MPI_Comm comm);
[[nodiscard]] int ranks_in(MPI_Comm comm);

[[nodiscard]] bool is_done(MPI_Request& r);
/// Returns when it is done.
void wait_for(MPI_Request& r);

/// Ends the program on all ranks of `comm`, with a line on stderr that says why. MPI may wait for processes
/// that do not answer, or leave those that joined: the `silent` ones of this machine are ended before it is
/// asked, and this one a second later at most.
[[noreturn]] void end_program(const std::string& why, MPI_Comm comm, const std::vector<process>& silent = {});

/// What `read` makes of the bytes of another rank. If they cannot be read, what else it says can be trusted
/// as little as if it had died: the program is ended on all ranks, with a line that says what has come from
/// where.
template <class Read> auto read_or_end(MPI_Comm comm, Read&& read) {
  try {
    return read();
  } catch (const codec_error& e) {
    end_program(std::string("mpi: ") + e.what() + ", so the program is ended on all ranks", comm);
  }
}

/// `end_program` from a thread that must not call MPI. Launchers end all processes when one has been killed.
[[noreturn]] void end_program_without_mpi(const std::string& why, const process& silent);

/// `2.5 s`.
[[nodiscard]] std::string seconds_of(std::chrono::nanoseconds t);

/// Calls it when MPI is about to be finalised, by whomever.
void before_finalising(void (*call)());

/// Where this rank is, as MPI calls it.
[[nodiscard]] std::string name_of_host();

/// `rank 3` and the text of that rank, the lowest one that has some; on all ranks. Empty if none has any.
[[nodiscard]] std::string first_of(const std::string& mine, MPI_Comm comm);

/// Rank 0 gets what each rank has, by rank; the others get nothing.
[[nodiscard]] std::vector<std::vector<std::byte>> gathered(const std::vector<std::byte>& mine, MPI_Comm comm);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
