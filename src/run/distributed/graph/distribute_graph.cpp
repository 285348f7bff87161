// Keeps what this rank executes of the whole graph. An edge that leads to another rank gets an end that
// sends, and one that comes from there an end that receives.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "../../engine/graph_engine.hpp"
#include "../../engine/nodes.hpp"
#include "../../parts.hpp"
#include "coordinator.hpp"
#include "remote.hpp"
#include "remote_partitioner.hpp"
#include "shared_settings.hpp"
#include "spread.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

int graph_engine::replicas_here(std::size_t stage) const {
  return replicas_on(state_->others->places()[stage], state_->others->rank());
}

namespace {

// An empty run of what a node sends.
chunk_ptr chunk_for(const run_state& run, const node& from, std::size_t port) {
  auto& component = *run.plan.components[run.stages[from.first()].component];
  return component.make_chunk(component.ports() != nullptr ? port : run.stages[from.last() - 1].stage);
}

}  // namespace

bool graph_engine::is_here(std::size_t stage) const {
  return !state_->others || replicas_here(stage) >= 0;
}

int graph_engine::executed_by(std::size_t stage) const {
  if (!state_->others) return -1;
  const auto& places = state_->others->places()[stage];
  const auto here = [&](const place_of& p) {
    return p.rank == state_->others->rank() && may_have_replicas(p, shared_->ranks());
  };
  if (std::any_of(places.begin(), places.end(), here)) return -1;
  const auto other =
      std::find_if(places.begin(), places.end(), [](const place_of& p) { return p.replicas > 0; });
  return other == places.end() ? places.front().rank : other->rank;
}

bool graph_engine::same_places(std::size_t a, std::size_t b) const {
  return !state_->others || state_->others->places()[a] == state_->others->places()[b];
}

// A farm whose replicas take whole runs of items as they come. One that deals items out takes runs apart.
bool graph_engine::replicates(const node& n) const {
  const auto& info = *state_->stages[n.first()].info;
  return farm_of_stage_[n.first()] != nullptr && !info.state.keyed() &&
         info.opts.schedule.how() == schedule::kind::on_demand && coordinator_of_stage_[n.first()] < 0;
}

std::size_t graph_engine::stage_before(std::size_t stage) const {
  const auto c = state_->stages[stage].component;
  if (stage > state_->first_of_component[c]) return stage - 1;
  for (const auto& e : state_->plan.connections()) {
    if (e.to == c)
      return state_->first_of_component[e.from] + state_->plan.components[e.from]->stages().size() - 1;
  }
  return stage;
}

// Farms on several ranks that need a coordinator get it on the rank of the stage before them, or, if that is
// on several ranks, on the first rank of the farm.
// Places without replicas are for later.
static int first_at_work(const std::vector<place_of>& places) {
  const auto found = std::ranges::find_if(places, [](const place_of& p) { return p.replicas > 0; });
  return found != places.end() ? found->rank : places.front().rank;
}

void graph_engine::find_coordinators() {
  const auto& stages = state_->stages;
  coordinator_of_stage_.assign(stages.size(), -1);
  if (!state_->others) return;
  const auto& places = state_->others->places();
  const auto looping = components_in_loops(*state_);
  // Whether a farm has one depends on the stage before it. In a loop, or in a graph in any order, that may be
  // known only later.
  bool changed = true;
  for (std::size_t turn = 0; changed && turn <= stages.size(); ++turn) {
    changed = false;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const auto& info = *stages[i].info;
      if (info.farm < 0) continue;
      if (i > 0 && same_farm(stages[i - 1], stages[i])) {
        coordinator_of_stage_[i] = coordinator_of_stage_[i - 1];
        continue;
      }
      const auto before = stage_before(i);
      const auto rank = coordinator_of_stage_[before] >= 0 ? coordinator_of_stage_[before]
                        : places[before].size() == 1       ? places[before].front().rank
                                                           : first_at_work(places[i]);
      const bool elsewhere = places[i].size() > 1 || places[i].front().rank != rank;
      const bool divided = info.state.keyed() || info.opts.schedule.how() != schedule::kind::on_demand;
      const bool needed = (divided && places[i].size() > 1) || (elsewhere && looping[stages[i].component]);
      const auto coordinator = needed ? rank : -1;
      changed = changed || (coordinator >= 0) != (coordinator_of_stage_[i] >= 0);
      coordinator_of_stage_[i] = coordinator;
    }
  }
}

std::vector<place_of> graph_engine::places_of(const node& n) const {
  if (const auto coordinator = coordinator_of_stage_[n.first()]; coordinator >= 0) return {{coordinator, 1}};
  return state_->others->places()[n.first()];
}

