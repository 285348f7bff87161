#include "mapping.hpp"

#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>

#include "../../parts.hpp"
#include "../graph/part_placement.hpp"
#include "../graph/places.hpp"
#include "balance.hpp"
#include "stage_edges.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

using dataflow::place_of;

std::vector<stage_group> groups_of(const run_state& run) {
  std::vector<stage_group> all;
  for (std::size_t i = 0; i < run.stages.size();) {
    stage_group g;
    g.first = i++;
    const auto& info = *run.stages[g.first].info;
    while (i < run.stages.size() && same_farm(run.stages[i - 1], run.stages[i])) ++i;
    g.last = i;
    g.farm = info.farm >= 0;
    g.source = info.in == nullptr;
    g.sink = info.out == nullptr;
    g.divided = g.farm && (info.state.keyed() || info.opts.schedule.how() != schedule::kind::on_demand);
    if (g.farm) g.replicas = info.replicas;
    g.blocking = takes_no_worker(run, g.first);
    all.push_back(g);
  }
  // What goes round, and what cannot travel, keeps those it connects together.
  const auto looping = components_in_loops(run);
  for (const auto& w : stage_channels_of(run)) {
    const bool stuck = w.own_pipe || model::wire_of(*w.items) == nullptr;
    const bool goes_round = looping[run.stages[w.from].component] && looping[run.stages[w.to].component];
    for (auto& g : all) {
      const bool at_an_end = (g.first <= w.from && w.from < g.last) || (g.first <= w.to && w.to < g.last);
      g.stuck = g.stuck || (stuck && at_an_end);
      g.in_loop = g.in_loop || (goes_round && at_an_end);
      g.stays = g.stuck || g.in_loop;
    }
  }
  return all;
}

// The groups that a name means: that of a stage, of a farm or of a composite.
std::vector<stage_group*> named(const run_state& run, std::vector<stage_group>& groups,
                                std::string_view name) {
  std::vector<stage_group*> all;
  for (auto& g : groups) {
    for (auto s = g.first; s < g.last; ++s) {
      const std::string_view full = run.stages[s].info->name;
      if (full == name || (full.starts_with(name) && full.substr(name.size()).starts_with('/'))) {
        all.push_back(&g);
        break;
      }
    }
  }
  return all;
}

