// What the engine makes of a plan: nodes, channels, loops, and who executes what.
#include <algorithm>
#include <deque>
#include <string>

#include "../distributed/graph/exchange.hpp"
#include "../distributed/graph/part_placement.hpp"
#include "../distributed/graph/remote.hpp"
#include "../parts.hpp"
#include "graph_engine.hpp"
#include "guarded_pipe.hpp"
#include "nodes.hpp"
#include "whole_line.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::size_t most_resized = 256;  // the most replicas that `set_replicas` may ask for

}  // namespace

void graph_engine::lay_out() {
  auto& run = *state_;
  farm_of_stage_.assign(run.stages.size(), nullptr);
  number_replicas();
  find_coordinators();
  if (shape_.sequential) {
    home_ = on_caller_ = &new_group(1, 1, {});
  } else if (shape_.home) {
    groups_.push_back(shape_.home(*this));
    home_ = groups_.back().get();
  } else if (!shape_.thread_each) {
    const auto workers = static_cast<std::size_t>(std::max(1, shape_.workers));
    const auto most = run.others              ? workers + stand_ins::most(run)
                      : shape_.may_overcommit ? std::max(workers, overcommit::most_threads())
                                              : workers;
    home_ = &new_group(workers, most, shape_.pin);
  }
  std::vector<span> of;
  of.reserve(run.plan.components.size());
  for (std::size_t c = 0; c < run.plan.components.size(); ++c) of.push_back(add_component(c));
  for (const auto& e : run.plan.connections()) {
    auto opts = e.opts;
    const auto& next = run.plan.components[e.to]->stages().front();
    if (opts.capacity == automatic) opts.capacity = next.opts.capacity;
    connect(opts, *nodes_[of[e.from].last], e.from_port, *nodes_[of[e.to].first], e.to_port)
        .convert_by(e.convert);
  }
  find_loops();
  for (std::size_t c = 0; c < of.size(); ++c) {
    // What is in a loop is counted item by item.
    if (of[c].last > of[c].first && may_be_whole(c) && nodes_[of[c].first]->in_loop == nullptr)
      add_whole(c, of[c]);
  }
  find_ranks();
  find_paced();
  share_threads();
  if (run.others) distribute_graph();
  // The replicas of a farm have its input and output.
  for (auto& f : farms_) {
    const auto& first = *f->all.front();
    f->bound_runs();
    if (f->ordered() && f->most() > 1 && !first.out.empty() && first.out.front().to != nullptr)
      run.statistics.layout[first.out.front().to->to->first()].reorder_slots =
          static_cast<std::size_t>(farm::window);
    for (auto& s : f->all) {
      if (s.get() == &first) continue;
      s->in = first.in;
      for (const auto& o : first.out) s->out.push_back({o.to, nullptr});
      s->in_loop = first.in_loop;
      s->place_in_loop = first.place_in_loop;
      s->place = first.place;
      s->paced = first.paced;
    }
  }
  for (auto& f : keyed_farms_) {
    for (auto& p : f->all) p->place = f->front->place;
  }
  std::vector<std::vector<const channel*>> before(run.stages.size());
  for (const auto& e : channels_) before[e->to->first()].push_back(e.get());
  run.counters.dropped_before = [before = std::move(before)](std::size_t stage) {
    std::uint64_t all = 0;
    for (const auto* e : before[stage]) all += e->dropped();
    return all;
  };
  left_.store(nodes_.size());
  if (nodes_.empty()) over_.store(true);  // other ranks execute everything
  std::size_t threads = 0;
  for (const auto* s : thread_groups_) threads += s->size();
  run.statistics.workers = static_cast<int>(
      std::max<std::size_t>(threads + (shape_.home ? static_cast<std::size_t>(shape_.workers) : 0), 1));
}

graph_engine::span graph_engine::add_component(std::size_t c) {
  auto& run = *state_;
  auto& component = *run.plan.components[c];
  auto* const ports = component.ports();
  if (ports == nullptr) return add_line(c);
  const auto stage = run.first_of_component[c];
  auto n = std::make_unique<port_node>(*this, c, stage, *ports);
  n->in.resize(ports->inputs().size());
  n->out.resize(ports->outputs().size());
  add(std::move(n), *run.stages[stage].info, wants_own_thread(*run.stages[stage].info));
  return {nodes_.size() - 1, nodes_.size() - 1};
}

