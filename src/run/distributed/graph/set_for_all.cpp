// What rank 0 sets for all ranks while the run goes on.
#include <thalweg/model/errors.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "../../engine/graph_engine.hpp"
#include "../../engine/nodes.hpp"
#include "../../parts.hpp"
#include "remote.hpp"
#include "shared_settings.hpp"
#include "spread.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

std::string why_it_stays(const run_state& run, std::size_t stage, fixed_by what) {
  switch (what) {
    case fixed_by::wish:
      return "as .place has named them";
    case fixed_by::numbers:
      return "as its items are dealt out to replicas by number";
    case fixed_by::keys:
      return "as " + why_keys_stay(run, stage);
    case fixed_by::items:
      return "as its items cannot travel";
    default:
      return "as one rank has all of it: with .reserve others can have parts of it";
  }
}

}  // namespace

void graph_engine::require_root(const char* who) const {
  if (const int rank = state_->others->rank(); rank != 0)
    throw error(std::string(who) + ": rank 0 alone can call it, and this is rank " + std::to_string(rank));
}

int graph_engine::ranks_for(std::size_t stage) const {
  const auto& places = state_->others->places()[stage];
  const auto many = std::count_if(places.begin(), places.end(),
                                  [&](const place_of& p) { return may_have_replicas(p, shared_->ranks()); });
  return std::max(1, static_cast<int>(many));
}

void graph_engine::set_ranks(int ranks) {
  if (!state_->others) return engine::set_ranks(ranks);
  require_root("set_ranks");
  auto& others = *state_->others;
  if (ranks > others.ranks())
    throw error("set_ranks: there are " + std::to_string(others.ranks()) + " ranks, not " +
                std::to_string(ranks));
  for (std::size_t s = 0; s < state_->stages.size(); ++s) {
    if (farm_of_stage_[s] != nullptr) continue;
    const int rank = others.places()[s].front().rank;
    if (rank >= ranks)
      throw error("set_ranks: stage '" + state_->stages[s].info->name + "' is serial and on rank " +
                  std::to_string(rank) + ", which has to stay: ask for at least " + std::to_string(rank + 1) +
                  " ranks, or place it on another one");
  }
  others.set({setting::kind::ranks, 0, ranks});
}

int graph_engine::most_ranks() const {
  if (!state_->others) return 0;
  const auto& places = state_->others->places();
  const bool any = std::any_of(places.begin(), places.end(), [](const auto& at) {
    return at.size() > 1 && at.front().stays == fixed_by::nothing;
  });
  return any ? state_->others->ranks() : 0;
}

std::vector<bool> graph_engine::ranks_at_work(const std::vector<int>& replicas) const {
  const auto& others = *state_->others;
  std::vector<bool> all(static_cast<std::size_t>(others.ranks()));
  const auto works = [&](int rank) {
    if (static_cast<std::size_t>(rank) < all.size()) all[static_cast<std::size_t>(rank)] = true;
  };
  works(0);  // it decides
  for (std::size_t s = 0; s < replicas.size(); ++s) {
    if (coordinator_of_stage_[s] >= 0) works(coordinator_of_stage_[s]);
    const auto& places = others.places()[s];
    if (farm_of_stage_[s] == nullptr || places.size() == 1) {
      works(places.front().rank);
      continue;
    }
    for (const auto& p : spread(others, places, replicas[s], shared_->ranks())) {
      if (p.replicas > 0) works(p.rank);
    }
  }
  return all;
}

void graph_engine::set_credits(std::string_view stage, int runs) {
  if (!state_->others) return engine::set_credits(stage, runs);
  require_root("set_credits");
  const auto& stages = state_->stages;
  const auto named = std::find_if(stages.begin(), stages.end(), [&](const auto& s) {
    return s.info->name == stage || s.info->name.starts_with(std::string(stage) + "/");
  });
  if (named == stages.end())
    throw error("set_credits: there is no stage '" + std::string(stage) + "'" + meant_stage(*state_, stage));
  auto number = static_cast<std::size_t>(named - stages.begin());
  if (const auto* const f = farm_of_stage_[number]; f != nullptr) number = stages_of(*f).front();
  if (!gets_credit_[number])
    throw error(
        "set_credits: how much is sent to stage '" + named->info->name +
        "' does not depend on credit: no other rank sends it anything, one rank divides up its items, "
        "or it restores the order behind a farm, whose credits count");
  state_->others->set({setting::kind::credits, number, runs});
}

std::optional<int> graph_engine::credits(std::size_t stage) const {
  if (!state_->others) return std::nullopt;
  const auto* const f = farm_of_stage_[stage];
  const auto first = f != nullptr ? stages_of(*f).front() : stage;
  return gets_credit_[first] ? std::optional(shared_->credits(first)) : std::nullopt;
}

void graph_engine::set_message_bytes(std::size_t bytes) {
  if (!state_->others) return engine::set_message_bytes(bytes);
  require_root("set_message_bytes");
  constexpr auto most = std::size_t{1} << 40;  // more than any message has
  state_->others->set({setting::kind::message_bytes, 0, static_cast<std::int64_t>(std::min(bytes, most))});
}

std::optional<std::size_t> graph_engine::message_bytes() const {
  return state_->others ? std::optional(shared_->message_bytes()) : std::nullopt;
}

void graph_engine::take(const setting& s) {
  switch (s.what) {
    case setting::kind::ranks:
      shared_->set_ranks(static_cast<int>(s.value));
      note_what_stays(static_cast<int>(s.value));
      share_out_all();
      break;
    case setting::kind::credits:
      shared_->set_credits(s.stage, static_cast<int>(s.value));
      bound_regions();
      for (auto* n : nodes_) {
        auto* const in = n->first() == s.stage ? dynamic_cast<inbound*>(n) : nullptr;
        if (in != nullptr) in->tell_how_many();
      }
      break;
    case setting::kind::message_bytes:
      shared_->set_message_bytes(static_cast<std::size_t>(s.value));
      bound_regions();
      break;
    case setting::kind::run_length:
      bound_runs(std::chrono::nanoseconds(s.value));
      break;
  }
}

void graph_engine::note_what_stays(int ranks) {
  const auto& run = *state_;
  const replicated* last = nullptr;
  for (std::size_t s = 0; s < run.stages.size(); ++s) {
    const auto* const f = farm_of_stage_[s];
    if (f == nullptr || std::exchange(last, f) == f) continue;
    const auto& places = run.others->places()[s];
    const auto beyond = std::find_if(places.begin(), places.end(), [&](const place_of& p) {
      return p.rank >= ranks && p.replicas > 0 && p.stays != fixed_by::nothing;
    });
    if (beyond == places.end()) continue;
    run.others->note("set_ranks: the replicas of stage '" + run.stages[s].info->name +
                     "' stay on the ranks where they are, " + why_it_stays(run, s, beyond->stays));
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
