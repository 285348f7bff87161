#pragma once

namespace thalweg::run_detail::distributed {

/// Calls `f` with each rank below this one in a binomial tree of all ranks with that root: what the root
/// tells reaches everybody after log2(ranks) steps, and nobody tells more others than that.
template <class F> void for_those_below(int rank, int ranks, int root, F&& f) {
  const int me = (rank - root + ranks) % ranks;
  for (int step = 1; step < ranks && (me & step) == 0; step *= 2) {
    if (me + step < ranks) f((me + step + root) % ranks);
  }
}

/// The rank above that one, if rank 0 is the root: the one without its lowest bit.
inline int above(int rank) noexcept {
  return rank & (rank - 1);
}

}  // namespace thalweg::run_detail::distributed