graph_engine::span graph_engine::add_line(std::size_t c) {
  auto& run = *state_;
  auto& layout = run.statistics.layout;
  const auto begin = run.first_of_component[c];
  const auto end = begin + run.plan.components[c]->stages().size();
  const span all{nodes_.size(), 0};
  const bool alone = !shape_.sequential;
  if (shape_.sequential && !run.others) {
    for (auto s = begin; s < end; ++s) {
      run.plan.components[c]->prepare(run.stages[s].stage, 1);
      layout[s].replicas = 1;
      if (end - begin > 1) layout[s].segment = static_cast<int>(begin);
    }
    auto& n =
        add(std::make_unique<line_node>(*this, parts_of(run, begin, end)), *run.stages[begin].info, false);
    n.in.resize(run.stages[begin].info->in != nullptr ? 1 : 0);
    n.out.resize(run.stages[end - 1].info->out != nullptr ? 1 : 0);
    return {all.first, all.first};
  }
  for (auto i = begin; i < end;) {
    const auto first = i++;
    const auto& info = *run.stages[first].info;
    const auto joins = [&](std::size_t s) {
      const auto& a = run.stages[s - 1];
      const auto& b = run.stages[s];
      if (same_farm(a, b)) return true;
      return same_places(s - 1, s) && shape_.fuse && can_share_thread(a, b) &&
             !(alone && (wants_own_thread(*a.info) || wants_own_thread(*b.info)));
    };
    while (i < end && joins(i)) ++i;
    auto parts = parts_of(run, first, i);
    const bool has_in = info.in != nullptr;
    const bool has_out = run.stages[i - 1].info->out != nullptr;
    bool apart = false;
    for (auto s = first; s < i; ++s) apart = apart || wants_own_thread(*run.stages[s].info);
    if (parts.size() > 1 || i - first > 1) {
      for (auto s = first; s < i; ++s) layout[s].segment = static_cast<int>(first);
    }
    node* made = nullptr;
    if (info.farm >= 0) {
      const auto n = replicas_[first];
      const auto coordinator = coordinator_of_stage_[first];
      const auto how = info.opts.schedule.how();
      const auto most = coordinator >= 0     ? most_partitions
                        : info.state.keyed() ? keyed_farm::partition_count
                        : shape_.sequential  ? n
                                             : std::max(n, most_resized);
      for (auto s = first; s < i; ++s) {
        run.plan.components[c]->prepare(run.stages[s].stage, most);
        layout[s].replicas = static_cast<int>(n);
        layout[s].dealt =
            info.state.keyed() || how == schedule::kind::round_robin || how == schedule::kind::route;
      }
      if (info.state.keyed() || coordinator >= 0) {
        keyed_farms_.push_back(
            coordinator >= 0
                ? std::make_unique<keyed_farm>(
                      *this, std::move(parts), info,
                      std::make_unique<part_placement>(*run.others, coordinator, run.others->places()[first],
                                                       info, keys_travel(run, first)))
                : std::make_unique<keyed_farm>(*this, std::move(parts), n, info));
        auto& f = *keyed_farms_.back();
        auto* const who = group_for(info, apart, n, most);
        for (auto s = first; s < i; ++s) farm_of_stage_[s] = &f;
        for (auto& p : f.all) p->home = who;
        give_threads(*f.front, who);
        made = f.front.get();
        nodes_.push_back(made);
      } else {
        farms_.push_back(std::make_unique<farm>(*this, std::move(parts), n, most, info));
        auto& f = *farms_.back();
        for (auto s = first; s < i; ++s) farm_of_stage_[s] = &f;
        f.used_here.store(!run.others || replicas_here(first) > 0);
        f.own_threads = (apart || shape_.thread_each) && info.opts.on != placement::caller_thread;
        for (std::size_t r = 0; r < (f.own_threads ? n : 0); ++r)
          give_threads(*f.all[r], group_for(info, apart, 1, 1));
        if (!f.own_threads) {
          auto* const who = group_for(info, apart, n, most);
          for (auto& replica : f.all) give_threads(*replica, who);
        }
        made = f.all.front().get();
        nodes_.push_back(made);
      }
    } else {
      for (auto s = first; s < i; ++s) run.plan.components[c]->prepare(run.stages[s].stage, 1);
      made = &add(std::make_unique<line_node>(*this, std::move(parts)), info, apart);
    }
    made->in.resize(has_in ? 1 : 0);
    made->out.resize(has_out ? 1 : 0);
    if (first > begin) {
      connect_options opts;
      opts.capacity = info.opts.capacity;
      connect(opts, *nodes_[nodes_.size() - 2], 0, *made, 0);
    }
  }
  return {all.first, nodes_.size() - 1};
}

