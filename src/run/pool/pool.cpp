// The pool policy: as many workers as cores share all stages. See docs/engine.md for the protocol.
#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/pause.hpp>

#include <algorithm>
#include <limits>

#include "../network/policies.hpp"
#include "../parts.hpp"
#include "engine.hpp"

namespace thalweg::run_detail::pooled {

pool_engine::pool_engine(std::unique_ptr<run_state> s, const pool& policy)
    : engine(std::move(s)), policy_(policy) {
  auto& run = *state_;
  workers_ = policy.workers == automatic ? cores() : policy.workers;
  auto problems = unusable_processors("the policy pool", policy.pin);
  if (workers_ < 1 || workers_ > most_workers) {
    problems.push_back("the policy pool must have at least 1 worker and at most " +
                       std::to_string(most_workers) + ", not " + std::to_string(workers_));
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
  run.workers = workers_;
  lay_out();
  idle_ = std::make_unique<pipe::idle_set>(static_cast<std::size_t>(workers_));
  idle_agents_ = std::make_unique<pipe::idle_set>(std::max<std::size_t>(1, agents_.size()));
  cost_ns_.assign(run.stages.size(), 0);
  current_.store(choose_partition(), std::memory_order_release);
}

pool_engine::~pool_engine() {
  for (auto& t : threads_) {
    if (t.joinable()) t.join();
  }
}

void pool_engine::start(bool on_caller) {
  const std::lock_guard hold(spawning_);
  caller_is_worker_ = on_caller && !caller_agent_;
  caller_owed_ = caller_is_worker_ || caller_agent_ != nullptr;
  alive_ = caller_owed_ ? 1 : 0;
  try {
    for (auto& a : agents_) {
      if (a.get() != caller_agent_) spawn_thread(*a);
    }
    spawned_ = 1;
    auto& first = new_worker();
    if (!caller_is_worker_) spawn_thread(first);
  } catch (...) {
    state_->cancel();  // for those that are there already
    prepared();
    throw;
  }
}

void pool_engine::join() {
  bool mine = false;
  {
    const std::lock_guard hold(spawning_);
    mine = std::exchange(caller_owed_, false);
  }
  if (mine) {
    const affinity_guard callers;
    thread_main(caller_agent_ != nullptr ? *caller_agent_ : *workers_list_.front());
  }
  state_->wait_done();
  const std::lock_guard hold(joining_);
  for (auto& t : threads_) {
    if (t.joinable()) t.join();
  }
}

void pool_engine::wake() {
  idle_->wake_all();
  idle_agents_->wake_all();
  progress_.made();
  state_->release_waiters();
}

void pool_engine::set_replicas(std::string_view name, int n) {
  auto& run = *state_;
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    const auto& info = *run.stages[i].info;
    if (info.name != name && info.name.substr(0, name.size() + 1) != std::string(name) + "/") continue;
    if (info.farm < 0) throw error("set_replicas: stage '" + std::string(name) + "' is serial");
    if (farm_wants_own_threads(i)) {
      throw error("set_replicas: the replicas of '" + std::string(name) +
                  "' have threads of their own, which cannot change");
    }
    const auto to = std::min<int>(n, most_replicas);
    std::vector<std::size_t> farm;
    for (std::size_t k = 0; k < run.stages.size(); ++k) {
      if (farm_of_stage_[k] == farm_of_stage_[i]) farm.push_back(k);
    }
    run.resized(farm, farm_of_stage_[i]->allow(to), to);
    idle_->wake_one();
    return;
  }
  throw error("set_replicas: there is no stage '" + std::string(name) + "'" + meant_stage(run, name));
}

worker& pool_engine::new_worker() {
  auto w = std::make_unique<worker>();
  w->number = workers_list_.size();
  workers_list_.push_back(std::move(w));
  return *workers_list_.back();
}

void pool_engine::spawn_thread(worker& w) {
  threads_.emplace_back([this, &w] { thread_main(w); });  // it takes `spawning_` before it leaves
  ++alive_;
}

void pool_engine::recruit(worker& by) {
  if (idle_->wake_one()) {
    by.log->work.wakes.add();
    return;
  }
  if (spawned_.load(std::memory_order_relaxed) >= workers_) return;
  const std::lock_guard hold(spawning_);
  if (spawned_.load(std::memory_order_relaxed) >= workers_ || stopping()) return;
  spawned_.fetch_add(1, std::memory_order_relaxed);
  auto& w = new_worker();
  try {
    spawn_thread(w);
  } catch (const std::system_error&) {
    // The system gives no more threads: it goes on with those there are.
  }
}

void pool_engine::thread_main(worker& w) {
  w.log = &state_->new_log();
  if (state_->trace) state_->trace->name_thread(static_cast<std::size_t>(w.log->number), name_of(w));
  const bool bound = state_->guard(0, 0, 0, [&] {
    if (w.agent) {
      bind_to(state_->stages[w.stage].info->opts.pin);
    } else if (!policy_.pin.empty()) {
      bind_to({policy_.pin[w.number % policy_.pin.size()]});
    }
    for (std::size_t c = 0; c < state_->plan.components.size(); ++c) {
      w.contexts.push_back(std::make_unique<pool_context>(*this, w, *state_, *w.log, c));
    }
  });
  try {
    if (bound) work(w);
  } catch (const thalweg::cancelled&) {
    // Whoever threw it has said why.
  } catch (...) {
    state_->fail(std::current_exception(), at_the_end);  // no memory for a chunk, say
  }
  if (!w.agent && w.number == 0) prepared();
  bool last = false;
  {
    const std::lock_guard hold(spawning_);
    last = --alive_ == 0;
  }
  if (state_->cancelled.load(std::memory_order_acquire)) wake();
  if (last) state_->finished();
}

std::string pool_engine::name_of(const worker& w) const {
  return w.agent ? "thread of " + state_->stages[w.stage].info->name : "worker " + std::to_string(w.number);
}

void pool_engine::prepared() {
  prepared_.store(true, std::memory_order_release);
  prepared_.notify_all();
}

void pool_engine::work(worker& w) {
  if (!w.agent && w.number == 0) {
    start_serial_stages();
    prepared();
  }
  if (w.agent) {
    start_own_stages(w);
    prepared_.wait(false, std::memory_order_acquire);
  }
  while (!stopping()) {
    const auto begin = observe::now_ns() - w.log->waited_ns;
    bool any = false;
    while (!stopping() && find_work(w)) any = true;
    if (any) w.log->work.busy_ns.add_ns(observe::now_ns() - w.log->waited_ns - begin);
    if (!stopping()) rest(w);
  }
}

bool pool_engine::find_work(worker& w) {
  auto& p = *current_.load(std::memory_order_acquire);
  for (std::size_t i = p.nodes.size(); i-- > 1;) {
    if (executes(w, *p.nodes[i]) && try_node(w, *p.nodes[i])) return true;
  }
  return executes(w, p.source()) && try_source(w);
}

bool pool_engine::help(worker& w, std::size_t behind) {
  auto& p = *current_.load(std::memory_order_acquire);
  for (std::size_t i = p.nodes.size(); i-- > behind + 1;) {
    if (executes(w, *p.nodes[i]) && try_node(w, *p.nodes[i])) return true;
  }
  return false;
}

bool pool_engine::try_node(worker& w, node& n) {
  if (n.serial()) {
    if (is_due(n)) return fire_timer(w, n);
    return is_drainable(n) && drain(w, n);
  }
  if (is_due_in_farm(n) && fire_farm_timers(w, n)) return true;
  if (is_ending(n) && finish_own_farm(w, n)) return true;
  if (n.ready_count.load(std::memory_order_acquire) == 0) return false;
  chunk_ptr c;
  bool fresh = false;
  int replica = farm_slots::none;
  {
    const std::lock_guard hold(n.ready_lock);
    c = n.take_ready(w.number, replica, fresh);
  }
  if (!c) return false;
  carry_on(w, n, std::move(c), replica, fresh);
  return true;
}

bool pool_engine::has_work(const worker& w) const {
  if (stopping()) return true;
  const auto& p = *current_.load(std::memory_order_acquire);
  for (std::size_t i = 1; i < p.nodes.size(); ++i) {
    auto& n = *p.nodes[i];
    if (!executes(w, n)) continue;
    if (n.serial() ? is_drainable(n) || is_due(n) : n.has_ready() || is_due_in_farm(n) || is_ending(n)) {
      return true;
    }
  }
  if (!executes(w, p.source()) || !source_open()) return false;
  if (state_->ending.load(std::memory_order_acquire)) return true;
  return !state_->paused() && can_send(p.source()) && first_item_ns() <= 0 &&
         (w.agent || !reserved_.keeps_out(w.number)) &&
         (!want_inline_.load(std::memory_order_relaxed) || quiet(p));
}

void pool_engine::rest(worker& w) {
  if (!w.agent) reserved_.lift(w.number);
  while (!look_around(w) && !nap(w)) {
  }
  // Who works cannot watch.
  if (!w.agent && fill_.resign(static_cast<int>(w.number))) recruit(w);
}

bool pool_engine::look_around(worker& w) const {
  for (const auto until = observe::now_ns() + w.spin_ns; observe::now_ns() < until;) {
    if (has_work(w)) return true;
    for (int i = 0; i < 16; ++i) pipe::cpu_pause();
  }
  return false;
}

bool pool_engine::nap(worker& w) {
  auto& idle = w.agent ? *idle_agents_ : *idle_;
  idle.register_idle(w.number);
  const auto first =
      w.agent ? 0 : first_item_ns();  // before the last look, which may see that the time is up
  if (has_work(w)) {
    if (!idle.cancel_idle(w.number)) idle.wake_one();
    return true;
  }
  w.log->work.parks.add();
  const auto begin = observe::now_ns();
  const auto wait_for = first > 0 ? first : nap_ns(w);
  if (wait_for < 0) {
    idle.park(w.number);
  } else {
    idle.park_until(w.number, std::chrono::steady_clock::now() + std::chrono::nanoseconds(wait_for));
  }
  const auto slept = observe::now_ns() - begin;
  w.log->work.idle_ns.add_ns(slept);
  // A sleep that was over at once was not worth its wake-up.
  w.spin_ns = slept < longest_spin_ns ? std::min(2 * w.spin_ns, longest_spin_ns)
                                      : std::max(w.spin_ns / 2, shortest_spin_ns);
  return w.agent || (fill_.look(static_cast<int>(w.number)) && steal(w)) || has_work(w);
}

std::int64_t pool_engine::nap_ns(worker& w) {
  if (w.agent) {
    auto when = std::numeric_limits<std::int64_t>::max();
    const auto& p = *current_.load(std::memory_order_acquire);
    for (const auto& n : p.nodes) {
      if (executes(w, *n)) when = std::min(when, next_deadline(*n));
    }
    if (when == std::numeric_limits<std::int64_t>::max()) return -1;
    return std::max<std::int64_t>(50'000, when - observe::now_ns());
  }
  return fill_.watch(static_cast<int>(w.number)) ? watch_ns : -1;
}

}  // namespace thalweg::run_detail::pooled

namespace thalweg::run_detail {

std::shared_ptr<engine> make_pool(std::unique_ptr<run_state> state, const void* policy) {
  if (!state->plan.is_line || state->plan.divides_keys() || state->others)
    return make_network(std::move(state), *static_cast<const pool*>(policy));
  return std::make_shared<pooled::pool_engine>(std::move(state), *static_cast<const pool*>(policy));
}

}  // namespace thalweg::run_detail
