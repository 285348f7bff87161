// The processes that execute a run together: this one alone, or, in the program over MPI, all that mpirun has
// started.
#pragma once

#include <thalweg/run/policy.hpp>

#include <cstdint>
#include <string>

#include "../support/clock.hpp"

namespace micro {

/// All of them call these functions in the same order.
class processes {
 public:
  processes(int& argc, char**& argv);
  processes(const processes&) = delete;
  processes& operator=(const processes&) = delete;
  ~processes();

  [[nodiscard]] bool first() const noexcept;
  /// What the first one says.
  [[nodiscard]] std::uint32_t told(std::uint32_t says) const;
  /// Of what all of them say, once all have.
  [[nodiscard]] nanos sum(nanos mine) const;
};

/// The policy of a name. Over MPI, `mpi` gives each replica of a rank a thread, so that replicas that wait do
/// not keep each other from working.
thalweg::any_policy policy_named(const std::string& name);

}  // namespace micro
