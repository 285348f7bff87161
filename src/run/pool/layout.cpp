// What the pool makes of a plan: farms, threads of their own, nodes; and the start of stages.
#include <algorithm>
#include <iterator>

#include "engine.hpp"

namespace thalweg::run_detail::pooled {

void pool_engine::lay_out() {
  auto& run = *state_;
  farm_of_stage_.assign(run.stages.size(), nullptr);
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    const auto& s = run.stages[i];
    auto& component = *run.plan.components[s.component];
    if (s.info->farm < 0) {
      component.prepare(s.stage, 1);
      if (i > 0 && run.stages[i - 1].info->farm >= 0) run.reorder_slots[i] = window_slots;
      if (wants_own_thread(*s.info)) add_agent(i, s.info->opts.on == placement::caller_thread);
      continue;
    }
    component.prepare(s.stage, most_replicas);
    const auto& before = i > 0 ? run.stages[i - 1] : s;
    if (i > 0 && before.component == s.component && before.info->farm == s.info->farm) {
      farm_of_stage_[i] = farm_of_stage_[i - 1];
      run.replicas[i] = run.replicas[i - 1];
      continue;
    }
    const bool own = farm_wants_own_threads(i);
    const int wanted = s.info->replicas != automatic ? s.info->replicas
                       : own                         ? cores()
                                                     : std::max(workers_, 1);
    const int n = std::min<int>(wanted, most_replicas);
    run.replicas[i] = n;
    farms_.push_back(std::make_unique<farm_slots>(n, most_replicas));
    farm_of_stage_[i] = farms_.back().get();
    for (int k = 0; own && k < n; ++k) add_agent(i, s.info->opts.on == placement::caller_thread);
  }
  // Can the whole stream run as one loop on one worker?
  if (run.plan.components.size() == 1) {
    const auto& infos = run.plan.components.front()->stages();
    can_inline_ = std::none_of(infos.begin(), infos.end(), [](const auto& s) {
      return wants_own_thread(s) || !s.opts.on_error.plain() || s.source.pushes ||
             s.opts.schedule.how() != schedule::kind::on_demand;
    });
  }
  starting_.store(workers_ > 1 && !wants_own_thread(*run.stages.front().info), std::memory_order_relaxed);
  inlining_ = can_inline_ && workers_ == 1;
}

bool pool_engine::farm_wants_own_threads(std::size_t i) const {
  const auto& stages = state_->stages;
  return std::any_of(stages.begin(), stages.end(), [&](const auto& s) {
    return s.component == stages[i].component && s.info->farm == stages[i].info->farm &&
           wants_own_thread(*s.info);
  });
}

void pool_engine::add_agent(std::size_t stage, bool caller) {
  auto a = std::make_unique<worker>();
  a->agent = true;
  a->number = agents_.size();
  a->stage = stage;
  if (caller) {
    if (caller_agent_ != nullptr) {
      // One thread, several nodes: it takes them in turn.
      caller_stages_.push_back(stage);
      return;
    }
    caller_agent_ = a.get();
    caller_stages_.push_back(stage);
  }
  agents_.push_back(std::move(a));
}

partition* pool_engine::choose_partition() {
  auto& run = *state_;
  auto made = cut(run, cost_ns_, farms_);
  auto same = std::find_if(partitions_.begin(), partitions_.end(),
                           [&](const auto& p) { return same_cut(*p, *made); });
  if (same == partitions_.end()) {
    assign_agents(*made);
    partitions_.push_back(std::move(made));
    same = std::prev(partitions_.end());
  }
  auto& p = **same;
  std::vector<int> segments(run.stages.size(), -1);
  for (auto& n : p.nodes) {
    double cost = 0;
    for (const auto& q : n->parts) {
      for (auto s = q.first; s <= q.last(); ++s) {
        if (q.stages.last - q.stages.first > 1) segments[s] = static_cast<int>(q.first);
        cost += cost_ns_[s];
      }
    }
    n->per_item.store(cost, std::memory_order_relaxed);
    n->high.store(cost, std::memory_order_relaxed);
  }
  run.fused(std::move(segments));
  return &p;
}

void pool_engine::assign_agents(partition& p) {
  for (auto& n : p.nodes) {
    if (n->parts.empty() || !wants_own_thread(*state_, n->parts.front().first, n->parts.back().last() + 1)) {
      continue;
    }
    for (const auto& a : agents_) {
      if (a->stage == n->parts.front().first) n->agents.push_back(a->number);
    }
    if (n->agents.empty()) n->agents.push_back(caller_agent_->number);
  }
}

void pool_engine::start_stage(std::size_t i, int replica) {
  const auto& s = state_->stages[i];
  if (!state_->guard(s.component, 0, replica, [&] {
        state_->plan.components[s.component]->start({s.stage, s.stage + 1},
                                                    static_cast<std::size_t>(replica));
      })) {
    throw thalweg::cancelled{};
  }
}

void pool_engine::start_serial_stages() {
  for (std::size_t i = 0; i < state_->stages.size(); ++i) {
    const auto& info = *state_->stages[i].info;
    if (info.farm < 0 && !wants_own_thread(info)) start_stage(i, 0);
  }
}

void pool_engine::start_own_stages(worker& w) {
  if (&w == caller_agent_) {
    for (const auto s : caller_stages_) {
      if (state_->stages[s].info->farm < 0) start_stage(s, 0);
    }
  } else if (state_->stages[w.stage].info->farm < 0) {
    start_stage(w.stage, 0);
  }
}

void pool_engine::start_farm(const farm_slots* farm, int replica) {
  for (std::size_t i = 0; i < farm_of_stage_.size(); ++i) {
    if (farm_of_stage_[i] == farm) start_stage(i, replica);
  }
}

}  // namespace thalweg::run_detail::pooled
