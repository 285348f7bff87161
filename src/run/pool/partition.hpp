#pragma once

#include <thalweg/run/engine.hpp>

#include <memory>
#include <vector>

#include "../parts.hpp"
#include "node.hpp"

namespace thalweg::run_detail::pooled {

/// How a plan is cut into nodes. Which cut is best depends on what the stages cost, so there may be several
/// during a run; a chunk stays in the partition in which it was sent.
struct partition {
  std::vector<std::unique_ptr<node>> nodes;
  [[nodiscard]] node& source() const { return *nodes.front(); }
};

/// Whether two cuts of one plan are the same.
[[nodiscard]] bool same_cut(const partition& a, const partition& b);

using run_detail::wants_own_thread;
/// The same of one of stages [first, last) of the plan.
[[nodiscard]] bool wants_own_thread(const run_state& run, std::size_t first, std::size_t last);

/// Cuts the plan. `cost_ns` is what each stage costs per item as far as it is known (0: unknown); serial
/// stages that cost little share a node with their neighbours, since handing over would cost more. `farms`
/// belong to the farm groups in the order of the plan.
[[nodiscard]] std::unique_ptr<partition> cut(const run_state& run, const std::vector<double>& cost_ns,
                                             const std::vector<std::unique_ptr<farm_slots>>& farms);

}  // namespace thalweg::run_detail::pooled