// Whether all stages of a component may be executed as one loop by one of the threads that share them.
bool graph_engine::may_be_whole(std::size_t c) const {
  const auto& run = *state_;
  if (run.others || shape_.sequential || shape_.thread_each) return false;
  const auto& component = *run.plan.components[c];
  const auto& stages = component.stages();
  const model::range all{0, stages.size()};
  const auto compiled = component.compiled();
  return stages.front().farm < 0 && std::find(compiled.begin(), compiled.end(), all) != compiled.end() &&
         std::none_of(stages.begin(), stages.end(), [](const model::stage_info& s) {
           return wants_own_thread(s) || !s.opts.on_error.plain() || s.source.pushes ||
                  (s.farm >= 0 && s.state.keyed()) || s.opts.schedule.how() != schedule::kind::on_demand;
         });
}

void graph_engine::add_whole(std::size_t c, span made) {
  const auto first = state_->first_of_component[c];
  std::vector<node*> all(nodes_.begin() + static_cast<std::ptrdiff_t>(made.first),
                         nodes_.begin() + static_cast<std::ptrdiff_t>(made.last) + 1);
  std::vector<farm*> farms;
  for (auto& f : farms_) {
    if (std::find(all.begin(), all.end(), f->all.front().get()) != all.end()) farms.push_back(f.get());
  }
  auto& head = static_cast<line_node&>(*all.front());
  head.whole = std::make_unique<whole_line>(*this, head, std::move(all), std::move(farms),
                                            part{c, {0, state_->plan.components[c]->stages().size()}, first});
}

node& graph_engine::add(std::unique_ptr<node> n, const model::stage_info& info, bool apart) {
  give_threads(*n, group_for(info, apart, 1, 1));
  nodes_.push_back(n.get());
  owned_.push_back(std::move(n));
  return *nodes_.back();
}

worker_group* graph_engine::group_for(const model::stage_info& info, bool apart, std::size_t threads,
                                      std::size_t most) {
  if (shape_.sequential) return home_;
  if (info.opts.on == placement::caller_thread) {
    if (on_caller_ == nullptr) on_caller_ = &new_group(1, 1, info.opts.pin);
    return on_caller_;
  }
  if (!apart && !shape_.thread_each) return home_;
  auto pin = info.opts.pin;
  const bool in_turn = pin.empty() && !shape_.pin.empty();
  auto& made = new_group(threads, most, std::move(pin));
  made.pinned_in_turn = in_turn;
  if (in_turn) made.pin = {shape_.pin[(thread_groups_.size() - 1) % shape_.pin.size()]};
  return &made;
}

// Serial stages that follow each other share a thread, if that was asked for. Those of one component have
// been made one node where they can be; those of different ones, stages with ports among them, are nodes of
// one group.
void graph_engine::share_threads() {
  if (!shape_.thread_each || !shape_.fuse) return;
  const auto& stages = state_->stages;
  auto& layout = state_->statistics.layout;
  const auto plain = [](const connect_options& o) {
    return o.capacity == automatic && o.bytes == automatic && o.when_full == when_full::block && !o.pipe &&
           o.wait == waiting::park;
  };
  const auto sends_to = [](const node& n) {
    return std::count_if(n.out.begin(), n.out.end(), [](const outlet& o) { return o.to != nullptr; });
  };
  for (const auto& e : channels_) {
    const auto& from = *e->from;
    auto& to = *e->to;
    const auto a = from.last() - 1;
    const auto b = to.first();
    auto* const gone = to.home;
    if (gone == from.home || sends_to(from) != 1 || to.in.size() != 1 || !plain(e->options()) ||
        !can_share_thread(stages[a], stages[b]) || wants_own_thread(*stages[a].info) ||
        wants_own_thread(*stages[b].info) || !same_places(a, b))
      continue;
    for (auto* n : nodes_) {
      if (n->home == gone) n->home = from.home;
    }
    auto& segment = layout[from.first()].segment;
    if (segment < 0) segment = static_cast<int>(from.first());
    const auto before = layout[b].segment;
    for (auto s = b; s < stages.size(); ++s) {
      if (s < to.last() || (before >= 0 && layout[s].segment == before)) layout[s].segment = segment;
    }
    const std::lock_guard hold(groups_lock_);
    std::erase(thread_groups_, gone);
    std::erase_if(groups_, [&](const auto& g) { return g.get() == gone; });
  }
  for (std::size_t i = 0; i < thread_groups_.size(); ++i) {
    if (thread_groups_[i]->pinned_in_turn) thread_groups_[i]->pin = {shape_.pin[i % shape_.pin.size()]};
  }
}

