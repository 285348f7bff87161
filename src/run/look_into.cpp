// Finds the edge that somebody wants to look into.
#include <thalweg/model/errors.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "looks.hpp"
#include "parts.hpp"

namespace THALWEG_NAMESPACE::run_detail {

namespace {

constexpr std::string_view who = "look_into: ";
constexpr std::size_t most_items = 1000;

// From a stage to the input of another one, by their numbers.
struct edge {
  std::size_t from, to, port;
};

std::vector<edge> edges_of(const run_state& run) {
  std::vector<edge> all;
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    if (run.stages[i].stage > 0) all.push_back({i - 1, i, 0});
  }
  for (const auto& e : run.plan.connections()) {
    const auto last = run.first_of_component[e.from] + run.plan.components[e.from]->stages().size() - 1;
    all.push_back({last, run.first_of_component[e.to], e.to_port});
  }
  return all;
}

const std::string& name_of(const run_state& run, std::size_t stage) {
  return run.stages[stage].info->name;
}

std::string in_quotes(std::string_view name) {
  return "'" + std::string(name) + "'";
}

// Those of the edges that lie between the same two stages as the first of them; others are an error.
std::vector<edge> only_ones(const run_state& run, std::vector<edge> some, std::size_t stage, bool lead_in) {
  for (const auto& e : some) {
    if (e.from == some.front().from && e.to == some.front().to) continue;
    const auto one = name_of(run, lead_in ? some.front().from : some.front().to);
    const auto other = name_of(run, lead_in ? e.from : e.to);
    throw error(
        std::string(who) + "several edges " + std::string(lead_in ? "lead into" : "leave") + " stage " +
        in_quotes(name_of(run, stage)) + ": name both ends of one, as in " +
        (lead_in ? in_quotes(one) + " or " + in_quotes(other) + " and " + in_quotes(name_of(run, stage))
                 : in_quotes(name_of(run, stage)) + " and " + in_quotes(one) + " or " + in_quotes(other)));
  }
  return some;
}

std::vector<edge> edges_between(const run_state& run, std::string_view from, std::string_view to) {
  auto all = edges_of(run);
  const auto stage = stage_named(run, who, to);
  const auto those = [&](auto&& which) {
    std::vector<edge> some;
    std::ranges::copy_if(all, std::back_inserter(some), which);
    return some;
  };
  if (!from.empty()) {
    const auto before = stage_named(run, who, from);
    auto some = those([&](const edge& e) { return e.from == before && e.to == stage; });
    if (some.empty())
      throw error(std::string(who) + "no edge leads from stage " + in_quotes(from) + " to " + in_quotes(to));
    return some;
  }
  if (auto in = those([&](const edge& e) { return e.to == stage; }); !in.empty())
    return only_ones(run, std::move(in), stage, true);
  auto out = those([&](const edge& e) { return e.from == stage; });
  if (out.empty()) throw error(std::string(who) + "stage " + in_quotes(to) + " is connected with no other");
  return only_ones(run, std::move(out), stage, false);
}

}  // namespace

look engine::look_into(std::string_view from, std::string_view to, const look_options& how) {
  auto& run = *state_;
  if (how.items < 1 || how.items > most_items)
    throw error(std::string(who) + "a look is for 1 to " + std::to_string(most_items) + " items, not " +
                std::to_string(how.items));
  const auto edges = edges_between(run, from, to);
  if (!shows_items()) throw error(std::string(who) + "the policy '" + run.policy + "' does not show items");
  const auto taker = edges.front().to;
  if (const int rank = executed_by(taker); rank >= 0)
    throw error(std::string(who) + "stage " + in_quotes(name_of(run, taker)) + " is executed by rank " +
                std::to_string(rank) + ": only what stages of this rank take can be seen here");
  std::vector<std::size_t> ports;
  for (const auto& e : edges) ports.push_back(e.port);
  auto what = std::make_shared<sight>(taker, std::move(ports), how.items);
  run.seen_by->open(what);
  return {std::move(what), run.seen_by, name_of(run, edges.front().from), name_of(run, taker)};
}

}  // namespace THALWEG_NAMESPACE::run_detail
