#pragma once

#include <vector>

#include "exchange.hpp"

/// How the replicas of a farm are spread over ranks while the job runs.
namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// Whether a farm may have replicas there. `ranks`: over so many they are to be spread, as `set_ranks` says;
/// 0: it has not been called, and rank 0 has only what it began with.
[[nodiscard]] bool may_have_replicas(const place_of& at, int ranks) noexcept;

/// The same places with `n` replicas in all, by what all ranks know: each comes to the same. Without
/// `set_ranks` each rank keeps what it began with as far as possible. With it, replicas are spread anew,
/// evenly over the workers, unless something keeps the farm where it is.
[[nodiscard]] std::vector<place_of> spread(const exchange& by, std::vector<place_of> places, int n,
                                           int ranks);

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
