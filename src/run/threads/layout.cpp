#include "layout.hpp"

#include <string>

namespace thalweg::run_detail::dedicated {

void require_valid(const threads& policy) {
  auto problems = unusable_processors("the policy threads", policy.pin);
  if (policy.replicas != automatic && policy.replicas < 1)
    problems.push_back("the policy threads must have at least 1 replica, not " +
                       std::to_string(policy.replicas));
  if (policy.slots < 1)
    problems.push_back("the policy threads must have at least 1 slot in its rings, not " +
                       std::to_string(policy.slots));
  if (!problems.empty()) throw invalid_job(std::move(problems));
}

std::vector<node> lay_out(const run_state& run, const threads& policy) {
  require_valid(policy);
  const auto& stages = run.stages;
  std::vector<node> nodes;
  for (std::size_t i = 0; i < stages.size();) {
    const auto& info = *stages[i].info;
    node n;
    n.first = i++;
    while (i < stages.size() && (same_farm(stages[i - 1], stages[i]) ||
                                 (policy.fuse && can_share_thread(stages[i - 1], stages[i])))) {
      ++i;
    }
    n.last = i;
    n.parts = parts_of(run, n.first, n.last);
    n.capacity = info.opts.capacity;
    n.on_caller = info.opts.on == placement::caller_thread;
    for (auto s = n.first; s < n.last && n.pin.empty(); ++s) n.pin = stages[s].info->opts.pin;
    if (info.farm >= 0) {
      n.replicas = static_cast<std::size_t>(info.replicas == automatic ? cores() : info.replicas);
      n.unordered = info.unordered;
      n.dealing = info.opts.schedule;
    }
    nodes.push_back(std::move(n));
  }
  if (policy.replicas != automatic) {
    std::vector<std::size_t*> farms;
    for (auto& n : nodes) {
      if (stages[n.first].info->farm >= 0) farms.push_back(&n.replicas);
    }
    limit_replicas(farms, static_cast<std::size_t>(policy.replicas));
  }

  // Items can be dealt in turn or by a function only where somebody sees them in order.
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i - 1].serial() || nodes[i].serial() || nodes[i].dealing.how() == schedule::kind::on_demand)
      continue;
    node between;
    between.first = between.last = nodes[i].first;
    nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(i), std::move(between));
    ++i;
  }
  return nodes;
}

}  // namespace thalweg::run_detail::dedicated
