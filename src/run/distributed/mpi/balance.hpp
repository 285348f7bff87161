#pragma once

#include <thalweg/model/options.hpp>

#include <cstddef>
#include <vector>

#include "../graph/exchange.hpp"
#include "machine.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Stages [first, last) of the plan, which are executed together: a serial one, or all of a farm.
struct stage_group {
  std::size_t first = 0, last = 0;
  bool farm = false;
  /// A farm whose items one rank divides up among the others: by key, or as its `.schedule` says.
  bool divided = false;
  bool source = false, sink = false;
  bool stuck = false;     ///< items could not follow it to another rank
  bool in_loop = false;   ///< nor can those of a loop, unless one rank divides them up
  bool stays = false;     ///< for either reason only a wish takes it elsewhere than to rank 0
  int replicas = 1;       ///< of a farm; `automatic`: as many as there are workers for
  bool blocking = false;  ///< it waits for something outside: its time takes no worker
  double load = 0;        ///< seconds in its operators for each item of the source, all its stages together
  std::vector<dataflow::place_of> at;  ///< empty: not decided yet
};

/// So many replicas, each to one of these ranks, as even as can be; neighbours on the same rank.
[[nodiscard]] std::vector<dataflow::place_of> spread_replicas(int replicas, const std::vector<int>& ranks);

/// Decides by their loads where all groups are executed that have no place yet. The idea is that of a line
/// whose slowest part sets the pace: every worker in turn goes to the farm that is slowest with those it has
/// (the divisor method of J. Q. Adams, which makes the largest load per replica as small as can be), until
/// all are given away or no farm holds up the slowest serial stage. Serial stages are put together on rank 0
/// as long as its workers keep pace with the rest, the others on ranks of their own near by. What is blocking
/// takes no workers: it has separate threads, and a farm gets as many as it needs to keep pace, but no more
/// than there are workers.
void balance(std::vector<stage_group>& groups, const machine& on);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
