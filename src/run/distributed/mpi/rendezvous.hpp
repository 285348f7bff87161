#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <mpi.h>

#include "process.hpp"

/// All ranks come to the same runs, one after the other, and to the end of MPI. A rank that waits for others
/// that never come would wait for ever, since MPI itself has no limit.
///
/// State: a communicator of all ranks that began the program, the process of each of them, and how many runs
/// this process takes part in.
/// Written by: the threads that begin runs, one after the other, and the one that finalises MPI.
/// Invariant: a rank leaves a rendezvous when all ranks have come to the run of the same number. If one has
/// come to another run, or to the end, rank 0 ends the program on all of them.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// MPI has been initialised by the library (`own`: so all ranks are there) or by the program. From now on
/// ranks find out when it is finalised on some of them while others run something.
void begin_rendezvous(bool own);

/// Waits, asleep, until all ranks have come to run `number` of the program, and returns a communicator for
/// it. Names ranks that have not come within `patience` on stderr, once (0: never). Ends all ranks, with a
/// line that names it, if one has come to another run or to its end.
[[nodiscard]] MPI_Comm rendezvous(std::int64_t number, std::chrono::milliseconds patience);

/// Watches the rank before this one, of those that began the program and have come to a run, for as long as
/// there is one.
[[nodiscard]] std::unique_ptr<stop_watch> watch_before(std::chrono::milliseconds patience);

/// While there is one, this process executes a part of a run, and must not end.
class in_run {
 public:
  in_run() noexcept;
  in_run(const in_run&) = delete;
  in_run& operator=(const in_run&) = delete;
  ~in_run();
};

/// Whether this process has a part in a run now.
[[nodiscard]] bool is_in_run() noexcept;

/// A process that is about to end, for example by `exit` in a stage, calls it. In the middle of a run it ends
/// the program on all ranks, since they would wait for it.
void require_no_run();

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
