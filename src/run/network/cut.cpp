// The network of one rank out of those of many: what is executed elsewhere goes, and the edges that lead
// there or come from there get an end here that sends or receives.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "net.hpp"
#include "nodes.hpp"
#include "remote.hpp"

namespace thalweg::run_detail::network {

namespace {

int replicas_in_all(const std::vector<place_of>& places) {
  int sum = 0;
  for (const auto& p : places) sum += p.replicas;
  return sum;
}

}  // namespace

int net::replicas_here(std::size_t stage) const {
  if (!state_->others) return -1;
  for (const auto& p : state_->others->places()[stage]) {
    if (p.rank == state_->others->rank()) return p.replicas;
  }
  return 0;
}

bool net::same_places(std::size_t a, std::size_t b) const {
  return !state_->others || state_->others->places()[a] == state_->others->places()[b];
}

bool net::replicates(const node& n) const {
  return farm_of_stage_[n.first()] != nullptr && !state_->stages[n.first()].info->keyed;
}

// The region that an edge leads into, if order has to be restored behind it.
std::unique_ptr<region> net::region_behind(const edge& e, std::uint32_t channel,
                                           std::vector<const edge*>& edges) const {
  const auto& places = state_->others->places();
  if (replicates(*e.from) || !replicates(*e.to)) return nullptr;
  edges = {&e};
  bool spread = false;
  int most = 1;
  for (const auto* n = e.to; replicates(*n);) {
    if (state_->stages[n->first()].info->unordered || n->out.empty() || n->out.front().to == nullptr)
      return nullptr;
    spread = spread || places[n->first()].size() > 1;
    most = std::max(most, replicas_in_all(places[n->first()]));
    edges.push_back(n->out.front().to);
    n = n->out.front().to->to;
  }
  if (!spread) return nullptr;
  auto made = std::make_unique<region>();
  made->first_channel = channel;
  made->first_rank = places[e.from->first()].front().rank;
  made->window = 16 + std::int64_t{4} * most;
  return made;
}

void net::cut() {
  auto& run = *state_;
  auto& others = *run.others;
  const auto& places = others.places();
  std::vector<std::string> problems;
  // First all regions, while the edges are still those of the whole graph.
  std::map<const edge*, const region*> region_of;
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    std::vector<const edge*> inside;
    auto r = region_behind(*edges_[k], static_cast<std::uint32_t>(k), inside);
    if (!r) continue;
    for (const auto* e : inside) region_of[e] = r.get();
    regions_.push_back(std::move(r));
  }
  auto* const who = home_ != nullptr ? home_ : &new_squad(1, 1, {});
  const auto adopt = [&](std::unique_ptr<node> n) -> node& {
    n->home = who;
    nodes_.push_back(n.get());
    owned_.push_back(std::move(n));
    return *nodes_.back();
  };
  auto whole_graph = std::exchange(edges_, {});
  auto all = std::exchange(nodes_, {});
  for (auto* n : all) {
    if (replicas_here(n->first()) > 0) nodes_.push_back(n);
  }
  for (std::size_t k = 0; k < whole_graph.size(); ++k) {
    auto& e = *whole_graph[k];
    auto& from = *e.from;
    auto& to = *e.to;
    const auto& senders = places[from.first()];
    const auto& receivers = places[to.first()];
    const auto found = region_of.find(&e);
    const auto* const r = found == region_of.end() ? nullptr : found->second;
    const auto channel = static_cast<std::uint32_t>(k);
    auto& sent = *std::find_if(from.out.begin(), from.out.end(), [&](const auto& o) { return o.to == &e; });
    if (r == nullptr && senders.size() == 1 && senders.front().rank == receivers.front().rank &&
        receivers.size() == 1) {
      edges_.push_back(std::move(whole_graph[k]));
      continue;
    }
    const auto& sending = *run.stages[from.last() - 1].info;
    const auto& receiving = *run.stages[to.first()].info;
    const auto way = "the way from stage '" + sending.name + "' to stage '" + receiving.name + "'";
    if (e.in_loop)
      problems.push_back(way + " lies in a loop, which cannot be spread over ranks: place all of it on one");
    if (e.options().pipe)
      problems.push_back(way + " leads to another rank, so it cannot be a pipe of the user's");
    const bool numbered_from = r != nullptr && replicates(from);
    const bool numbered_to = r != nullptr && replicates(to);
    outbound* out = nullptr;
    inbound* in = nullptr;
    if (replicas_here(from.first()) > 0) {
      auto& n =
          adopt(std::make_unique<outbound>(*this, to.first(), others, channel, receivers, r,
                                           r != nullptr && !numbered_from, r == nullptr || numbered_to));
      out = static_cast<outbound*>(&n);
      edges_.push_back(std::make_unique<edge>(e.options(), shape_.slots, &from, &n, 0));
      edges_.back()->whole = numbered_from;
      edges_.back()->ranked = e.ranked;
      sent.to = n.in[0] = edges_.back().get();
      n.place = from.place;
    }
    if (replicas_here(to.first()) > 0) {
      auto& n = adopt(std::make_unique<inbound>(*this, to.first(), others, channel, senders, r,
                                                r != nullptr && !numbered_to, r == nullptr || numbered_to));
      in = static_cast<inbound*>(&n);
      const auto slots = replicates(to) ? static_cast<std::size_t>(replicas_here(to.first())) : shape_.slots;
      edges_.push_back(std::make_unique<edge>(e.options(), slots, &n, &to, e.to_port));
      edges_.back()->whole = numbered_to;
      edges_.back()->ranked = e.ranked;
      to.in[e.to_port] = n.out[0].to = edges_.back().get();
      n.place = to.place;
    }
    if (out == nullptr && in == nullptr) continue;
    auto& component = *run.plan.components[run.stages[from.first()].component];
    const auto port = component.ports() != nullptr ? static_cast<std::size_t>(&sent - from.out.data())
                                                   : run.stages[from.last() - 1].stage;
    others.add(channel, out, in, component.make_chunk(port));
  }
  for (auto& f : farms_) {
    const auto* const in = f->seats.front()->in.front();
    f->numbered = in->whole;
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
  // Threads that would have nothing to do.
  const auto idle = [&](const squad* s) {
    return std::none_of(nodes_.begin(), nodes_.end(), [&](const node* n) { return n->home == s; });
  };
  for (auto* s : thread_squads_) {
    std::erase_if(s->timed, [&](const node* n) { return replicas_here(n->first()) == 0; });
  }
  if (on_caller_ != nullptr && !shape_.sequential && idle(on_caller_)) on_caller_ = nullptr;
  std::erase_if(thread_squads_, [&](const auto* s) { return s != home_ && idle(s); });
  elsewhere_ = std::move(whole_graph);
  for (std::size_t s = 0; s < places.size(); ++s) run.replicas[s] = replicas_in_all(places[s]);
}

}  // namespace thalweg::run_detail::network
