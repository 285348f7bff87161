#include "mapping.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "../parts.hpp"

namespace thalweg::run_detail::across {

namespace {

using network::place_of;

// Stages that are executed together: a serial one, or all of a farm.
struct group {
  std::size_t first = 0, last = 0;
  bool farm = false;
  bool spreads = false;  // its replicas may be on several ranks
  int replicas = 1;
};

std::vector<group> groups_of(const run_state& run, int ranks, int workers) {
  std::vector<group> all;
  for (std::size_t i = 0; i < run.stages.size();) {
    group g;
    g.first = i++;
    const auto& info = *run.stages[g.first].info;
    while (i < run.stages.size() && same_farm(run.stages[i - 1], run.stages[i])) ++i;
    g.last = i;
    g.farm = info.farm >= 0;
    bool timed = false;
    for (auto s = g.first; s < g.last; ++s) timed = timed || run.stages[s].info->timed;
    g.spreads = g.farm && !info.keyed && !timed && info.opts.schedule.how() == schedule::kind::on_demand;
    if (g.farm) {
      const auto by_itself = g.spreads ? std::max(1, ranks - 1) * workers : workers;
      g.replicas = info.replicas == automatic ? by_itself : info.replicas;
    }
    all.push_back(g);
  }
  return all;
}

// Replicas one after the other to the ranks from `first` on, as even as can be, neighbours on the same rank.
std::vector<place_of> spread(int replicas, int first, int ranks) {
  std::vector<place_of> all;
  const int n = std::min(replicas, ranks - first);
  all.reserve(static_cast<std::size_t>(n));
  for (int r = 0; r < n; ++r) all.push_back({first + r, replicas / n + (r < replicas % n ? 1 : 0)});
  return all;
}

std::vector<place_of> counted(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::vector<place_of> all;
  for (const int r : ranks) {
    if (!all.empty() && all.back().rank == r) {
      ++all.back().replicas;
    } else {
      all.push_back({r, 1});
    }
  }
  return all;
}

}  // namespace

network::mapping map_stages(const run_state& run, const mpi_options& how, int ranks, int workers) {
  std::vector<std::string> problems;
  const auto groups = groups_of(run, ranks, workers);
  std::vector<std::vector<place_of>> of_group;
  int operators = 0;
  for (const auto& g : groups) {
    const auto& info = *run.stages[g.first].info;
    const int rank_of_farm = std::min(1, ranks - 1);
    if (how.grouping == automatic) {
      of_group.push_back(g.spreads ? spread(g.replicas, rank_of_farm, ranks)
                                   : std::vector<place_of>{{g.farm ? rank_of_farm : 0, g.replicas}});
      continue;
    }
    std::vector<int> at;
    at.reserve(static_cast<std::size_t>(g.replicas));
    for (int i = 0; i < g.replicas; ++i) at.push_back(std::min(operators++ / how.grouping, ranks - 1));
    if (info.in == nullptr || info.out == nullptr) at = {0};
    if (g.farm && !g.spreads) std::fill(at.begin(), at.end(), at.front());
    of_group.push_back(counted(std::move(at)));
  }
  for (const auto& p : how.place) {
    bool known = false;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const auto& g = groups[k];
      bool meant = false;
      for (auto s = g.first; s < g.last; ++s) {
        const auto& name = run.stages[s].info->name;
        meant = meant || name == p.stage || name.starts_with(p.stage + "/");
      }
      if (!meant) continue;
      known = true;
      const auto who = "mpi: .place of stage '" + p.stage + "'";
      if (p.ranks.empty()) problems.push_back(who + " names no rank");
      for (const int r : p.ranks) {
        if (r < 0 || r >= ranks)
          problems.push_back(who + " names rank " + std::to_string(r) + ", but there are ranks 0 to " +
                             std::to_string(ranks - 1));
      }
      auto at = counted(p.ranks);
      if (!g.farm && p.ranks.size() > 1)
        problems.push_back(who + " names " + std::to_string(p.ranks.size()) +
                           " ranks, but it is serial: one executes it");
      if (g.farm && !g.spreads) {
        if (at.size() > 1)
          problems.push_back(who +
                             " names several ranks, but a farm whose keys are divided up, with a "
                             ".schedule or with timers has to be on one");
        else if (p.ranks.size() == 1 && !at.empty())
          at.front().replicas = g.replicas;
      }
      of_group[k] = std::move(at);
    }
    if (!known) problems.push_back("mpi: .place names stage '" + p.stage + "', which does not exist");
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
  network::mapping all(run.stages.size());
  for (std::size_t k = 0; k < groups.size(); ++k) {
    for (auto s = groups[k].first; s < groups[k].last; ++s) all[s] = of_group[k];
  }
  return all;
}

}  // namespace thalweg::run_detail::across
