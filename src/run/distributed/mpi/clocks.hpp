#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "records.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// The clocks of all ranks, as they were when the run began.
class clocks {
 public:
  /// Measures them; all ranks call it together. Ranks of one node have one clock: `node_of` says for each
  /// rank the first rank of its node. Nothing is sent where there is one node.
  ///
  /// To the first rank of each other node rank 0 sends a question several times. The answer was given at some
  /// moment between question and arrival, so the shortest of these round trips says most: it was given in the
  /// middle of it, give or take half of it. F. Cristian, Probabilistic clock synchronization, Distributed
  /// Computing 3 (1989).
  [[nodiscard]] static clocks measured(MPI_Comm comm, const std::vector<int>& node_of);

  /// Ranks that have come later, as they have been measured with all others; what these are stays.
  void add(const clocks& with_more, const std::vector<int>& node_of);

  [[nodiscard]] const clock_reading& of(int rank) const { return of_rank_[static_cast<std::size_t>(rank)]; }
  /// From rank 0 to the farthest rank and back.
  [[nodiscard]] std::int64_t longest_round_trip_ns() const noexcept;
  /// What to add to a time that `from` has read so that it is one of `to`.
  [[nodiscard]] std::int64_t shift(int from, int to) const { return of(to).ahead_ns - of(from).ahead_ns; }

 private:
  std::vector<clock_reading> of_rank_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