std::string unknown_stage(const run_state& run, std::string_view option, std::string_view name) {
  return observe::joined(
      {"mpi: ", option, " names stage '", name, "', which does not exist", meant_stage(run, name)});
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

// Of a farm all replicas, or as many as there are workers, to these ranks.
std::vector<place_of> farm_on(const stage_group& g, const std::vector<int>& ranks, const machine& on) {
  if (g.replicas != automatic) return spread_replicas(g.replicas, ranks);
  std::vector<int> all;
  for (const int r : ranks) all.insert(all.end(), static_cast<std::size_t>(on.workers(r)), r);
  if (g.divided) all.resize(std::min(all.size(), dataflow::most_partitions));
  return counted(std::move(all));
}

// --- what was asked for ---

// How many of the last ranks wait for replicas: rank 0 does not.
int reserve_of(const mpi_options& how, const machine& on) {
  return std::min(how.reserve, on.size() - 1);
}

class wishes {
 public:
  wishes(const run_state& run, const machine& on, const mpi_options& how, std::vector<stage_group>& groups)
      : run_(run), on_(on), joining_(how.spawn), at_work_(on.size() - reserve_of(how, on)), groups_(groups) {}

  void take(const stage_place& p) {
    const auto who = "mpi: .place of stage '" + p.stage + "'";
    const auto meant = named(run_, groups_, p.stage);
    if (meant.empty()) return fails(unknown_stage(run_, ".place", p.stage));
    if (!p.ranks.empty() && !p.hosts.empty())
      return fails(who + " names both ranks and hosts: name only one kind");
    if (p.ranks.empty() && p.hosts.empty()) return fails(who + " names no rank");
    for (auto* g : meant) {
      if (name(*g)) return fails(who + ": the stage is already placed");
    }
    named_.insert(named_.end(), meant.begin(), meant.end());
    for (auto* g : meant) p.hosts.empty() ? to_ranks(*g, p.ranks, who) : to_hosts(*g, p.hosts, who);
  }

  /// The stage with this name, or the farm or the composite.
  [[nodiscard]] bool name(const stage_group& g) const {
    return std::any_of(named_.begin(), named_.end(), [&](const stage_group* n) { return n == &g; });
  }

  std::vector<std::string> problems;

 private:
  void fails(std::string why) { problems.push_back(std::move(why)); }

  void to_ranks(stage_group& g, const std::vector<int>& ranks, const std::string& who) {
    for (const int r : ranks) {
      if (r < 0 || r >= on_.size())
        return fails(who + " names rank " + std::to_string(r) + ", but there are ranks 0 to " +
                     std::to_string(on_.size() - 1) +
                     (joining_ > 0 ? " (those that .spawn starts come later)" : ""));
      if (r >= at_work_) return fails(who + " names rank " + std::to_string(r) + ", which is in .reserve");
    }
    if (!g.farm && ranks.size() > 1)
      fails(who + " names " + std::to_string(ranks.size()) + " ranks, but the stage is serial: name one");
    g.at = counted(ranks);
  }

  void to_hosts(stage_group& g, const std::vector<std::string>& hosts, const std::string& who) {
    std::vector<int> ranks;
    for (const auto& h : hosts) {
      const auto there = on_.on_host(h);
      if (there.empty()) {
        std::string known;
        for (const auto& name : on_.hosts()) known.append(known.empty() ? "" : ", ").append(name);
        return fails(who + " names host '" + h + "', but the ranks are on " + known);
      }
      const auto before = ranks.size();
      std::copy_if(there.begin(), there.end(), std::back_inserter(ranks),
                   [&](int r) { return r < at_work_; });
      if (ranks.size() == before)
        return fails(who + " names host '" + h + "', all of whose ranks are in .reserve");
    }
    if (hosts.size() > 1 && !g.farm)
      return fails(who + " names " + std::to_string(hosts.size()) +
                   " hosts, but the stage is serial: name one");
    g.at = g.farm ? farm_on(g, ranks, on_) : counted({idlest(ranks)});
  }

  // Of several ranks that of which least has been asked for.
  [[nodiscard]] int idlest(const std::vector<int>& ranks) const {
    const auto asked = [&](int r) {
      int sum = 0;
      for (const auto& g : groups_) {
        for (const auto& p : g.at) sum += p.rank == r ? p.replicas : 0;
      }
      return sum;
    };
    return *std::min_element(ranks.begin(), ranks.end(), [&](int a, int b) { return asked(a) < asked(b); });
  }

  const run_state& run_;
  const machine& on_;
  const int joining_;  // processes that may join later
  const int at_work_;  // ranks from here on are in reserve
  std::vector<stage_group>& groups_;
  std::vector<stage_group*> named_;
};

void take_costs(const run_state& run, const mpi_options& how, const std::string& from,
                std::vector<stage_group>& groups, std::vector<std::string>& problems) {
  for (const auto& c : how.costs) {
    const auto who = "mpi: " + from + " of stage '" + c.stage + "'";
    const auto meant = named(run, groups, c.stage);
    if (meant.empty()) problems.push_back(unknown_stage(run, from, c.stage));
    if (meant.size() > 1) problems.push_back(who + " belong to several stages: name each of them");
    if (!(c.each.count() >= 0) || !(c.items >= 0)) problems.push_back(who + " must not be negative");
    if (meant.size() == 1) meant.front()->load += c.each.count() * c.items;
  }
}

// --- what nobody asked for ---

// Sources and sinks: on rank 0; or each away from the others, on another host if there are enough of them.
void place_ends(std::vector<stage_group>& groups, bool apart, const machine& on) {
  std::vector<int> taken(on.ranks.size());
  const auto on_host = [&](int rank) {
    int sum = 0;
    for (int r = 0; r < on.size(); ++r)
      sum += on.host(r) == on.host(rank) ? taken[static_cast<std::size_t>(r)] : 0;
    return sum;
  };
  const auto order = on.by_host();
  for (auto& g : groups) {
    if ((!g.source && !g.sink) || g.farm) continue;
    if (g.at.empty()) {
      const auto least = std::min_element(order.begin(), order.end(), [&](int a, int b) {
        return std::pair(on_host(a), taken[static_cast<std::size_t>(a)]) <
               std::pair(on_host(b), taken[static_cast<std::size_t>(b)]);
      });
      g.at = {{apart && !g.stays ? *least : 0, 1}};
    }
    ++taken[static_cast<std::size_t>(g.at.front().rank)];
  }
}

// Ranks for replicas: those that have neither a source nor a sink, if there are any.
std::vector<int> ranks_for_farms(const std::vector<stage_group>& groups, const machine& on) {
  auto all = on.by_host();
  if (all.size() > 1) all.erase(all.begin());
  auto others = all;
  std::erase_if(others, [&](int r) {
    return std::any_of(groups.begin(), groups.end(), [&](const stage_group& g) {
      return (g.source || g.sink) && !g.at.empty() && g.at.front().rank == r;
    });
  });
  return others.empty() ? all : others;
}

// Rank 0, where serial stages are, works as well: where its workers are a good part of all. Those that are
// few among many are worth more where they keep up with what goes through them; and where there are more
// ranks than cores the others have work enough for these.
bool rank_0_helps(const std::vector<int>& others, const machine& on) {
  constexpr int many = 8;
  int workers = 0;
  for (const int r : others) workers += on.workers(r);
  return on.size() > 1 && std::find(others.begin(), others.end(), 0) == others.end() &&
         on.ranks.front().has_core && on.workers(0) * many > workers;
}

// Where the others have a worker for each of `.replicas` they leave rank 0 alone. Where items are divided up,
// the slowest rank holds up all, so one of its workers is kept for what is serial.
std::vector<place_of> farm_by_default(const stage_group& g, std::vector<int> others, const machine& on,
                                      bool with_rank_0) {
  const auto workers =
      std::accumulate(others.begin(), others.end(), 0, [&](int sum, int r) { return sum + on.workers(r); });
  if (g.replicas != automatic && g.replicas <= workers) with_rank_0 = false;
  if (with_rank_0 && !g.stays && !g.divided) others.push_back(0);
  auto places = farm_on(g, others, on);
  if (!with_rank_0 || g.stays || !g.divided || g.replicas != automatic) return places;
  const int room = static_cast<int>(dataflow::most_partitions) - dataflow::replicas_in_all(places);
  if (const int n = std::min(on.workers(0) - 1, room); n > 0) places.insert(places.begin(), {0, n});
  return places;
}

void place_by_default(std::vector<stage_group>& groups, const machine& on, bool apart) {
  const auto ranks = ranks_for_farms(groups, on);
  const bool with_rank_0 = !apart && rank_0_helps(ranks, on);
  for (auto& g : groups) {
    if (g.at.empty()) g.at = g.farm ? farm_by_default(g, ranks, on, with_rank_0) : counted({0});
  }
}

// So many operators to each rank, as they follow each other.
void place_in_turn(std::vector<stage_group>& groups, int grouping, const machine& on) {
  const auto order = on.by_host();
  int workers = 0;
  for (const int r : ranks_for_farms(groups, on)) workers += on.workers(r);
  int operators = 0;
  for (auto& g : groups) {
    std::vector<int> at;
    const int n = !g.farm ? 1 : g.replicas != automatic ? g.replicas : workers;
    at.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      at.push_back(order[static_cast<std::size_t>(std::min(operators++ / grouping, on.size() - 1))]);
    if (g.at.empty()) g.at = counted(std::move(at));
  }
}

}  // namespace

