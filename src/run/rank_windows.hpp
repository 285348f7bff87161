#pragma once

#include <thalweg/adapt/window.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/run/engine.hpp>

#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

/// What the ranks of a run have done between two reports; empty for a run that is not on several. One that
/// has no replica and no serial stage is in reserve.
[[nodiscard]] std::vector<adaptation::rank_window> rank_windows(const report& before, const report& now,
                                                                const engine& run);

/// The fewest ranks that `set_ranks` can ask for: the last one with a serial stage has to stay.
[[nodiscard]] int least_ranks(const engine& run);

}  // namespace THALWEG_NAMESPACE::run_detail
