#pragma once

#include <thalweg/version.hpp>

#include <vector>

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Calls `f` with each rank below this one in a binomial tree of all ranks with that root: what the root
/// tells reaches all ranks after log2(ranks) steps, and no rank tells more others than that.
template <class F> void for_those_below(int rank, int ranks, int root, F&& f) {
  const int me = (rank - root + ranks) % ranks;
  for (int step = 1; step < ranks && (me & step) == 0; step *= 2) {
    if (me + step < ranks) f((me + step + root) % ranks);
  }
}

/// The tree that messages to all ranks go down. Ranks 0 to `first` - 1 began the run. Each joiner hangs below
/// one of them, its host, whichever rank is the root: ranks learn of joiners one after the other, and all
/// have to know the same tree.
struct rank_tree {
  int rank = 0;  ///< this one
  int first = 1;

  [[nodiscard]] bool has_joined() const noexcept { return rank >= first; }
  [[nodiscard]] int host_of(int joiner) const noexcept { return (joiner - first) % first; }
  /// The rank above this one if rank 0 is the root: the one without its lowest bit.
  [[nodiscard]] int above() const noexcept { return has_joined() ? host_of(rank) : rank & (rank - 1); }
  /// The ranks below this one, of `ranks` in all.
  [[nodiscard]] std::vector<int> below(int root, int ranks) const {
    std::vector<int> all;
    if (has_joined()) return all;
    for_those_below(rank, first, root, [&](int r) { all.push_back(r); });
    for (int r = first + rank; r < ranks; r += first) all.push_back(r);
    return all;
  }
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
