// A plan: who executes what, what travels, and how fast that can be.
#include <thalweg/observe/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "../../parts.hpp"
#include "../graph/places.hpp"
#include "../graph/spread.hpp"
#include "plan.hpp"
#include "stage_edges.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

const char* travels(const std::vector<dataflow::place_of>& from, const std::vector<dataflow::place_of>& to) {
  if (from.size() == 1 && to.size() == 1 && from.front().rank == to.front().rank) return "no";
  const bool meet = std::any_of(from.begin(), from.end(), [&](const auto& a) {
    return std::any_of(to.begin(), to.end(), [&](const auto& b) { return a.rank == b.rank; });
  });
  return meet ? "partly" : "yes";
}

// What an item that goes to another rank costs both at the least: one of 4 bytes, among many in a message, as
// `./thalweg micro mpi_messages` measures it (docs/distributed.md).
constexpr double seconds_to_cross = 30e-9;

// How much of what one stage gives the next leaves each rank or comes to it. Replicas get equal parts, and
// what can stay on a rank does.
std::vector<double> crossings(const std::vector<dataflow::place_of>& from,
                              const std::vector<dataflow::place_of>& to, int ranks) {
  const auto part = [](const std::vector<dataflow::place_of>& at, int rank) {
    return static_cast<double>(std::max(0, dataflow::replicas_on(at, rank))) / dataflow::replicas_in_all(at);
  };
  std::vector<double> all;
  for (int r = 0; r < ranks; ++r) all.push_back(std::abs(part(from, r) - part(to, r)));
  return all;
}

// Seconds of work that the ranks have for an item of the source, each divided by its workers.
std::vector<double> shares(const run_state& run, const std::vector<double>& loads, const machine& on,
                           const dataflow::mapping& places) {
  std::vector<double> all(on.ranks.size());
  for (std::size_t s = 0; s < places.size(); ++s) {
    if (takes_no_worker(run, s)) continue;
    const int replicas = dataflow::replicas_in_all(places[s]);
    for (const auto& p : places[s])
      all[static_cast<std::size_t>(p.rank)] += loads[s] * p.replicas / replicas / on.workers(p.rank);
  }
  return all;
}

// Seconds for which each rank sends and receives for an item of the source: one of its threads does so.
std::vector<double> travel(const std::vector<stage_edge>& ways, const std::vector<double>& items,
                           const machine& on, const dataflow::mapping& places) {
  std::vector<double> all(on.ranks.size());
  for (const auto& w : ways) {
    const auto beside =
        std::count_if(ways.begin(), ways.end(), [&](const auto& other) { return other.to == w.to; });
    const auto part = crossings(places[w.from], places[w.to], on.size());
    for (std::size_t r = 0; r < all.size(); ++r)
      all[r] += seconds_to_cross * part[r] * items[w.to] / static_cast<double>(beside);
  }
  return all;
}

}  // namespace

std::string plan_as_json(const run_state& run, const mpi_options& how, const machine& on,
                         dataflow::mapping places) {
  // Ranks that may get replicas later have none yet.
  std::vector<std::vector<int>> later;
  for (auto& at : places) {
    auto& ranks = later.emplace_back();
    for (const auto& p : at) {
      if (p.replicas == 0 && p.rank < on.size() && dataflow::may_have_replicas(p, 0)) ranks.push_back(p.rank);
    }
    std::erase_if(at, [](const auto& p) { return p.replicas == 0; });
  }
  std::vector<double> loads(run.stages.size()), items(run.stages.size(), 1);
  for (std::size_t s = 0; s < loads.size(); ++s) {
    for (const auto& c : how.costs) {
      if (c.stage != run.stages[s].info->name) continue;
      loads[s] += c.each.count() * c.items;
      items[s] = c.items;
    }
  }
  double pace = 0;
  std::string text;
  observe::json_writer json(text);
  json.begin_object().key("ranks").begin_array();
  const auto work = shares(run, loads, on, places);
  const auto ways = stage_channels_of(run);
  const auto sent =
      how.costs.empty() ? std::vector<double>(on.ranks.size()) : travel(ways, items, on, places);
  for (int r = 0; r < on.size(); ++r) {
    const auto i = static_cast<std::size_t>(r);
    json.begin_object().member("rank", r).member("host", on.host(r)).member("workers", on.workers(r));
    json.member("in_reserve", r >= on.size() - how.reserve).member("travel_seconds_per_item", sent[i]);
    json.end_object();
    pace = std::max({pace, work[i], sent[i]});
  }
  json.end_array().key("stages").begin_array();
  for (std::size_t s = 0; s < places.size(); ++s) {
    const auto& info = *run.stages[s].info;
    int replicas = 0;
    json.begin_object().member("name", info.name).member("pattern", info.pattern);
    json.member("farm", info.farm >= 0)
        .member("blocking", takes_no_worker(run, s))
        .key("places")
        .begin_array();
    for (const auto& p : places[s]) {
      json.begin_object().member("rank", p.rank).member("replicas", p.replicas).end_object();
      replicas += p.replicas;
    }
    json.end_array().key("later").begin_array();
    for (const int r : later[s]) json.value(r);
    json.end_array().member("replicas", replicas).member("seconds_per_item", loads[s]).end_object();
    pace = std::max(pace, loads[s] / replicas);
  }
  json.end_array().key("ways").begin_array();
  for (const auto& w : ways) {
    json.begin_object()
        .member("from", run.stages[w.from].info->name)
        .member("to", run.stages[w.to].info->name);
    json.member("items", model::type_name(*w.items)).member("travels", travels(places[w.from], places[w.to]));
    json.end_object();
  }
  json.end_array().member("may_join", how.spawn).member("seconds_per_item", pace).end_object();
  return text += '\n';
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