void graph_engine::give_threads(node& n, worker_group* s) {
  n.home = s;
  if (auto* const threads = dynamic_cast<thread_group*>(s)) {
    bool timed = n.may_rest();
    for (auto i = n.first(); i < n.last(); ++i) timed = timed || state_->stages[i].info->timed;
    if (timed) threads->timed.push_back(&n);
    n.timed = timed;
  }
}

thread_group& graph_engine::new_group(std::size_t threads, std::size_t most, std::vector<int> pin) {
  auto made = std::make_unique<thread_group>(threads, most);
  made->pin = std::move(pin);
  const std::lock_guard hold(groups_lock_);
  thread_groups_.push_back(made.get());
  groups_.push_back(std::move(made));
  return *thread_groups_.back();
}

// What its factory gives, guarded: the pipe of the connection that this channel stands for.
std::unique_ptr<model::own_channel> graph_engine::make_pipe(const channel& e, std::size_t from_port) {
  auto& run = *state_;
  const auto& sender = run.stages[e.from->last() - 1];
  const auto& receiver = run.stages[e.to->first()];
  const auto* const outputs = run.plan.components[sender.component]->ports();
  const auto* const inputs = run.plan.components[receiver.component]->ports();
  const auto connection = "the connection from '" + sender.info->name + "." +
                          (outputs == nullptr ? "out" : outputs->outputs()[from_port]->name()) + "' to '" +
                          receiver.info->name + "." +
                          (inputs == nullptr ? "in" : inputs->inputs()[e.to_port]->name()) + "'";
  std::unique_ptr<model::own_channel> made;
  try {
    made = e.options().pipe.make();
  } catch (...) {
    const auto why = model::message_of(std::current_exception());
    throw stage_error(sender.info->name, 0, "the factory of the pipe of " + connection + ": " + why);
  }
  if (!made) throw invalid_job({connection + ": the factory of its .pipe returned a null pointer"});
  return std::make_unique<guarded_pipe>(run, std::move(made), connection, sender.info->name,
                                        receiver.info->name);
}

channel& graph_engine::connect(const connect_options& opts, node& from, std::size_t from_port, node& to,
                               std::size_t to_port) {
  channels_.push_back(std::make_unique<channel>(opts, shape_.slots, &from, &to, to_port));
  auto& e = *channels_.back();
  if (opts.pipe) e.use(make_pipe(e, from_port));
  if (opts.capacity != automatic) state_->statistics.layout[to.first()].capacity = opts.capacity;
  from.out[from_port].to = &e;
  to.in[to_port] = &e;
  if (opts.wait == waiting::spin) {
    if (auto* const s = dynamic_cast<thread_group*>(to.home); s != nullptr && s != home_)
      s->spin = std::chrono::milliseconds(1);
  }
  return e;
}

// How many replicas each farm has, by its first stage.
void graph_engine::number_replicas() {
  const auto& stages = state_->stages;
  replicas_.assign(stages.size(), 1);
  std::vector<std::size_t*> farms;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& info = *stages[i].info;
    if (info.farm < 0 || (shape_.sequential && !state_->others) ||
        (i > 0 && same_farm(stages[i - 1], stages[i])))
      continue;
    const auto n = state_->others               ? std::max(1, replicas_here(i))
                   : info.replicas == automatic ? std::max(1, shape_.replicas)
                                                : info.replicas;
    replicas_[i] = static_cast<std::size_t>(info.most_replicas != 0 && !state_->others
                                                ? std::clamp(n, info.least_replicas, info.most_replicas)
                                                : n);
    farms.push_back(&replicas_[i]);
  }
  if (shape_.most_replicas != automatic && !state_->others)
    limit_replicas(farms, static_cast<std::size_t>(shape_.most_replicas));
}

