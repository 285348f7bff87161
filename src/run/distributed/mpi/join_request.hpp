#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "clocks.hpp"
#include "environment.hpp"
#include "records.hpp"
#include "transport.hpp"

/// What a run and the processes that it has started to join it tell each other before these are its ranks.
/// docs/distributed.md describes all of it.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// How the program that is started is called, so that a joiner knows that thalweg has started it: a program
/// may start processes itself.
[[nodiscard]] std::string command_for_joiners(const std::string& program);
[[nodiscard]] bool is_for_joiners(const std::string& command);
/// This process: its program, and the arguments it was started with.
[[nodiscard]] std::string this_program();
[[nodiscard]] std::vector<std::string> own_command_line();

// Both sleep while they wait. `inter` leads to the other side.
void send_to(int rank, const bytes& what, MPI_Comm inter);
[[nodiscard]] bytes receive_from(int rank, MPI_Comm inter);
void send_number(int rank, std::int32_t n, MPI_Comm inter);
[[nodiscard]] std::int32_t receive_number(int rank, MPI_Comm inter);

/// All ranks of a run in one communicator, those that began it first, and what they are.
struct group {
  MPI_Comm comm = MPI_COMM_NULL;
  environment env;
  clocks times;

  /// The ranks that began and the joiners call it together, each with the communicator of its side.
  /// `bridge`: both leaders are in it, of which the other one has this number; used by leaders alone.
  /// `workers`: those of this rank's policy, as `look_around` takes them.
  [[nodiscard]] static group make(MPI_Comm side, MPI_Comm bridge, int other_leader, bool joins, int workers);
  /// Whether all agree. Sleeps while it waits.
  [[nodiscard]] bool all_agree(bool mine) const;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
