// The threads policy: a thread for each serial stage and for each replica of a farm. What lies between them
// is told in crossing.hpp, what each does in agent.hpp; here the two are put together and the threads live.
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

#include "../network/policies.hpp"
#include "agent.hpp"
#include "crossing.hpp"
#include "layout.hpp"
#include "worker.hpp"

namespace thalweg::run_detail {

namespace {

using namespace dedicated;

// Binds the calling thread for as long as this lives: the thread may be the user's.
class bound {
 public:
  explicit bound(const std::vector<int>& processors) {
    if (processors.empty()) return;
    was_known_ = sched_getaffinity(0, sizeof before_, &before_) == 0;
    bind_to(processors);
  }
  bound(const bound&) = delete;
  bound& operator=(const bound&) = delete;
  ~bound() {
    if (was_known_) (void)sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool was_known_ = false;
};

class threads_engine final : public engine {
 public:
  threads_engine(std::unique_ptr<run_state> s, const threads& policy)
      : engine(std::move(s)), nodes_(lay_out(*state_, policy)) {
    describe();
    connect(static_cast<std::size_t>(policy.slots));
    employ(policy);
    alive_.store(workers_.size(), std::memory_order_relaxed);
  }

  ~threads_engine() override { join_threads(); }

  void start(bool) override {
    const auto* const caller = on_caller_.load(std::memory_order_relaxed);
    auto missing = workers_.size() - (caller != nullptr ? 1 : 0);
    try {
      for (auto& w : workers_) {
        if (&w == caller) continue;
        threads_.emplace_back([this, &w] { live(w); });
        --missing;
      }
    } catch (...) {
      // The system has no more threads: those that run must not wait for the others.
      state_->fail(std::current_exception(), 0);
      wake();
      leave(missing);
    }
  }

  void join() override {
    if (auto* const mine = on_caller_.exchange(nullptr)) live(*mine);
    state_->wait_done();
    join_threads();
  }

  void wake() override {
    for (auto& w : workers_) w.thread.ring();
  }

 private:
  // A thread, and where and under which name it runs.
  struct place {
    place(run_state& run, const node& n, std::vector<int> to) : thread(run), at(n), pin(std::move(to)) {}
    worker thread;
    const node& at;
    std::vector<int> pin;
  };

  void describe() {
    auto& run = *state_;
    for (const auto& n : nodes_) {
      for (auto i = n.first; i < n.last; ++i) {
        run.plan.components[run.stages[i].component]->prepare(run.stages[i].stage, n.replicas);
        run.replicas[i] = static_cast<int>(n.replicas);
        if (n.last - n.first > 1) run.segments[i] = static_cast<int>(n.first);
      }
    }
  }

  // A region is what lies between two serial nodes.
  void connect(std::size_t slots) {
    for (std::size_t begin = 0; begin + 1 < nodes_.size();) {
      std::vector<std::size_t> replicas;
      auto end = begin + 1;
      bool ordered = true;
      for (; end < nodes_.size() && !nodes_[end].serial(); ++end) {
        replicas.push_back(nodes_[end].replicas);
        ordered = ordered && !nodes_[end].unordered;
      }
      // Behind a farm that nothing follows nobody sees an order.
      ordered = ordered && end < nodes_.size();
      std::shared_ptr<itinerary> route;
      if (ordered && !replicas.empty()) {
        const auto most = *std::max_element(replicas.begin(), replicas.end());
        route = std::make_shared<itinerary>(replicas, (slots + 2) * most);
      }
      end = std::min(end, nodes_.size() - 1);
      for (auto i = begin; i < end; ++i) {
        crossing::shape shape;
        shape.from = &nodes_[i];
        shape.to = &nodes_[i + 1];
        shape.route = route;
        shape.level = i - begin;
        shape.slots = slots;
        shape.stage = nodes_[i].last - 1;
        crossings_.push_back(std::make_unique<crossing>(*state_, shape));
      }
      begin = end;
    }
  }

  void employ(const threads& policy) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto& n = nodes_[i];
      for (std::size_t r = 0; r < n.replicas; ++r) {
        auto* w = n.on_caller ? on_caller_.load(std::memory_order_relaxed) : nullptr;
        if (w == nullptr) {
          w = &workers_.emplace_back(*state_, n, pin_of(n, policy));
          if (n.on_caller) on_caller_.store(w, std::memory_order_relaxed);
        }
        agents_.push_back(std::make_unique<agent>(*state_, n, r, w->thread,
                                                  i > 0 ? &crossings_[i - 1]->to(r) : nullptr,
                                                  i + 1 < nodes_.size() ? &crossings_[i]->from(r) : nullptr));
      }
    }
    state_->workers = static_cast<int>(workers_.size());
    if (state_->workers > cores()) {
      for (auto& w : workers_) w.thread.share_the_core();
    }
  }

  // Of the thread that is employed next.
  [[nodiscard]] std::vector<int> pin_of(const node& n, const threads& policy) const {
    if (!n.pin.empty() || policy.pin.empty()) return n.pin;
    return {policy.pin[workers_.size() % policy.pin.size()]};
  }

  void live(place& p) {
    auto& run = *state_;
    run.guard(0, 0, 0, [&] {
      const bound here(p.pin);
      const auto [first, last] = p.thread.stages();
      auto& log = run.new_log(first, last - first);
      if (run.trace) {
        const auto& name = run.stages[std::min(p.at.first, run.stages.size() - 1)].info->name;
        run.trace->name_thread(static_cast<std::size_t>(log.number), name);
      }
      p.thread.work(log);
    });
    if (run.cancelled.load(std::memory_order_acquire)) wake();
    leave(1);
  }

  void leave(std::size_t n) {
    if (n > 0 && alive_.fetch_sub(n, std::memory_order_acq_rel) == n) state_->finished();
  }

  void join_threads() {
    const std::lock_guard hold(joining_);
    for (auto& t : threads_) {
      if (t.joinable()) t.join();
    }
  }

  std::vector<node> nodes_;
  std::vector<std::unique_ptr<crossing>> crossings_;
  std::deque<place> workers_;
  std::vector<std::unique_ptr<agent>> agents_;
  std::atomic<place*> on_caller_{nullptr};  // until its thread has come
  std::vector<std::thread> threads_;
  std::mutex joining_;
  std::atomic<std::size_t> alive_{0};
};

}  // namespace

std::shared_ptr<engine> make_threads(std::unique_ptr<run_state> state, const void* policy) {
  const auto& how = *static_cast<const threads*>(policy);
  if (!state->plan.is_line || state->plan.divides_keys() || how.resizable || state->others)
    return make_network(std::move(state), how);
  return std::make_shared<threads_engine>(std::move(state), how);
}

}  // namespace thalweg::run_detail