bool graph_engine::executes(const node& n) const {
  if (const auto coordinator = coordinator_of_stage_[n.first()]; coordinator >= 0)
    return coordinator == state_->others->rank();
  return is_here(n.first());
}

// The region that an edge leads into, if order has to be restored behind it.
std::unique_ptr<region> graph_engine::region_behind(const channel& e, std::uint32_t channel_id,
                                                    std::vector<const channel*>& edges) {
  const auto& places = state_->others->places();
  if (replicates(*e.from) || !replicates(*e.to)) return nullptr;
  edges = {&e};
  std::vector<std::size_t> farms;
  bool is_spread = false;
  auto made = std::make_unique<region>();
  for (const auto* n = e.to; replicates(*n);) {
    if (state_->stages[n->first()].info->unordered || n->out.empty() || n->out.front().to == nullptr)
      return nullptr;
    is_spread = is_spread || places[n->first()].size() > 1;
    made->ranks = std::max(made->ranks, places[n->first()].size());
    farms.push_back(n->first());
    edges.push_back(n->out.front().to);
    n = n->out.front().to->to;
  }
  if (!is_spread) return nullptr;
  made->first_channel = channel_id;
  made->first_rank = places_of(*e.from).front().rank;
  made->farms = std::move(farms);
  made->set_most(*this, *state_->others, [&](std::size_t s) { return replicas_in_all(places[s]); });
  return made;
}

// Connects farms that have a coordinator on one rank with the remote partitioners on the ranks that work for
// it. Returns those of this rank. The channels have the numbers behind those of the edges.
std::vector<node*> graph_engine::connect_coordinators() {
  auto& others = *state_->others;
  auto channel_id = static_cast<std::uint32_t>(channels_.size());
  std::vector<node*> remote;
  std::vector<std::unique_ptr<keyed_farm>> made;
  for (auto& f : keyed_farms_) {
    auto* const over = f->over();
    if (over == nullptr) continue;
    auto& coordinator = static_cast<keyed_farm::coordinator&>(*f->front);
    const auto& from = *coordinator.in.front()->from;
    const auto port =
        static_cast<std::size_t>(std::find_if(from.out.begin(), from.out.end(),
                                              [&](const auto& o) { return o.to == coordinator.in.front(); }) -
                                 from.out.begin());
    over->asks = channel_id++;
    over->answers = channel_id++;
    const auto keys = [&] {
      const auto& first = state_->stages[coordinator.first()];
      return over->moves ? state_->plan.components[first.component]->make_states(first.stage) : nullptr;
    };
    over->how_to_ask = std::make_unique<task_message_wire>(chunk_for(*state_, from, port), nullptr, keys());
    over->how_to_answer = std::make_unique<task_message_wire>(
        coordinator.out.empty() ? nullptr : coordinator.new_output(), chunk_for(*state_, from, port), keys());
    keyed_farm::remote_partitioner* on_this_rank = nullptr;
    for (std::size_t i = 0; i < over->places.size(); ++i) {
      if (over->places[i].rank != others.rank()) continue;
      made.push_back(f->make_remote_partitioner(*this, *state_->stages[coordinator.first()].info, i));
      f->here = made.back().get();
      on_this_rank = static_cast<keyed_farm::remote_partitioner*>(f->here->front.get());
      on_this_rank->home = coordinator.home;
      on_this_rank->place = coordinator.place;
      on_this_rank->paced = coordinator.paced;
      for (auto& p : made.back()->all) p->home = coordinator.home;
      remote.push_back(on_this_rank);
    }
    auto* const here = executes(coordinator) ? &coordinator : nullptr;
    const auto next = coordinator.out.empty() || coordinator.out.front().to == nullptr
                          ? coordinator.first()
                          : coordinator.out.front().to->to->first();
    const std::vector<place_of> of_coordinator{{over->rank, 1}};
    others.add(over->asks, {from.last() - 1, coordinator.first(), of_coordinator, over->places}, nullptr,
               on_this_rank, no_task_messages(), over->how_to_ask.get());
    others.add(over->answers, {coordinator.last() - 1, next, over->places, of_coordinator}, nullptr, here,
               no_task_messages(), over->how_to_answer.get());
  }
  for (auto& f : made) keyed_farms_.push_back(std::move(f));
  return remote;
}

