#include "rank_windows.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "distributed/graph/exchange.hpp"
#include "engine/graph_engine.hpp"

namespace THALWEG_NAMESPACE::run_detail {

namespace {

std::chrono::nanoseconds cpu_of(const report& r, int rank) {
  const auto& all = r.ranks();
  const auto row = std::find_if(all.begin(), all.end(), [&](const rank_report& x) { return x.rank == rank; });
  return row == all.end() ? std::chrono::nanoseconds(0) : row->cpu;  // it has joined since
}

}  // namespace

std::vector<adaptation::rank_window> rank_windows(const report& before, const report& now,
                                                  const engine& run) {
  std::vector<adaptation::rank_window> all;
  const auto* const graph = dynamic_cast<const dataflow::graph_engine*>(&run);
  if (graph == nullptr || !run.state().others) return all;
  std::vector<int> replicas;
  for (const auto& s : now.stages()) replicas.push_back(s.replicas());
  const auto at_work = graph->ranks_at_work(replicas);
  for (const auto& row : now.ranks()) {
    const auto r = static_cast<std::size_t>(row.rank);
    adaptation::rank_window w;
    w.rank = row.rank;
    w.host = row.host;
    if (r >= at_work.size() || !at_work[r]) w.now = adaptation::rank_window::state::reserve;
    w.workers =
        row.workers > 0 ? row.workers : run.state().others->workers(row.rank);  // it has told nothing yet
    w.cpu = row.cpu - cpu_of(before, row.rank);
    w.age = row.age;
    all.push_back(std::move(w));
  }
  return all;
}

int least_ranks(const engine& run) {
  int least = 1;
  for (std::size_t s = 0; s < run.state().stages.size(); ++s) {
    if (run.state().stages[s].info->farm < 0) least = std::max(least, run.executed_by(s) + 1);
  }
  return least;
}

}  // namespace THALWEG_NAMESPACE::run_detail