// Strongly connected parts: R. Tarjan, Depth-first search and linear graph algorithms (1972), without
// recursion.
void graph_engine::find_loops() {
  const auto count = nodes_.size();
  std::vector<std::vector<std::size_t>> next(count);
  std::vector<std::pair<const node*, std::size_t>> sorted;
  for (std::size_t i = 0; i < count; ++i) sorted.emplace_back(nodes_[i], i);
  std::sort(sorted.begin(), sorted.end());
  const auto find = [&](const node* n) {
    return std::lower_bound(sorted.begin(), sorted.end(), std::pair<const node*, std::size_t>(n, 0))->second;
  };
  for (const auto& e : channels_) next[find(e->from)].push_back(find(e->to));
  constexpr auto unseen = static_cast<std::size_t>(-1);
  std::vector<std::size_t> index(count, unseen), low(count, 0), part(count, unseen), open;
  std::vector<bool> on_stack(count, false);
  struct call {
    std::size_t node, child;
  };
  std::size_t clock = 0;
  std::size_t parts = 0;
  for (std::size_t root = 0; root < count; ++root) {
    if (index[root] != unseen) continue;
    std::vector<call> calls{{root, 0}};
    while (!calls.empty()) {
      auto& [v, child] = calls.back();
      if (child == 0) {
        index[v] = low[v] = clock++;
        open.push_back(v);
        on_stack[v] = true;
      }
      if (child < next[v].size()) {
        const auto to = next[v][child++];
        if (index[to] == unseen) {
          calls.push_back({to, 0});
        } else if (on_stack[to]) {
          low[v] = std::min(low[v], index[to]);
        }
        continue;
      }
      if (low[v] == index[v]) {
        for (;;) {
          const auto to = open.back();
          open.pop_back();
          on_stack[to] = false;
          part[to] = parts;
          if (to == v) break;
        }
        ++parts;
      }
      const auto done = v;
      calls.pop_back();
      if (!calls.empty()) low[calls.back().node] = std::min(low[calls.back().node], low[done]);
    }
  }
  std::vector<loop*> loop_of(parts, nullptr);
  for (const auto& e : channels_) {
    const auto a = part[find(e->from)];
    if (a != part[find(e->to)]) continue;
    e->in_loop = true;
    if (loop_of[a] == nullptr) {
      loops_.push_back(std::make_unique<loop>());
      loop_of[a] = loops_.back().get();
    }
  }
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < count; ++i) {
    auto& n = *nodes_[i];
    n.in_loop = loop_of[part[i]];
    n.place = parts - part[i];  // parts are found from the ends of the stream on
    auto* const ports = state_->plan.components[state_->stages[n.first()].component]->ports();
    auto* const g = ports == nullptr ? nullptr : ports->gateway();
    if (g == nullptr) continue;
    g->in_loop = n.in_loop != nullptr;
    if (!g->in_loop || !g->kept_open()) continue;
    g->run_over();
    problems.push_back("stage '" + state_->stages[n.first()].info->name +
                       "' is in a loop, so it cannot have feeds: the end of the loop could not be detected");
  }
  for (const auto& l : loops_) {
    // A stage with ports may begin by itself; patterns do nothing without items.
    const auto in_it = [&](const node* n) { return n->in_loop == l.get(); };
    const auto first = std::find_if(nodes_.begin(), nodes_.end(), in_it);
    const bool entered = std::any_of(channels_.begin(), channels_.end(),
                                     [&](const auto& e) { return in_it(e->to) && !e->in_loop; });
    if (!entered &&
        std::none_of(nodes_.begin(), nodes_.end(), [&](node* n) { return in_it(n) && n->begins(); }))
      problems.push_back("stage '" + state_->stages[(*first)->first()].info->name +
                         "' is in a loop that nothing leads into: it would never get items");
  }
  for (const auto& e : channels_) {
    if (e->options().loop_limit != automatic && e->from->in_loop == nullptr && e->to->in_loop == nullptr)
      problems.push_back("the connection from stage '" + state_->stages[e->from->last() - 1].info->name +
                         "' to '" + state_->stages[e->to->first()].info->name +
                         "' is not in a loop, so .loop_limit does nothing");
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
  for (const auto& e : channels_) {
    auto* const l = e->to->in_loop;
    if (l == nullptr) continue;
    if (!e->in_loop) l->entries.push_back(e.get());
    if (e->options().loop_limit != automatic) {
      l->limit = e->options().loop_limit;
      l->credit = std::min(l->credit, std::max<std::int64_t>(1, l->limit / 2));
    }
  }
  // End hooks are called along the stream, from the entries on.
  for (auto& l : loops_) {
    std::deque<node*> walk;
    for (const auto* e : l->entries) walk.push_back(e->to);
    for (auto* n : nodes_) {
      if (n->in_loop == l.get()) walk.push_back(n);
    }
    while (!walk.empty()) {
      auto* const n = walk.front();
      walk.pop_front();
      if (std::find(l->nodes.begin(), l->nodes.end(), n) != l->nodes.end()) continue;
      n->place_in_loop = l->nodes.size();
      l->nodes.push_back(n);
      std::size_t at = 0;
      for (const auto& o : n->out) {
        if (o.to != nullptr && o.to->in_loop)
          walk.insert(walk.begin() + static_cast<std::ptrdiff_t>(at++), o.to->to);
      }
    }
  }
}

