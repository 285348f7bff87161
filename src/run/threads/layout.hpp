#pragma once

#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../parts.hpp"

namespace thalweg::run_detail::dedicated {

/// Neighbouring stages that share a thread; in a farm, a thread for each replica.
struct node {
  std::vector<part> parts;  ///< none: it only brings items back into order and deals them out again
  std::size_t first = 0;    ///< its stages, by their numbers in the plan: [first, last)
  std::size_t last = 0;
  std::size_t replicas = 1;
  bool unordered = false;
  schedule dealing;                   ///< which replica takes which item
  std::int64_t capacity = automatic;  ///< how many items may wait in front of it
  std::vector<int> pin;
  bool on_caller = false;

  /// One thread takes all items, in order. A farm of one replica is as good as that.
  [[nodiscard]] bool serial() const noexcept { return replicas == 1; }
  [[nodiscard]] bool leads_with_source(const run_state& run) const {
    return !parts.empty() && run.stages[first].info->in == nullptr;
  }
};

/// Throws invalid_job for numbers and processors that make no sense.
void require_valid(const threads& policy);

/// The nodes of a plan in the order of the stream. Throws invalid_job for numbers that make no sense.
[[nodiscard]] std::vector<node> lay_out(const run_state& run, const threads& policy);

}  // namespace thalweg::run_detail::dedicated
