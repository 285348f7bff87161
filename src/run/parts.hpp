#pragma once

#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

/// Stages of one component that run as one loop.
struct part {
  std::size_t component;
  model::range stages;
  std::size_t first;  ///< number of its first stage in the plan
};

/// Whether two stages are replicated together.
[[nodiscard]] bool same_farm(const run_state::stage_ref& a, const run_state::stage_ref& b);

/// Whether a serial stage can share the thread of the one before it.
[[nodiscard]] bool can_share_thread(const run_state::stage_ref& before, const run_state::stage_ref& s);

/// Whether a stage is to be executed by a thread of its own where others share theirs.
[[nodiscard]] bool wants_own_thread(const model::stage_info& info);

/// Whether a stage, or another one of its farm, waits for something outside: that takes no worker.
[[nodiscard]] bool takes_no_worker(const run_state& run, std::size_t stage);

/// Takes replicas from the farms that have most until there are at most `most` in all, or one in each.
void limit_replicas(std::span<std::size_t* const> farms, std::size_t most);

/// The longest compiled loops that make up the stages [first, last) of the plan. A stage with an error policy
/// or a timer is called by itself.
[[nodiscard]] std::vector<part> parts_of(const run_state& run, std::size_t first, std::size_t last);

/// For each component of the plan whether it lies in a loop.
[[nodiscard]] std::vector<bool> components_in_loops(const run_state& run);

/// Whether the keys of a farm, with what belongs to them, can go from one rank to another; and if not, why.
[[nodiscard]] bool keys_travel(const run_state& run, std::size_t stage);
[[nodiscard]] std::string why_keys_stay(const run_state& run, std::size_t stage);

/// `; did you mean 'x'?` where a name that no stage has is like that of one.
[[nodiscard]] std::string meant_stage(const run_state& run, std::string_view wrong);

/// The number of a stage. `who` asks, as in `set_rate: `. Throws `error` if no stage has that name.
[[nodiscard]] std::size_t stage_named(const run_state& run, std::string_view who, std::string_view name);

}  // namespace THALWEG_NAMESPACE::run_detail
