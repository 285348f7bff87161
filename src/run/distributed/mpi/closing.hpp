#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

#include "control.hpp"
#include "endpoint.hpp"
#include "membership.hpp"

/// How a run ends on all ranks together.
///
/// State: how far the end has come (`step`), and how many messages this rank still receives.
/// Written by: the communication thread, which calls `advance` once nothing is executed here any more.
/// Invariant: each step begins when all ranks have come through the one before it. First the ranks that began
/// the run are over, then all: from then on no rank has anything new to send. When all that was sent has
/// left, the ranks add up how many messages each of them gets. A rank that has received them all is done. So
/// no message is lost, and none comes to a rank that has left.
namespace THALWEG_NAMESPACE::run_detail::distributed {

class closing {
 public:
  closing(endpoint& messages, membership& members, control& told, dataflow::graph_engine& of)
      : messages_(messages), members_(members), control_(told), net_(of) {}

  /// The next step, if all ranks have come to it. To be called often once the network is over.
  void advance();
  [[nodiscard]] bool has_begun() const noexcept { return step_ != step::not_yet; }
  /// All messages have come, and nothing is under way.
  [[nodiscard]] bool is_over() const;
  /// After that. Agrees with all ranks on the error, gathers statistics, and leaves the others.
  void finish();

 private:
  enum class step : std::uint8_t { not_yet, over_at_first, over_here, over_everywhere, counted };

  void agree_on_error();

  endpoint& messages_;
  membership& members_;
  control& control_;
  dataflow::graph_engine& net_;
  step step_ = step::not_yet;
  MPI_Request agreeing_ = MPI_REQUEST_NULL;
  std::vector<std::int64_t> counts_;
  std::int64_t to_come_ = 0, expected_ = -1;  // messages; -1: it is not known yet
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
