#include "stage_edges.hpp"

#include "../../parts.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

std::vector<stage_edge> stage_channels_of(const run_state& run) {
  std::vector<stage_edge> all;
  for (std::size_t i = 0; i + 1 < run.stages.size(); ++i) {
    const auto& a = run.stages[i];
    const auto& b = run.stages[i + 1];
    if (a.component == b.component && a.info->out != nullptr && !same_farm(a, b))
      all.push_back({i, i + 1, a.info->out});
  }
  for (const auto& e : run.plan.connections()) {
    auto& from = *run.plan.components[e.from];
    const auto last = from.stages().size() - 1;
    const auto chunk = from.make_chunk(from.ports() != nullptr ? e.from_port : last);
    all.push_back({run.first_of_component[e.from] + last, run.first_of_component[e.to], &chunk->item_type(),
                   static_cast<bool>(e.opts.pipe)});
  }
  return all;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