dataflow::mapping map_stages(const run_state& run, const mpi_options& how, const machine& on,
                             const std::string& costs_from) {
  auto groups = groups_of(run);
  auto at_work = on;
  at_work.ranks.resize(on.ranks.size() - static_cast<std::size_t>(reserve_of(how, on)));
  wishes asked(run, on, how, groups);
  for (const auto& p : how.place) asked.take(p);
  take_costs(run, how, costs_from, groups, asked.problems);
  if (!asked.problems.empty()) throw invalid_job(std::move(asked.problems));

  place_ends(groups, how.apart, at_work);
  if (how.grouping != automatic) {
    place_in_turn(groups, how.grouping, at_work);
  } else if (!how.costs.empty()) {
    balance(groups, at_work);
  } else {
    place_by_default(groups, at_work, how.apart);
  }
  dataflow::mapping all(run.stages.size());
  for (const auto& g : groups) {
    for (auto s = g.first; s < g.last; ++s) all[s] = g.at;
  }
  return all;
}

dataflow::mapping with_reserves(const run_state& run, const mpi_options& how, const machine& on,
                                dataflow::mapping places) {
  auto groups = groups_of(run);
  wishes asked(run, on, how, groups);
  for (const auto& p : how.place) asked.take(p);
  for (const auto& g : groups) {
    if (!g.farm) continue;
    using enum dataflow::fixed_by;
    const bool by_coordinator = g.divided || g.in_loop;
    const bool keyed = run.stages[g.first].info->state.keyed();
    auto stays = nothing;
    if (g.stuck) {
      stays = items;
    } else if ((by_coordinator || (on.size() == 2 && how.spawn == 0)) && places[g.first].size() == 1 &&
               how.reserve == 0) {
      // What one rank has all of need not be told to others, and passes from stage to stage there: to be on
      // several has its price, so that has to have been asked for. Of more than two, it may get others
      // anyway.
      stays = one_rank;
    } else if (keyed && !keys_travel(run, g.first)) {
      stays = keys;
    }
    const bool on_others_later = stays == nothing;
    if (asked.name(g)) {
      stays = wish;
    } else if (on_others_later && g.divided && !keyed) {
      stays = numbers;
    }
    for (auto s = g.first; s < g.last; ++s) {
      for (auto& p : places[s]) p.stays = stays;
    }
    if (!on_others_later) continue;
    // Rank 0 may have to do the work of all.
    const int first = stays == wish      ? on.size() - reserve_of(how, on)
                      : stays == numbers ? std::min(1, on.size() - 1)
                                         : 0;
    const auto later = stays == numbers ? numbers : nothing;
    const int last = on.size() + (by_coordinator ? 0 : how.spawn);
    for (auto s = g.first; s < g.last; ++s) {
      auto& at = places[s];
      for (int r = first; r < last; ++r) {
        // Who divides them up does so for that many ranks at most.
        if (by_coordinator && at.size() >= dataflow::most_fresh) break;
        if (dataflow::replicas_on(at, r) < 0) at.push_back({r, 0, later});
      }
      std::sort(at.begin(), at.end(), [](const place_of& a, const place_of& b) { return a.rank < b.rank; });
    }
  }
  return places;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
