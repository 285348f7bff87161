#include "policies.hpp"

#include "../pool/tuning.hpp"
#include "net.hpp"

namespace thalweg::run_detail {

namespace {

void check(std::vector<std::string> problems) {
  if (!problems.empty()) throw invalid_job(std::move(problems));
}

}  // namespace

std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state, const sequential&) {
  network::shape how;
  how.sequential = true;
  return std::make_shared<network::net>(std::move(state), std::move(how));
}

std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state, const pool& policy) {
  auto problems = unusable_processors("the policy pool", policy.pin);
  if (policy.workers != automatic && (policy.workers < 1 || policy.workers > pooled::most_workers))
    problems.push_back("the policy pool must have between 1 and " + std::to_string(pooled::most_workers) +
                       " workers, not " + std::to_string(policy.workers));
  check(std::move(problems));
  network::shape how;
  how.workers = policy.workers == automatic ? cores() : policy.workers;
  how.replicas = how.workers;
  how.pin = policy.pin;
  return std::make_shared<network::net>(std::move(state), std::move(how));
}

std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state, const threads& policy) {
  auto problems = unusable_processors("the policy threads", policy.pin);
  if (policy.replicas != automatic && policy.replicas < 1)
    problems.push_back("the policy threads must have at least 1 replica, not " + std::to_string(policy.replicas));
  if (policy.slots < 1)
    problems.push_back("the policy threads must have at least 1 slot in its rings, not " +
                       std::to_string(policy.slots));
  check(std::move(problems));
  network::shape how;
  how.thread_each = true;
  how.fuse = policy.fuse;
  how.replicas = cores();
  how.most_replicas = policy.replicas;
  how.pin = policy.pin;
  how.slots = static_cast<std::size_t>(policy.slots);
  return std::make_shared<network::net>(std::move(state), std::move(how));
}

}  // namespace thalweg::run_detail
