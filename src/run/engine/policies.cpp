// What each policy says of the engine: which threads there are, and how many.
#include <thalweg/run/back_end.hpp>
#include <thalweg/run/engine.hpp>
#include <thalweg/run/policy.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "../tuning.hpp"
#include "graph_engine.hpp"

namespace THALWEG_NAMESPACE::run_detail {

std::shared_ptr<engine> make_sequential(std::unique_ptr<run_state> state, const void*) {
  dataflow::shape how;
  how.sequential = true;
  return std::make_shared<dataflow::graph_engine>(std::move(state), std::move(how));
}

std::shared_ptr<engine> make_pool(std::unique_ptr<run_state> state, const void* of) {
  const auto& policy = *static_cast<const pool*>(of);
  auto problems = unusable_processors("the policy pool", policy.pin);
  if (policy.workers != automatic && (policy.workers < 1 || policy.workers > most_workers))
    problems.push_back("the policy pool must have between 1 and " + std::to_string(most_workers) +
                       " workers, not " + std::to_string(policy.workers));
  if (!problems.empty()) throw invalid_job(std::move(problems));
  dataflow::shape how;
  how.workers = policy.workers == automatic ? cores() : policy.workers;
  how.replicas = how.workers;
  how.may_overcommit = policy.workers == automatic && policy.pin.empty() && how.workers > 1;
  how.pin = policy.pin;
  return std::make_shared<dataflow::graph_engine>(std::move(state), std::move(how));
}

std::shared_ptr<engine> make_threads(std::unique_ptr<run_state> state, const void* of) {
  const auto& policy = *static_cast<const threads*>(of);
  auto problems = unusable_processors("the policy threads", policy.pin);
  if (policy.replicas != automatic && policy.replicas < 1)
    problems.push_back("the policy threads must have at least 1 replica, not " +
                       std::to_string(policy.replicas));
  if (policy.slots < 1)
    problems.push_back("the policy threads must have at least 1 slot between two stages, not " +
                       std::to_string(policy.slots));
  if (!problems.empty()) throw invalid_job(std::move(problems));
  dataflow::shape how;
  how.thread_each = true;
  how.fuse = policy.fuse;
  how.replicas = cores();
  how.most_replicas = policy.replicas;
  how.pin = policy.pin;
  how.slots = static_cast<std::size_t>(policy.slots);
  if (policy.replicas != automatic && std::none_of(state->stages.begin(), state->stages.end(),
                                                   [](const auto& s) { return s.info->farm >= 0; }))
    state->statistics.notes.push_back(
        "threads:" + std::to_string(policy.replicas) +
        " bounds the replicas of farms, but this job has no farm, so the number does nothing");
  return std::make_shared<dataflow::graph_engine>(std::move(state), std::move(how));
}

namespace dataflow {

namespace {

// Nodes that are ready are tasks of another runtime.
class task_group final : public worker_group {
 public:
  task_group(graph_engine& n, task_runtime& r) : net_(n), runtime_(r) {}

  void submit(node& n, turn when, bool) override {
    if (!net_.enter()) return;
    (void)ready_.push(n, when);
    runtime_.submit([this] {
      if (auto* const next = take()) {
        worker w(*this, log_of_thread());
        net_.execute(*next, w);
        for (auto* d : w.polling) {
          if (d->fall_asleep()) d->notify(&w);
        }
      }
      net_.leave();
    });
  }
  node* take(std::size_t beyond = 0) override { return ready_.pop(beyond); }
  [[nodiscard]] std::size_t ready() const noexcept override { return ready_.size(); }
  // As far as can be told: what waits is a task for any thread.
  [[nodiscard]] bool has_idle() const noexcept override { return net_.how().workers > 1 && ready() == 0; }
  void wake() noexcept override {}

 private:
  // One for each thread that has executed something. A thread remembers the one that it used last; it may
  // have worked for another run meanwhile, which an operator of this one has begun.
  thread_log& log_of_thread() {
    thread_local std::pair<std::uint64_t, thread_log*> mine{0, nullptr};
    if (mine.first != run_number_) {
      const std::lock_guard hold(logs_lock_);
      auto& log = logs_[std::this_thread::get_id()];
      if (log == nullptr) log = &net_.run().counters.new_log(0, 0);
      mine = {run_number_, log};
    }
    return *mine.second;
  }

  graph_engine& net_;
  task_runtime& runtime_;
  ready_queue ready_;
  std::mutex logs_lock_;
  std::map<std::thread::id, thread_log*> logs_;
  const std::uint64_t run_number_ = [] {
    static std::atomic<std::uint64_t> runs{0};
    return runs.fetch_add(1) + 1;
  }();
};

}  // namespace
}  // namespace dataflow

std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state,
                                     std::unique_ptr<task_runtime> runtime) {
  dataflow::shape how;
  how.workers = std::max(1, runtime->threads());
  how.replicas = how.workers;
  const std::shared_ptr<task_runtime> kept = std::move(runtime);
  how.home = [kept](dataflow::graph_engine& n) -> std::unique_ptr<dataflow::worker_group> {
    return std::make_unique<dataflow::task_group>(n, *kept);
  };
  how.hire = [kept](const auto&) { kept->join_in(); };
  how.dismiss = [kept] { kept->run_over(); };
  return std::make_shared<dataflow::graph_engine>(std::move(state), std::move(how));
}

std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state,
                                     std::unique_ptr<team_runtime> runtime) {
  dataflow::shape how;
  how.workers = std::max(1, runtime->threads());
  how.replicas = how.workers;
  const std::shared_ptr<team_runtime> kept = std::move(runtime);
  how.hire = [kept](const std::function<void(std::size_t)>& life) { kept->run(life); };
  return std::make_shared<dataflow::graph_engine>(std::move(state), std::move(how));
}

}  // namespace THALWEG_NAMESPACE::run_detail
