// The processes that run the benchmarks over MPI together.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "../peers/peer.hpp"
#include "../support/experiment.hpp"

namespace micro {

/// All of them call these functions in the same order. Whoever waits for others does not keep a core busy for
/// long: it is theirs.
class ranks {
 public:
  ranks();  ///< MPI has been initialised.

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] bool first() const noexcept { return rank_ == 0; }

  /// What rank `from` says.
  [[nodiscard]] std::uint64_t told(std::uint64_t says, int from = 0) const;
  /// Processor time and messages of all, when all are here.
  [[nodiscard]] usage used() const;

 private:
  int rank_ = 0;
  int count_ = 1;
};

/// Messages, and the bytes in them.
struct traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_of_figures = 0;  ///< Of `bytes`, those by which ranks tell what they have counted.
};

/// What this process has sent to others by MPI's functions from point to point, the library's own messages
/// among it. What goes through memory that ranks share is no message, and those inside of collective
/// functions are not counted.
traffic sent_so_far() noexcept;

/// The MPI that is used, such as `Open MPI v4.1.4`.
std::string name_of_mpi();

/// A contender whose part in a run is `run` on each rank. The checksum is that of rank `result_on`.
contender on_all(const ranks& all, std::string peer, std::string setting, std::function<std::uint64_t()> run,
                 int result_on = 0);

/// A contender that rank 0 runs, while the others rest.
contender on_first(const ranks& all, const contender& who);

}  // namespace micro
