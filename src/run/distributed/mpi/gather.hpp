#pragma once

#include <thalweg/run/engine.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include "../graph/exchange.hpp"
#include "clocks.hpp"
#include "records.hpp"

/// What rank 0 learns from all ranks: for its report, and when a run has ended for its trace.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// What one rank has sent through a channel. Any thread.
struct traffic {
  std::atomic<std::uint64_t> messages{0}, items{0}, bytes{0};
  std::atomic<std::uint64_t> credits{0};  ///< messages to those that send: credit and progress

  void sent(std::uint64_t n, std::uint64_t size) noexcept {
    messages.fetch_add(1, std::memory_order_relaxed);
    items.fetch_add(n, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
  }
};

/// What the report says besides figures. The communication thread.
class note_list {
 public:
  /// A note is there once, however often it is added.
  void add(std::string what);
  [[nodiscard]] const std::vector<std::string>& all() const noexcept { return all_; }

 private:
  std::vector<std::string> all_;
};

/// What a rank knows of itself besides its run.
struct of_this_rank {
  const dataflow::mapping* places = nullptr;
  const clocks* times = nullptr;
  std::vector<channel_totals> channels;  ///< by number
  std::uint64_t others = 0;              ///< messages that are neither items nor credit
  int first_ranks = 0;                   ///< that began the run; the others have joined it
  std::int64_t joined_ns = 0;            ///< after its begin
  int cores = 1;                         ///< of its machine, that ranks may use
  std::vector<std::string> notes;        ///< for the report
};

/// What this rank has counted so far; without its trace.
[[nodiscard]] rank_statistics statistics_of(const run_state& run, const of_this_rank& mine);
/// What a report of rank 0 has besides the counts of its process. `all`: by rank.
[[nodiscard]] run_statistics::elsewhere summed(const run_state& run, const of_this_rank& mine,
                                               const std::vector<rank_statistics>& all);

/// All ranks call it together, when nothing is executed any more.
void gather(run_state& run, const of_this_rank& mine, MPI_Comm comm);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
