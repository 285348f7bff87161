#include <thalweg/model/errors.hpp>
#include <thalweg/pattern/batch.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace model {

std::string problem_of(const batch_limits& limits) {
  if (limits.items < 0) return "a batch must hold at least 1 item, not " + std::to_string(limits.items);
  if (limits.bytes < 0) return "a batch must hold at least 1 byte, not " + std::to_string(limits.bytes);
  if (limits.interval.count() < 0) return "its interval is negative";
  if (limits.items == 0 && limits.bytes == 0 && limits.interval.count() == 0)
    return "a batch would never be closed: give it a limit of items, bytes or time";
  return {};
}

std::string fixed_limits::problem() const {
  if (counts && first.items == 0) return "a batch must hold at least 1 item, not 0";
  return problem_of(first);
}

void told_limits::set(const batch_limits& limits) {
  const std::lock_guard hold(lock_);
  now_ = limits;
  version_.fetch_add(1, std::memory_order_relaxed);
}

batch_limits told_limits::now() const {
  const std::lock_guard hold(lock_);
  return now_;
}

batch_limits told_limits::follow(std::uint64_t& seen) {
  const std::lock_guard hold(lock_);
  followed_.store(true, std::memory_order_relaxed);
  seen = version_.load(std::memory_order_relaxed);
  return now_;
}

}  // namespace model

struct batching::state {
  std::mutex lock;
  batch_limits now;
  std::vector<std::weak_ptr<model::told_limits>> runs;  // of which some may be over

  void forget() {
    std::erase_if(runs, [](const auto& run) { return run.expired(); });
  }
};

batching::batching(batch_limits limits) : state_(std::make_shared<state>()) {
  set(limits);
}

void batching::set(batch_limits limits) {
  if (const auto problem = model::problem_of(limits); !problem.empty()) throw error("batching: " + problem);
  const std::lock_guard hold(state_->lock);
  state_->now = limits;
  state_->forget();
  for (const auto& run : state_->runs) {
    if (const auto told = run.lock()) told->set(limits);
  }
}

batch_limits batching::limits() const noexcept {
  const std::lock_guard hold(state_->lock);
  return state_->now;
}

std::shared_ptr<model::told_limits> batching::of_a_run() const {
  const std::lock_guard hold(state_->lock);
  state_->forget();
  auto told = std::make_shared<model::told_limits>(state_->now);
  state_->runs.push_back(told);
  return told;
}

}  // namespace THALWEG_NAMESPACE