// For each ordered merge, the split whose order it restores: where the ways back from its inputs meet. All
// that lies between hands ranks on.
void graph_engine::find_ranks() {
  std::vector<std::string> problems;
  struct pair {
    node* split;
    node* merge;
    bool one_way_each;
  };
  std::vector<pair> pairs;
  for (auto* merge : nodes_) {
    auto* const m = state_->plan.components[state_->stages[merge->first()].component]->ports();
    if (m == nullptr || m->role() != model::order_role::restores) continue;
    const auto& name = state_->stages[merge->first()].info->name;
    node* split = nullptr;
    bool ok = true;
    std::vector<channel*> between;
    std::vector<const channel*> branches;
    for (auto* e : merge->in) {
      int depth = 0;
      for (;;) {
        between.push_back(e);
        auto* const n = e->from;
        auto* const p = state_->plan.components[state_->stages[n->first()].component]->ports();
        const auto role = p == nullptr ? model::order_role::none : p->role();
        if (role == model::order_role::gives && depth-- == 0) {
          ok = ok && (split == nullptr || split == n);
          split = n;
          branches.push_back(e);
          break;
        }
        if (role == model::order_role::restores) ++depth;
        if (n->in.size() != 1 && role != model::order_role::restores) {
          ok = false;
          break;
        }
        e = n->in.front();
      }
    }
    if (!ok || split == nullptr) {
      problems.push_back(
          "stage '" + name +
          "': an ordered tw::merge joins the branches of one tw::split or tw::tee, but its inputs do not all "
          "come from the same one");
      continue;
    }
    split->gives_ranks = true;
    for (auto* e : between) e->ranked = true;
    std::sort(branches.begin(), branches.end());
    pairs.push_back({split, merge, std::adjacent_find(branches.begin(), branches.end()) == branches.end()});
  }
  for (const auto& [split, merge, one_way_each] : pairs) {
    auto* const s = state_->plan.components[state_->stages[split->first()].component]->ports();
    const bool nested = split->in.front()->ranked;
    s->give_ranks(nested);
    if (nested) keeps_ranks_.emplace_back(split, merge);
    state_->plan.components[state_->stages[merge->first()].component]->ports()->follow(*s, nested,
                                                                                       one_way_each);
  }
  for (const auto& e : channels_) {
    if (e->ranked && e->options().pipe)
      problems.push_back("the pipe in front of stage '" + state_->stages[e->to->first()].info->name +
                         "' is a custom one, which does not carry what the ordered tw::merge after it needs");
    if (e->ranked && e->in_loop)
      problems.push_back(
          "stage '" + state_->stages[e->to->first()].info->name +
          "' is in a loop between a tw::split and an ordered tw::merge: a loop keeps no order");
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
}

// Whose end hooks send items that a paced source's due times are missing for.
void graph_engine::find_paced() {
  std::deque<node*> open;
  for (auto* n : nodes_) {
    if (n->in.empty() && state_->stages[n->first()].info->source.paced) open.push_back(n);
  }
  while (!open.empty()) {
    auto* const n = open.front();
    open.pop_front();
    if (n->paced) continue;
    n->paced = true;
    for (const auto& o : n->out) {
      if (o.to != nullptr) open.push_back(o.to->to);
    }
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
