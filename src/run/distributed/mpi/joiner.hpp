#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <mpi.h>

#include "join_request.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// A process that a run has started to join it. Of all runs of the program it executes that one alone.
class joiner {
 public:
  /// This process, if it is one. It is told what it is to do by the first call, after MPI has begun. Null: it
  /// was started with the program.
  [[nodiscard]] static joiner* here();

  [[nodiscard]] const join_request& request() const noexcept { return to_; }
  /// Its number in the run.
  [[nodiscard]] int rank() const noexcept { return to_.first + number_; }

  /// Says what it is about to run, which has so many stages, and hears whether it is to join. With `true` all
  /// joiners come together with those who began the run: `all`. \throws error  if it is another job
  [[nodiscard]] bool meets(const std::string& job, std::size_t stages, int workers);
  [[nodiscard]] const group& all() const noexcept { return group_; }
  /// The last call: it leaves the run.
  void part();

  joiner(const joiner&) = delete;
  joiner& operator=(const joiner&) = delete;
  ~joiner() = default;

 private:
  explicit joiner(MPI_Comm parent);

  MPI_Comm parent_;
  MPI_Comm bridge_ = MPI_COMM_NULL;
  MPI_Comm side_ = MPI_COMM_NULL;
  int number_ = 0;
  join_request to_;
  group group_;
  bool answered_ = false;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
