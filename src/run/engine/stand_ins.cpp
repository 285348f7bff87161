#include "stand_ins.hpp"

#include <algorithm>
#include <utility>

#include "graph_engine.hpp"
#include "nodes.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

std::size_t stand_ins::most(const run_state& run) {
  const auto& stages = run.stages;
  const auto sources = std::count_if(stages.begin(), stages.end(),
                                     [](const run_state::stage_ref& s) { return s.info->in == nullptr; });
  return static_cast<std::size_t>(sources) + 1;
}

std::size_t stand_ins::sources_that_wait(const thread_group& home) const {
  return static_cast<std::size_t>(std::count_if(net_.nodes_.begin(), net_.nodes_.end(), [&](const node* n) {
    return n->home == &home && n->calls_wait() && !n->asleep() && !n->ended();
  }));
}

// Replicas of farms wait for workers: they are work, and there is enough of it.
bool stand_ins::something_else_waits(const thread_group& home) const {
  return std::any_of(net_.nodes_.begin(), net_.nodes_.end(), [&](const node* n) {
    return n->home == &home && n->is_queued() && dynamic_cast<const farm::replica*>(n) == nullptr;
  });
}

void stand_ins::look() {
  if (!net_.run().others || net_.how().sequential || net_.how().hire) return;
  auto* const home = dynamic_cast<thread_group*>(net_.home_);
  if (home == nullptr) return;
  const auto taken = std::exchange(taken_, home->taken());
  const bool called = std::exchange(called_, home->busy() && !home->anybody_idle());
  if (!called_ || home->size() >= home->most()) return;
  const bool nobody_comes = called && taken == taken_ && something_else_waits(*home);
  if (sources_that_wait(*home) <= added_ && !nobody_comes) return;
  ++added_;
  home->resize(home->size() + 1);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