void graph_engine::distribute_graph() {
  auto& run = *state_;
  auto& others = *run.others;
  const auto& places = others.places();
  gets_credit_.assign(run.stages.size(), false);
  std::vector<std::string> problems;
  for (const auto& [split, merge] : keeps_ranks_) {
    if (places_of(*split) != places_of(*merge))
      problems.push_back("stage '" + run.stages[merge->first()].info->name +
                         "' restores the order of the branches of stage '" +
                         run.stages[split->first()].info->name +
                         "', and both are between another tw::split and its ordered tw::merge: "
                         "place both on one rank");
  }
  // First all regions, while the edges are still those of the whole graph.
  std::map<const channel*, const region*> region_of;
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    std::vector<const channel*> inside;
    auto r = region_behind(*channels_[k], static_cast<std::uint32_t>(k), inside);
    if (!r) continue;
    for (const auto* e : inside) region_of[e] = r.get();
    regions_.push_back(std::move(r));
  }
  const auto remote = connect_coordinators();
  auto* const who = home_ != nullptr ? home_ : &new_group(1, 1, {});
  const auto adopt = [&](std::unique_ptr<node> n) -> node& {
    n->home = who;
    nodes_.push_back(n.get());
    owned_.push_back(std::move(n));
    return *nodes_.back();
  };
  auto whole_graph = std::exchange(channels_, {});
  auto all = std::exchange(nodes_, {});
  chooses_somewhere_ = std::any_of(all.begin(), all.end(), [](const node* n) { return n->chooses(); });
  for (auto* n : all) {
    if (executes(*n)) nodes_.push_back(n);
  }
  nodes_.insert(nodes_.end(), remote.begin(), remote.end());
  for (std::size_t k = 0; k < whole_graph.size(); ++k) {
    auto& e = *whole_graph[k];
    auto& from = *e.from;
    auto& to = *e.to;
    const auto senders = places_of(from);
    const auto receivers = places_of(to);
    const auto found = region_of.find(&e);
    const auto* const r = found == region_of.end() ? nullptr : found->second;
    const auto channel_id = static_cast<std::uint32_t>(k);
    auto& sent = *std::find_if(from.out.begin(), from.out.end(), [&](const auto& o) { return o.to == &e; });
    if (r == nullptr && senders.size() == 1 && senders.front().rank == receivers.front().rank &&
        receivers.size() == 1) {
      channels_.push_back(std::move(whole_graph[k]));
      continue;
    }
    const auto& sending = *run.stages[from.last() - 1].info;
    const auto& receiving = *run.stages[to.first()].info;
    const auto way = "the connection from stage '" + sending.name + "' to stage '" + receiving.name + "'";
    if (e.in_loop)
      problems.push_back(
          way + " is in a loop, which cannot be spread over ranks: place the whole loop on one rank");
    if (e.options().pipe)
      problems.push_back(way + " leads to another rank, so it cannot have a custom .pipe");
    const bool numbered_from = r != nullptr && replicates(from);
    const bool numbered_to = r != nullptr && replicates(to);
    const bool counted = r == nullptr || numbered_to;
    if (counted) gets_credit_[to.first()] = true;
    outbound* out = nullptr;
    inbound* in = nullptr;
    if (executes(from)) {
      auto& n = adopt(std::make_unique<outbound>(*this, to.first(), others, channel_id, senders, receivers, r,
                                                 r != nullptr && !numbered_from, counted));
      out = static_cast<outbound*>(&n);
      channels_.push_back(std::make_unique<channel>(e.options(), shape_.slots, &from, &n, 0));
      channels_.back()->whole = numbered_from;
      channels_.back()->ranked = e.ranked;
      sent.to = n.in[0] = channels_.back().get();
      n.place = from.place;
    }
    if (executes(to)) {
      auto& n = adopt(std::make_unique<inbound>(*this, to.first(), others, channel_id, senders, r,
                                                r != nullptr && !numbered_to, counted));
      in = static_cast<inbound*>(&n);
      const auto slots =
          replicates(to) ? static_cast<std::size_t>(std::max(1, replicas_here(to.first()))) : shape_.slots;
      channels_.push_back(std::make_unique<channel>(e.options(), slots, &n, &to, e.to_port));
      channels_.back()->convert_by(e.conversion());
      channels_.back()->whole = numbered_to;
      channels_.back()->ranked = e.ranked;
      to.in[e.to_port] = n.out[0].to = channels_.back().get();
      if (to.in_loop != nullptr && !e.in_loop)
        std::replace(to.in_loop->entries.begin(), to.in_loop->entries.end(), &e, channels_.back().get());
      n.place = to.place;
    }
    others.add(channel_id, {from.last() - 1, to.first(), senders, receivers}, out, in,
               chunk_for(run, from, static_cast<std::size_t>(&sent - from.out.data())), nullptr);
  }
  for (auto& f : farms_) {
    const auto* const in = f->all.front()->in.front();
    f->numbered = in->whole;
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
  // Threads that would have nothing to do.
  const auto has_replica = [&](const farm& f, const worker_group* s) {
    return executes(*f.all.front()) &&
           std::any_of(f.all.begin(), f.all.end(), [&](const auto& r) { return r->home == s; });
  };
  const auto idle = [&](const worker_group* s) {
    return std::none_of(nodes_.begin(), nodes_.end(), [&](const node* n) { return n->home == s; }) &&
           std::none_of(farms_.begin(), farms_.end(), [&](const auto& f) { return has_replica(*f, s); });
  };
  for (auto* s : thread_groups_) {
    std::erase_if(s->timed, [&](const node* n) { return !executes(*n); });
  }
  if (on_caller_ != nullptr && !shape_.sequential && idle(on_caller_)) on_caller_ = nullptr;
  std::erase_if(thread_groups_, [&](const auto* s) { return s != home_ && idle(s); });
  elsewhere_ = std::move(whole_graph);
  for (std::size_t s = 0; s < places.size(); ++s)
    run.statistics.layout[s].replicas = replicas_in_all(places[s]);
}

