#pragma once

#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <typeinfo>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// An edge from a stage to the next one, both by their numbers in the plan.
struct stage_edge {
  std::size_t from, to;
  const std::type_info* items;
  bool own_pipe = false;  ///< through a pipe of the user's
};

/// All edges of the job without those inside farms, whose stages are always on one rank.
[[nodiscard]] std::vector<stage_edge> stage_channels_of(const run_state& run);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
