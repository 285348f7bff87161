#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// What a job is mapped to: the ranks, which host each is on, and how many threads it has for stages.
struct machine {
  struct rank {
    std::string host;
    int workers = 1;
    bool has_core = true;  ///< there are no more ranks on its host than cores
  };
  std::vector<rank> ranks;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(ranks.size()); }
  [[nodiscard]] const std::string& host(int r) const { return ranks[static_cast<std::size_t>(r)].host; }
  [[nodiscard]] int workers(int r) const { return ranks[static_cast<std::size_t>(r)].workers; }

  /// All ranks, so that those of one host follow each other: first rank 0 and its host, then the others as
  /// they come. `mpirun --map-by node` numbers them across the hosts.
  [[nodiscard]] std::vector<int> by_host() const;
  /// The ranks on a host of this name; the first part of a name with dots does, too.
  [[nodiscard]] std::vector<int> on_host(std::string_view name) const;
  /// The names of all hosts, each once, rank 0's first.
  [[nodiscard]] std::vector<std::string> hosts() const;
};

/// A machine that is not there, for plans: so many ranks on hosts as `mpirun --host` takes them,
/// `node1:4,node2:4` (a host without a number has one rank; without any, all ranks are on one). Each host has
/// so many cores, which its ranks share. `ranks` 0: as many as the hosts have places; ranks beyond that begin
/// again with the first host.
/// \throws error  if the text cannot be read
[[nodiscard]] machine made_up(int ranks, std::string_view hosts, int cores);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