std::vector<std::size_t> graph_engine::stages_of(const replicated& f) const {
  std::vector<std::size_t> all;
  for (std::size_t s = 0; s < state_->stages.size(); ++s) {
    if (farm_of_stage_[s] == &f) all.push_back(s);
  }
  return all;
}

// Each rank learns the number of replicas on all ranks together.
void graph_engine::resize(std::size_t stage, int replicas) {
  auto& run = *state_;
  const auto& layout = run.statistics.layout;
  if (layout[stage].replicas == replicas) return;
  run.statistics.resized(stages_of(*farm_of_stage_[stage]), layout[stage].replicas, replicas);
  if (const auto& info = *run.stages[stage].info; info.state.keyed() && !keys_travel(run, stage))
    run.others->note("set_replicas: the keys of stage '" + info.name +
                     "' stay on the ranks where they are, as " + why_keys_stay(run, stage));
  bound_regions();
  share_out(stage);
}

// How much may be under way, after a number has changed that this depends on.
void graph_engine::bound_regions() {
  const auto& layout = state_->statistics.layout;
  for (auto& r : regions_)
    r->set_most(*this, *state_->others, [&](std::size_t s) { return layout[s].replicas; });
  // If less may be under way from now on, the end of a region may owe its beginning more than that. If it is
  // more, the beginning may go on.
  for (auto* n : nodes_) {
    if (auto* const in = dynamic_cast<inbound*>(n)) in->tell_progress();
    if (auto* const out = dynamic_cast<outbound*>(n)) out->notify();
  }
}

// From the number on all ranks each rank works out its own.
void graph_engine::share_out(std::size_t stage) {
  auto& run = *state_;
  auto& f = *farm_of_stage_[stage];
  const int replicas = run.statistics.layout[stage].replicas;
  if (coordinator_of_stage_[stage] >= 0) {
    auto& divided = static_cast<keyed_farm&>(f);
    divided.over()->ranks.store(shared_->ranks());
    divided.set_replicas(static_cast<std::size_t>(replicas));
    if (executes(*divided.front)) divided.front->notify();  // it gives others their part of the items
    if (divided.here == nullptr) return;
    const auto& over = *divided.over();
    std::size_t place = 0;
    while (over.places[place].rank != run.others->rank()) ++place;
    return set_replicas_here(*divided.here, std::max<std::size_t>(1, over.replicas_at(place, replicas)));
  }
  if (!is_here(stage)) return;
  const auto& others = *run.others;
  const auto here =
      std::min(replicas_on(spread(others, others.places()[stage], replicas, shared_->ranks()), others.rank()),
               static_cast<int>(f.most()));
  // With none left, the replicas of before finish what is under way.
  if (here > 0) set_replicas_here(f, static_cast<std::size_t>(here));
  const auto first = stages_of(f).front();
  for (auto* n : nodes_) {
    auto* const in = n->first() == first ? dynamic_cast<inbound*>(n) : nullptr;
    if (in == nullptr) continue;
    in->out.front().to->set_slots(static_cast<std::size_t>(std::max(1, here)));
    in->set_replicas(here);
  }
}

bool graph_engine::expect_others() {
  std::vector<inbound*> held;
  for (auto* n : nodes_) {
    auto* const in = dynamic_cast<inbound*>(n);
    if (in == nullptr) continue;
    if (!in->expect_others()) {
      for (auto* h : held) h->expect_nobody();
      return false;
    }
    held.push_back(in);
  }
  return true;
}

void graph_engine::expect_nobody() {
  for (auto* n : nodes_) {
    if (auto* const in = dynamic_cast<inbound*>(n)) in->expect_nobody();
  }
}

void graph_engine::others_have_joined() {
  share_out_all();
}

void graph_engine::share_out_all() {
  const replicated* last = nullptr;
  for (std::size_t s = 0; s < state_->stages.size(); ++s) {
    const auto* const f = farm_of_stage_[s];
    if (f == nullptr || std::exchange(last, f) == f) continue;
    if (state_->others->places()[s].size() > 1) share_out(s);
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
