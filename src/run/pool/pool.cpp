// The pool policy: as many workers as cores share all stages. See docs/engine.md for the protocol.
#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/idle_set.hpp>
#include <thalweg/pipe/pause.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

#include <time.h>

#include "attention.hpp"
#include "fill.hpp"
#include "grant_length.hpp"
#include "partition.hpp"
#include "spares.hpp"
#include "tuning.hpp"

namespace thalweg::run_detail {

namespace {

// The position of what end hooks send: behind all items.
constexpr auto at_the_end = std::numeric_limits<std::int64_t>::max();

class pool_engine;
struct worker;

class pool_context final : public thread_context {
 public:
  pool_context(pool_engine& e, worker& w, run_state& r, thread_log& l, std::size_t c)
      : thread_context(r, l, c), engine_(e), worker_(w) {}
  void flush(std::size_t leaf, pipe::chunk_base& out) override;
  void wait_while_paused() override;

  // What is being executed, for a flush in the middle of it.
  struct place {
    node* at = nullptr;
    std::size_t part = 0;
    std::int64_t seq = 0, position = 0, born_ns = 0;
    int replica = 0;
  };
  place here;

 private:
  pool_engine& engine_;
  worker& worker_;
};

// A context is used again when an operator's output is carried on before the operator has returned.
class saved {
 public:
  explicit saved(pool_context& c)
      : ctx_(c),
        here_(c.here),
        due_(c.due),
        limit_(c.limit),
        limit_bytes_(c.limit_bytes),
        waited_(std::exchange(c.waited_ns, 0)),
        paced_(c.paced),
        sample_(c.sample) {}
  saved(const saved&) = delete;
  saved& operator=(const saved&) = delete;
  ~saved() {
    ctx_.here = here_;
    ctx_.due = due_;
    ctx_.limit = limit_;
    ctx_.limit_bytes = limit_bytes_;
    ctx_.waited_ns += waited_;
    ctx_.paced = paced_;
    ctx_.sample = sample_;
  }

 private:
  pool_context& ctx_;
  pool_context::place here_;
  std::int64_t due_;
  std::size_t limit_, limit_bytes_;
  std::int64_t waited_;
  bool paced_, sample_;
};

// A thread of the run: a worker, which takes whatever is there, or an agent, which executes one node only.
struct worker {
  std::size_t number = 0;
  bool agent = false;
  std::size_t stage = 0;  // an agent's: the first stage of its node
  thread_log* log = nullptr;
  std::vector<std::unique_ptr<pool_context>> contexts;
  std::uint32_t tick = 0;
  /// The serial node whose region this thread is bringing to its end: all that was in it has passed.
  const node* finishing = nullptr;
};

class pool_engine final : public engine {
 public:
  pool_engine(std::unique_ptr<run_state> s, const pool& policy) : engine(std::move(s)), policy_(policy) {
    auto& run = *state_;
    workers_ = policy.workers == automatic ? cores() : policy.workers;
    if (workers_ < 1)
      throw invalid_job({"the policy pool must have at least 1 worker, not " + std::to_string(workers_)});
    check_processors(run.plan, policy.pin);
    run.workers = workers_;
    lay_out();
    idle_ = std::make_unique<pipe::idle_set>(static_cast<std::size_t>(workers_));
    idle_agents_ = std::make_unique<pipe::idle_set>(std::max<std::size_t>(1, agents_.size()));
    cost_ns_.assign(run.stages.size(), 0);
    partitions_.push_back(cut(run, cost_ns_, farms_));
    current_.store(prepare_partition(*partitions_.back()), std::memory_order_release);
  }

  ~pool_engine() override {
    for (auto& t : threads_) {
      if (t.joinable()) t.join();
    }
  }

  void start(bool on_caller) override {
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

  void join() override {
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

  void wake() override {
    idle_->wake_all();
    idle_agents_->wake_all();
    state_->release_waiters();
  }

  void set_replicas(std::string_view name, int n) override {
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
    throw error("set_replicas: there is no stage '" + std::string(name) + "'");
  }

  // --- what contexts ask for ---

  void sleep_through_pause(worker& w, pool_context& ctx) {
    const saved keep(ctx);
    while (state_->wait_while_paused(std::chrono::nanoseconds{0})) {
      steal(w, false);
      if (help(w, 0)) continue;
      // What threads of their own hand on meanwhile may be for this one.
      (void)state_->wait_while_paused(std::chrono::milliseconds{1});
    }
  }

  void flush(worker& w, pool_context& ctx, std::size_t leaf, pipe::chunk_base& out) {
    if (ctx.interrupted()) throw thalweg::cancelled{};
    auto place = ctx.here;
    node& n = *place.at;
    const auto stage = ctx.first_stage + leaf;
    if (n.index == 0 && leaf + 1 == n.parts.front().stages.last) {
      flush_source(w, ctx, n, stage, out);
      return;
    }
    if (!n.serial() && !wait_for_turn(w, n, place.seq)) {
      const auto each = std::max<std::size_t>(1, out.bytes() / out.size());
      ctx.limit = out.size() + std::clamp<std::size_t>(longest_grant_bytes / each, 1, longest_grant);
      return;
    }
    ctx.limit = longest_grant;
    auto c = chunks_.take(stage);
    out.move_items(0, out.size(), *c);
    out.clear();
    const saved keep(ctx);
    // A hook in the middle of a loop: the other stages of the loop come first.
    c = behind(ctx, n.parts[place.part], leaf, place.replica, std::move(c));
    if (!c || c->empty()) return chunks_.give_back(std::move(c));
    c->seq = place.seq;
    c->position = place.position;
    c->born_ns = place.born_ns;
    if (place.part + 1 < n.parts.size()) c = execute(w, n, std::move(c), place.replica, place.part + 1);
    if (n.index == 0) {
      send_from_source(w, n, std::move(c));
    } else if (n.serial()) {
      send(w, n, std::move(c));
    } else {
      deliver(w, n, std::move(c));
    }
  }

 private:
  // --- layout ---

  void lay_out() {
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
      refuse_timer_before_own_thread(i);
      const int n = s.info->replicas != automatic ? s.info->replicas : own ? cores() : std::max(workers_, 1);
      run.replicas[i] = n;
      farms_.push_back(std::make_unique<farm_slots>(std::min<int>(n, most_replicas), most_replicas));
      farm_of_stage_[i] = farms_.back().get();
      for (int k = 0; own && k < n; ++k) add_agent(i, s.info->opts.on == placement::caller_thread);
    }
    // Can the whole stream run as one loop on one worker?
    if (run.plan.components.size() == 1) {
      const auto& infos = run.plan.components.front()->stages();
      can_inline_ = std::none_of(infos.begin(), infos.end(), [](const auto& s) {
        return wants_own_thread(s) || !s.opts.on_error.plain() || s.pushes ||
               s.opts.schedule.how() != schedule::kind::on_demand;
      });
    }
    starting_.store(workers_ > 1 && !wants_own_thread(*run.stages.front().info), std::memory_order_relaxed);
    inlining_ = can_inline_ && workers_ == 1;
  }

  // The groups that a timer sends from a farm are carried on by the farm's threads, as far as the next serial
  // stage.
  void refuse_timer_before_own_thread(std::size_t i) const {
    const auto& stages = state_->stages;
    const auto farm = stages[i].info->farm;
    bool timed = false;
    for (; i < stages.size(); ++i) {
      timed = timed || (stages[i].info->farm == farm && stages[i].info->timed);
      if (stages[i].info->farm == farm) continue;
      if (timed && wants_own_thread(*stages[i].info)) {
        throw invalid_job(
            {"'" + stages[i].info->name +
             "' has a thread of its own and stands behind a farm with a batch that has an interval: "
             "the policy pool cannot do that; put a plain stage between them"});
      }
      if (stages[i].info->farm < 0) return;
    }
  }

  // Whether some stage of the farm that stage `i` is in does: the replicas are executed as a whole.
  [[nodiscard]] bool farm_wants_own_threads(std::size_t i) const {
    const auto& stages = state_->stages;
    return std::any_of(stages.begin(), stages.end(), [&](const auto& s) {
      return s.component == stages[i].component && s.info->farm == stages[i].info->farm &&
             wants_own_thread(*s.info);
    });
  }

  void add_agent(std::size_t stage, bool caller) {
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

  [[nodiscard]] bool executes(const worker& w, const node& n) const {
    if (n.agents.empty()) return !w.agent;
    return w.agent && std::find(n.agents.begin(), n.agents.end(), w.number) != n.agents.end();
  }

  partition* prepare_partition(partition& p) {
    auto& run = *state_;
    std::vector<int> segments(run.stages.size(), -1);
    for (auto& n : p.nodes) {
      double cost = 0;
      bool own = false;
      for (const auto& q : n->parts) {
        for (auto s = q.first; s <= q.last(); ++s) {
          if (q.stages.last - q.stages.first > 1) segments[s] = static_cast<int>(q.first);
          cost += cost_ns_[s];
          own = own || wants_own_thread(*run.stages[s].info);
        }
      }
      if (own) {
        for (const auto& a : agents_) {
          if (a->stage == n->parts.front().first) n->agents.push_back(a->number);
        }
        if (n->agents.empty()) n->agents.push_back(caller_agent_->number);
      }
      n->per_item.store(cost, std::memory_order_relaxed);
      n->high.store(cost, std::memory_order_relaxed);
    }
    run.fused(std::move(segments));
    return &p;
  }

  // What an item costs behind the source: on average, or at its recent highest.
  [[nodiscard]] static double work_behind(const partition& p, std::atomic<double> node::*which) {
    double sum = 0;
    for (std::size_t i = 1; i < p.nodes.size(); ++i) {
      const auto& n = *p.nodes[i];
      if (n.agents.empty()) sum += (n.*which).load(std::memory_order_relaxed);
    }
    return sum;
  }

  // Whether the workers have work behind the source of which nothing is known yet.
  [[nodiscard]] static bool unknown_behind(const partition& p) {
    bool any = false;
    for (std::size_t i = 1; i < p.nodes.size(); ++i) {
      const auto& n = *p.nodes[i];
      if (!n.agents.empty() || n.parts.empty()) continue;
      if (n.per_item.load(std::memory_order_relaxed) != 0) return false;
      any = true;
    }
    return any;
  }

  // --- threads ---

  worker& new_worker() {
    auto w = std::make_unique<worker>();
    w->number = workers_list_.size();
    workers_list_.push_back(std::move(w));
    return *workers_list_.back();
  }

  void spawn_thread(worker& w) {
    threads_.emplace_back([this, &w] { thread_main(w); });  // it takes `spawning_` before it leaves
    ++alive_;
  }

  // One more worker, if there may be one.
  void recruit(worker& by) {
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

  void thread_main(worker& w) {
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

  [[nodiscard]] std::string name_of(const worker& w) const {
    return w.agent ? "thread of " + state_->stages[w.stage].info->name : "worker " + std::to_string(w.number);
  }

  void prepared() {
    prepared_.store(true, std::memory_order_release);
    prepared_.notify_all();
  }

  [[nodiscard]] bool stopping() const {
    return state_->cancelled.load(std::memory_order_acquire) || done_.load(std::memory_order_acquire);
  }

  void work(worker& w) {
    if (!w.agent && w.number == 0) {
      start_serial_stages(w);
      prepared();
    }
    if (w.agent) {
      start_own_stages(w);
      prepared_.wait(false, std::memory_order_acquire);
    }
    while (!stopping()) {
      const auto begin = observe::now_ns();
      bool any = false;
      while (!stopping() && find_work(w)) any = true;
      if (any) w.log->work.busy_ns.add_ns(observe::now_ns() - begin);
      if (!stopping()) rest(w);
    }
  }

  void start_stage(std::size_t i, int replica) {
    const auto& s = state_->stages[i];
    if (!state_->guard(s.component, 0, replica, [&] {
          state_->plan.components[s.component]->start({s.stage, s.stage + 1},
                                                      static_cast<std::size_t>(replica));
        })) {
      throw thalweg::cancelled{};
    }
  }

  void start_serial_stages(worker&) {
    for (std::size_t i = 0; i < state_->stages.size(); ++i) {
      const auto& info = *state_->stages[i].info;
      if (info.farm < 0 && !wants_own_thread(info)) start_stage(i, 0);
    }
  }

  void start_own_stages(worker& w) {
    if (&w == caller_agent_) {
      for (const auto s : caller_stages_) {
        if (state_->stages[s].info->farm < 0) start_stage(s, 0);
      }
    } else if (state_->stages[w.stage].info->farm < 0) {
      start_stage(w.stage, 0);
    }
  }

  // --- finding work: downstream first ---

  bool find_work(worker& w) {
    auto& p = *current_.load(std::memory_order_acquire);
    for (std::size_t i = p.nodes.size(); i-- > 1;) {
      if (executes(w, *p.nodes[i]) && try_node(w, *p.nodes[i])) return true;
    }
    return executes(w, p.source()) && try_source(w);
  }

  // For a worker that waits in the middle of a call: something to do further down.
  bool help(worker& w, std::size_t behind) {
    auto& p = *current_.load(std::memory_order_acquire);
    for (std::size_t i = p.nodes.size(); i-- > behind + 1;) {
      if (executes(w, *p.nodes[i]) && try_node(w, *p.nodes[i])) return true;
    }
    return false;
  }

  bool try_node(worker& w, node& n) {
    if (n.serial()) {
      if (is_due(n)) return fire_timer(w, n);
      return is_drainable(n) && drain(w, n);
    }
    if (is_due_in_farm(n) && fire_farm_timers(w, n)) return true;
    if (n.ready_count.load(std::memory_order_acquire) == 0) return false;
    chunk_ptr c;
    bool fresh = false;
    int replica = farm_slots::none;
    {
      const std::lock_guard hold(n.ready_lock);
      if (!(c = n.take_ready(w.number, replica, fresh))) return false;
    }
    carry_on(w, n, std::move(c), replica, fresh);
    return true;
  }

  [[nodiscard]] bool is_drainable(const node& n) const {
    return (n.inbox.ready() && can_send(n)) || is_complete(n);
  }
  [[nodiscard]] static bool is_complete(const node& n) {
    return n.inbox.next() == n.upstream_end.load(std::memory_order_acquire) &&
           !n.finished.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_due(const node& n) const {
    if (n.parts.size() != 1 || !can_send(n)) return false;
    const auto& s = state_->stages[n.parts.front().first];
    return s.info->timed && observe::now_ns() >= state_->plan.components[s.component]->deadline(s.stage);
  }

  // --- timed stages ---

  // Calls `f(part, stage, replica)` for each timed stage of a node and each replica that nobody is working
  // in.
  template <class F> void for_each_timer(node& n, F&& f) const {
    for (std::size_t i = 0; i < n.parts.size(); ++i) {
      const auto& q = n.parts[i];
      const auto& stages = state_->plan.components[q.component]->stages();
      for (auto s = q.stages.first; s < q.stages.last; ++s) {
        if (!stages[s].timed) continue;
        if (n.serial()) {
          f(i, s, 0);
        } else {
          for (const int r : n.farm->made()) {
            if (n.farm->available(r)) f(i, s, r);
          }
        }
      }
    }
  }
  [[nodiscard]] std::int64_t deadline(const node& n, std::size_t part, std::size_t stage, int replica) const {
    return state_->plan.components[n.parts[part].component]->deadline(stage,
                                                                      static_cast<std::size_t>(replica));
  }
  [[nodiscard]] std::int64_t next_deadline(node& n) const {
    auto when = std::numeric_limits<std::int64_t>::max();
    if (n.serial() && !can_send(n)) return when;
    for_each_timer(n,
                   [&](std::size_t i, std::size_t s, int r) { when = std::min(when, deadline(n, i, s, r)); });
    return when;
  }
  [[nodiscard]] bool is_due_in_farm(node& n) const {
    return !n.agents.empty() && observe::now_ns() >= next_deadline(n);
  }

  // The groups that are due in the replicas of a farm. Such a farm is unordered: they go to the end of the
  // region past all numbers, so the region must not be closed meanwhile.
  bool fire_farm_timers(worker& w, node& n) {
    auto& d = *n.region_end;
    d.outside.fetch_add(1);
    std::vector<chunk_ptr> due;
    bool ok = true;
    if (!d.closing.load()) {
      for_each_timer(n, [&](std::size_t i, std::size_t s, int r) {
        bool fresh = false;
        if (!ok || observe::now_ns() < deadline(n, i, s, r) ||
            n.farm->acquire_this(r, fresh) == farm_slots::none) {
          return;
        }
        const auto& q = n.parts[i];
        const auto hook = [&](model::context& ctx, pipe::chunk_base* out) {
          state_->plan.components[q.component]->on_time(s, ctx, out, static_cast<std::size_t>(r));
        };
        ok = send_from(w, n, i, s, r, hook, [&](chunk_ptr c) { due.push_back(std::move(c)); });
        n.farm->release(r);
        if (n.ready_count.load(std::memory_order_acquire) > 0) recruit_for(w, n);
      });
    }
    if (!ok) throw thalweg::cancelled{};
    for (auto& c : due) deliver(w, n, std::move(c));
    d.outside.fetch_sub(1);
    carry_end(w, d);
    return !due.empty();
  }
  // All has come that comes in numbers, and nothing else is on its way: from now on nothing will be.
  [[nodiscard]] static bool close(node& n) {
    n.closing.store(true);
    if (n.outside.load() == 0) return true;
    n.closing.store(false);
    return false;
  }

  // Whether the region behind `n` has room for what `n` sends.
  [[nodiscard]] static bool can_send(const node& n) {
    if (n.last) return true;
    const auto& d = *n.region_end;
    const auto items = d.items.load(std::memory_order_relaxed);
    return d.inbox.has_room(n.sent.load(std::memory_order_relaxed) + 1) && items < d.most_items &&
           (items == 0 || d.bytes.load(std::memory_order_relaxed) < most_bytes);
  }

  [[nodiscard]] bool source_open() const {
    return !source_ended_.load(std::memory_order_acquire) && !source_busy_.load(std::memory_order_acquire);
  }

  // Is there anything this thread could do? For the last look before it sleeps.
  [[nodiscard]] bool has_work(const worker& w) const {
    if (stopping()) return true;
    const auto& p = *current_.load(std::memory_order_acquire);
    for (std::size_t i = 1; i < p.nodes.size(); ++i) {
      auto& n = *p.nodes[i];
      if (!executes(w, n)) continue;
      if (n.serial() ? is_drainable(n) || is_due(n) : n.has_ready() || is_due_in_farm(n)) {
        return true;
      }
    }
    if (!executes(w, p.source()) || !source_open()) return false;
    if (state_->ending.load(std::memory_order_acquire)) return true;
    return !state_->paused() && can_send(p.source()) && first_item_ns() <= 0 &&
           !(want_inline_.load(std::memory_order_relaxed) && !quiet(p));
  }
  // --- waiting ---

  void rest(worker& w) {
    for (const auto until = observe::now_ns() + pipe::spin_time.count(); observe::now_ns() < until;) {
      if (has_work(w)) return;
      for (int i = 0; i < 16; ++i) pipe::cpu_pause();
    }
    auto& idle = w.agent ? *idle_agents_ : *idle_;
    idle.register_idle(w.number);
    const auto first =
        w.agent ? 0 : first_item_ns();  // before the last look, which may see that the time is up
    if (has_work(w)) {
      if (!idle.cancel_idle(w.number)) idle.wake_one();
      return;
    }
    w.log->work.parks.add();
    const auto begin = observe::now_ns();
    const auto wait_for = first > 0 ? first : nap_ns(w);
    if (wait_for < 0) {
      idle.park(w.number);
    } else {
      idle.park_until(w.number, std::chrono::steady_clock::now() + std::chrono::nanoseconds(wait_for));
    }
    w.log->work.idle_ns.add_ns(observe::now_ns() - begin);
    if (w.agent) return;
    if (fill_.look(static_cast<int>(w.number))) {
      steal(w);
    } else if (has_work(w) && fill_.resign(static_cast<int>(w.number))) {
      recruit(w);  // who works cannot watch
    }
  }

  // How long this thread may sleep: an agent until its timer, one idle worker until it should look at the
  // chunk being filled, everybody else until woken (-1).
  std::int64_t nap_ns(worker& w) {
    if (w.agent) {
      auto when = std::numeric_limits<std::int64_t>::max();
      const auto& p = *current_.load(std::memory_order_acquire);
      for (const auto& n : p.nodes) {
        // One that is due already waits for room, and is called when there is some.
        if (executes(w, *n)) when = std::min(when, next_deadline(*n));
      }
      if (when == std::numeric_limits<std::int64_t>::max()) return -1;
      return std::max<std::int64_t>(50'000, when - observe::now_ns());
    }
    return fill_.watch(static_cast<int>(w.number)) ? watch_ns : -1;
  }

  // What waits in the chunk being filled becomes a chunk of its own: taken by the watcher, or by the filler
  // before it sleeps.
  void steal(worker& w, bool watcher = true) {
    chunk_ptr c;
    node* next = nullptr;
    {
      const std::lock_guard hold(fill_.lock);
      auto& n = current_.load(std::memory_order_acquire)->source();
      auto* open = watcher ? fill_.relieve() : fill_.opened();
      if (open == nullptr || open->empty() || !can_send(n)) return;
      c = chunks_.take(n.parts.front().last());
      open->steal(*c);
      c->born_ns = open->born_ns;
      number(n, *c);
      next = n.next;
    }
    if (watcher) recruit(w);  // somebody else shall watch what is filled meanwhile
    carry(w, next, std::move(c));
  }

  // --- the source ---

  bool try_source(worker& w) {
    if (!source_open()) return false;
    const bool end = state_->ending.load(std::memory_order_acquire);
    if (!end && (state_->paused() || !can_send(current_.load(std::memory_order_acquire)->source())))
      return false;
    if (first_item_ns() > 0) return false;
    if (source_busy_.exchange(true, std::memory_order_acquire)) return false;
    const holding busy{source_busy_};
    auto* p = current_.load(std::memory_order_acquire);
    if (source_ended_.load(std::memory_order_acquire)) return false;
    if (state_->ending.load(std::memory_order_acquire)) {
      end_source(w, *p, busy);
      return true;
    }
    if (!can_send(p->source())) return false;
    if (starting_.load(std::memory_order_relaxed) && p->source().sent.load(std::memory_order_relaxed) > 0) {
      starting_.store(false, std::memory_order_relaxed);
      inlining_ = can_inline_ && quiet(*p);
    }
    if (want_inline_.load(std::memory_order_relaxed) && !inlining_) {
      if (!quiet(*p)) return false;
      want_inline_.store(false, std::memory_order_relaxed);
      inlining_ = true;
    }
    if (inlining_) {
      if (run_inline(w, *p)) {
        end_source(w, *p, busy);
        return true;
      }
      inlining_ = false;
      if (stopping() || state_->paused() || state_->ending.load(std::memory_order_relaxed)) {
        inlining_ = can_inline_;
        return true;
      }
      partitions_.push_back(cut(*state_, cost_ns_, farms_));
      p = prepare_partition(*partitions_.back());
      current_.store(p, std::memory_order_release);
    }
    take_grant(w, *p, busy);
    return true;
  }

  // The first item goes through the nodes alone: nothing is known of it, and all others would wait if it went
  // inline. Somebody is called to the source meanwhile, and waits this long for what comes of it.
  [[nodiscard]] std::int64_t first_item_ns() const {
    if (!starting_.load(std::memory_order_acquire)) return 0;
    const auto& p = *current_.load(std::memory_order_acquire);
    if (p.source().sent.load(std::memory_order_acquire) == 0 || quiet(p)) return 0;
    return started_ns_ + static_cast<std::int64_t>(grant_ns) - observe::now_ns();
  }

  struct holding {
    std::atomic<bool>& flag;
    mutable bool held = true;
    void release() const {
      if (std::exchange(held, false)) flag.store(false, std::memory_order_release);
    }
    ~holding() { release(); }
  };

  // Nothing is on its way.
  [[nodiscard]] static bool quiet(const partition& p) {
    const node* from = &p.source();
    while (!from->last) {
      const node* to = from->region_end;
      if (to->inbox.next() != from->sent.load(std::memory_order_acquire)) return false;
      if (to->busy.load(std::memory_order_acquire)) return false;
      from = to;
    }
    return true;
  }

  void take_grant(worker& w, partition& p, const holding& busy) {
    auto& n = p.source();
    const auto& q = n.parts.front();
    const auto& info = *state_->stages.front().info;
    auto& ctx = *w.contexts[q.component];
    const auto room = n.region_end->most_items - n.region_end->items.load(std::memory_order_relaxed);
    const std::size_t want = std::clamp<std::int64_t>(static_cast<std::int64_t>(grant_.next()), 1,
                                                      std::max<std::int64_t>(1, room));
    ctx.here = {&n, 0, 0, 0, 0};
    ctx.paced = info.paced;
    ctx.limit = info.pushes ? want : longest_grant;
    ctx.sample = q.stages.last - q.stages.first > 1 && (w.tick++ & 15) == 0;
    chunk_ptr out = ends_in_sink(q) ? nullptr : chunks_.take(q.last());
    const bool publish = out && (want > 1 || info.pushes);
    const auto begin = observe::now_ns();
    if (out) out->born_ns = begin;
    if (publish) open(w, *out);
    model::produced made;
    const bool ok = state_->guard(q.component, position(n), 0, [&] {
      made = state_->plan.components[q.component]->produce(q.stages, ctx, want, out.get());
    });
    if (publish) fill_.close();
    if (!ok) throw thalweg::cancelled{};
    const auto end = observe::now_ns();
    const auto took = end - begin;
    const bool fused_sink = !out;
    // An item's life begins when the source hands it over, not when the source began to wait for it.
    if (out && made.items == 1) out->born_ns = end;
    ctx.collect(q.stages, took);
    trace(w, q, begin, took, made.items, n.sent.load(std::memory_order_relaxed));
    chunk_ptr c;
    if (out && !out->empty()) {
      const std::lock_guard hold(fill_.lock);
      number(n, *out);
      c = std::move(out);
    } else if (out) {
      chunks_.give_back(std::move(out));
    }
    plan_next_grant(p, made.items, took, fused_sink);
    if (starting_.load(std::memory_order_relaxed)) started_ns_ = end;
    const bool unknown = unknown_behind(p);
    const bool wanted =
        c && !made.ended &&
        attention_.wanted(static_cast<double>(c->size()) * work_behind(p, &node::high),
                          static_cast<double>(took) > slow_call_ns * static_cast<double>(made.items), end,
                          info.paced);
    if (made.ended) {
      source_ended_.store(true, std::memory_order_release);
      if (!finish_source(w, p)) throw thalweg::cancelled{};
    }
    busy.release();
    if (!c) {
      if (made.ended) carry_end(w, *n.region_end);
      return;
    }
    if (w.agent) {
      hand_over(w, n.next, std::move(c));
    } else {
      if (wanted || (unknown && !made.ended)) recruit(w);
      carry(w, n.next, std::move(c));
    }
    if (made.ended) carry_end(w, *n.region_end);
  }

  [[nodiscard]] bool ends_in_sink(const part& q) const {
    return state_->stages[q.last()].info->out == nullptr;
  }

  // From now on others may take what `out` holds. Somebody has to watch it, in case the source makes us wait.
  void open(worker& w, pipe::chunk_base& out) {
    if (!fill_.open(out, w.agent ? fill::nobody : static_cast<int>(w.number))) recruit(w);
  }

  void plan_next_grant(const partition& p, std::size_t items, std::int64_t took, bool fused_sink) {
    if (items == 0) return;
    const auto per_call = static_cast<double>(took) / static_cast<double>(items);
    const auto work = work_behind(p, &node::per_item) + (fused_sink ? per_call : 0);
    grant_.gave(items, per_call);
    grant_.plan(unknown_behind(p) ? grant_ns : work);
    // So cheap that one worker would be faster alone?
    if (can_inline_ && !want_inline_.load(std::memory_order_relaxed)) {
      const bool cheap = per_call > slow_call_ns ? work < wake_ns / 2 : work + per_call < inline_below_ns / 2;
      cheap_grants_ = cheap ? cheap_grants_ + 1 : 0;
      if (cheap_grants_ >= patience_) {
        cheap_grants_ = 0;
        patience_ = std::min(patience_ * 2, 4096);
        want_inline_.store(true, std::memory_order_relaxed);
      }
    }
  }

  void flush_source(worker& w, pool_context& ctx, node& n, std::size_t stage, pipe::chunk_base& out) {
    const auto place = ctx.here;
    const auto& p = *current_.load(std::memory_order_acquire);
    const auto& info = *state_->stages.front().info;
    chunk_ptr c = chunks_.take(stage);
    wait_for_room(w, n);
    {
      const std::lock_guard hold(fill_.lock);
      out.steal(*c);
      out.clear();
      c->born_ns = out.born_ns;
      if (!c->empty()) number(n, *c);
    }
    const auto now = observe::now_ns();
    if (info.pushes) {
      plan_next_grant(p, c->size(), flushed_ns_ != 0 ? now - flushed_ns_ : 0, false);
      ctx.limit = grant_.next();
    }
    if (!c->empty()) {
      const saved keep(ctx);
      push_on(w, n, std::move(c));
    } else {
      chunks_.give_back(std::move(c));
    }
    ctx.here = place;
    out.born_ns = flushed_ns_ = observe::now_ns();
  }

  // The source's thread goes on calling it and leaves the chunk to others, as long as these keep up.
  void push_on(worker& w, node& n, chunk_ptr c) {
    node* to = n.next;
    const bool others = w.agent || idle_->idle_count() > 0 ||
                        spawned_.load(std::memory_order_relaxed) < workers_ ||
                        (!to->serial() && to->ready_count.load(std::memory_order_relaxed) < 2);
    const auto work = static_cast<double>(c->size()) *
                      work_behind(*current_.load(std::memory_order_acquire), &node::per_item);
    if (workers_ == 1 && !w.agent) {
      carry(w, to, std::move(c));
    } else if (!to->serial() && others && (w.agent || work > wake_ns || work == 0)) {
      hand_over(w, to, std::move(c));
    } else {
      carry(w, to, std::move(c));
    }
  }

  // The end hooks of the source's own stages, and then the mark behind the last chunk. The caller holds the
  // source.
  bool finish_source(worker& w, partition& p) {
    auto& n = p.source();
    const bool ok = finish_stages(w, n, 0, [&](chunk_ptr c) { send_from_source(w, n, std::move(c)); });
    n.region_end->upstream_end.store(n.sent.load(std::memory_order_relaxed), std::memory_order_release);
    return ok;
  }

  // What the end hook of one of the source's own stages sends.
  void send_from_source(worker& w, node& n, chunk_ptr c) {
    wait_for_room(w, n);
    {
      const std::lock_guard hold(fill_.lock);
      number(n, *c);
    }
    hand_over(w, n.next, std::move(c));
  }

  void end_source(worker& w, partition& p, const holding& busy) {
    source_ended_.store(true, std::memory_order_release);
    if (!finish_source(w, p)) throw thalweg::cancelled{};
    busy.release();
    carry_end(w, *p.source().region_end);
  }

  // The end mark has reached a serial node: see whether it is complete.
  void carry_end(worker& w, node& d) {
    if (executes(w, d)) {
      drain(w, d);
    } else {
      notify(w, d);
    }
  }

  // --- inline: the whole stream as one loop on one worker ---

  // Returns true at the end of the stream, false to go on with other workers (or because the run is held up).
  bool run_inline(worker& w, partition& p) {
    auto& run = *state_;
    auto& component = *run.plan.components.front();
    auto& ctx = *w.contexts.front();
    const auto& infos = component.stages();
    const model::range whole{0, infos.size()};
    if (!inline_prepared_) {
      for (std::size_t i = 0; i < farms_.size(); ++i) {
        bool fresh = false;
        const int r = farms_[i]->acquire(0, fresh);
        if (fresh) start_farm(i, r);
        farms_[i]->release(r);
      }
      inline_prepared_ = true;
    }
    ctx.here = {&p.source(), 0, 0, 0, 0};
    ctx.paced = infos.front().paced;
    run.inlined.store(true, std::memory_order_relaxed);
    std::size_t n = inline_run_;
    int worth = 0;
    for (;;) {
      if (stopping() || run.paused() || run.ending.load(std::memory_order_relaxed)) return false;
      const auto begin = observe::now_ns();
      model::produced made;
      std::int64_t sampled_source = 0;
      std::int64_t sampled_rest = 0;
      const bool ok = run.guard(0, inline_position_, 0, [&] {
        ctx.sample = true;
        made = component.produce(whole, ctx, 1, nullptr);
        ctx.sample = false;
        for (std::size_t i = 0; i < infos.size(); ++i) {
          const auto ns = std::max<std::int64_t>(0, ctx.tallies[i].sampled_ns - observe::clock_cost_ns());
          (i == 0 ? sampled_source : sampled_rest) += ns;
          if (ctx.tallies[i].sampled != 0) {
            auto& cost = cost_ns_[i];
            cost = cost == 0 ? static_cast<double>(ns) + 1 : cost + (static_cast<double>(ns) - cost) / 8;
          }
        }
        if (made.items > 0 && !ctx.paced) {
          w.log->arrived(sampled_rest, 1, true);
        }
        if (!made.ended && n > 1) {
          const auto more = component.produce(whole, ctx, n - 1, nullptr);
          made = {made.items + more.items, more.ended};
        }
      });
      if (!ok) throw thalweg::cancelled{};
      const auto waited = ctx.waited_ns;
      const auto took = observe::now_ns() - begin - waited;
      if (made.items > 0) sampled_source += waited / static_cast<std::int64_t>(made.items);
      ++inline_position_;
      ctx.collect(whole, took + waited);
      trace(w, {0, whole, 0}, begin, took, made.items, inline_position_);
      if (made.ended) return true;
      inline_run_ = n = static_cast<double>(took) < grant_ns / 2 ? std::min(n * 2, longest_grant)
                        : took > grant_ns * 2                    ? std::max<std::size_t>(1, n / 4)
                                                                 : n;
      grant_.gave(made.items, static_cast<double>(sampled_source));
      if (workers_ == 1 || made.items == 0) continue;
      worth = worth_sharing(static_cast<double>(took) / static_cast<double>(made.items), sampled_source,
                            sampled_rest)
                  ? worth + 1
                  : 0;
      // One slow run may be a preemption; one of a few dear items is not.
      if (worth >= 3 || (worth > 0 && took > 4 * grant_ns && made.items <= 4)) {
        scale_costs(static_cast<double>(took) / static_cast<double>(made.items),
                    sampled_source > slow_call_ns);
        const auto each = std::max(1.0, std::accumulate(cost_ns_.begin() + 1, cost_ns_.end(), 0.0));
        grant_.begin(each);
        run.inlined.store(false, std::memory_order_relaxed);
        return false;
      }
    }
  }

  // A sampled item is a cold one: what the stages cost together is known better from whole runs of items.
  void scale_costs(double per_item, bool source_waits) {
    const auto all = std::accumulate(cost_ns_.begin(), cost_ns_.end(), 0.0);
    if (all <= 0 || source_waits) return;
    if (!samples_explain(per_item)) {
      std::fill(cost_ns_.begin() + 1, cost_ns_.end(), 0.0);  // not known
      return;
    }
    for (auto& c : cost_ns_) c *= per_item / all;
  }

  [[nodiscard]] bool samples_explain(double per_item) const {
    return std::accumulate(cost_ns_.begin(), cost_ns_.end(), 0.0) > per_item / 2;
  }

  // Would more workers make it faster? By an item's time on one worker against what its dearest serial stage,
  // or its share of all workers, would take.
  [[nodiscard]] bool worth_sharing(double per_item, std::int64_t source, std::int64_t rest) const {
    if (source > slow_call_ns) return static_cast<double>(rest) > static_cast<double>(wake_ns);
    if (per_item < inline_below_ns) return false;
    double all = 0;
    double dearest = 0;
    for (std::size_t i = 0; i < cost_ns_.size(); ++i) {
      all += cost_ns_[i];
      const auto parallel =
          farm_of_stage_[i] == nullptr ? 1 : std::min(workers_, farm_of_stage_[i]->allowed());
      dearest = std::max(dearest, cost_ns_[i] / parallel);
    }
    // Samples miss work that only some items come to (that behind a batch): then a try tells more.
    if (!samples_explain(per_item)) return per_item > wake_ns;
    const auto shared = per_item * std::max(dearest / all, 1.0 / workers_) + 15;
    return shared < 0.85 * per_item;
  }

  void start_farm(std::size_t farm, int replica) {
    for (std::size_t i = 0; i < farm_of_stage_.size(); ++i) {
      if (farm_of_stage_[i] == farms_[farm].get()) start_stage(i, replica);
    }
  }
  void start_farm(const farm_slots* farm, int replica) {
    for (std::size_t i = 0; i < farm_of_stage_.size(); ++i) {
      if (farm_of_stage_[i] == farm) start_stage(i, replica);
    }
  }

  // --- moving chunks ---

  // Where in the source's order the next chunk begins: there is room for the places of its items.
  [[nodiscard]] static std::int64_t position(const node& source) {
    return source.sent.load(std::memory_order_relaxed) * static_cast<std::int64_t>(longest_grant);
  }

  // Of an item of a chunk. (Where a farm has made more of them than there are places, some share the last.)
  [[nodiscard]] static std::int64_t position(const pipe::chunk_base& c, std::size_t item) {
    if (c.position >= at_the_end) return c.position;
    return c.position + static_cast<std::int64_t>(std::min(item, longest_grant - 1));
  }

  // A number and a charge. For the source: under fill_.lock.
  void number(node& n, pipe::chunk_base& c) {
    c.seq = n.sent.load(std::memory_order_relaxed);
    if (n.index == 0) c.position = position(n);
    c.charged_items = c.charged_bytes = 0;
    charge(*n.region_end, c);
    n.sent.store(c.seq + 1, std::memory_order_release);
  }

  // Counts a chunk for what it holds now towards the bounds on what is on its way to `d`.
  static void charge(node& d, pipe::chunk_base& c) {
    const auto items = static_cast<std::int64_t>(c.size());
    const auto bytes = static_cast<std::int64_t>(c.bytes());
    const auto more_items = items - std::exchange(c.charged_items, items);
    const auto more_bytes = bytes - std::exchange(c.charged_bytes, bytes);
    if (more_items != 0) d.items.fetch_add(more_items, std::memory_order_relaxed);
    if (more_bytes != 0) d.bytes.fetch_add(more_bytes, std::memory_order_relaxed);
  }

  // Takes a chunk from node `n` on as far as it goes.
  void carry(worker& w, node* n, chunk_ptr c) {
    if (n->serial()) {
      deposit(w, *n, std::move(c));
      return;
    }
    if (!executes(w, *n)) {
      hand_over(w, n, std::move(c));
      return;
    }
    bool fresh = false;
    int replica = farm_slots::none;
    {
      const std::lock_guard hold(n->ready_lock);
      // Who waits was here first: the chunk that everything else waits for must never be behind others.
      if (n->ready.empty() && !n->dealt) replica = n->farm->acquire(w.number, fresh);
      if (replica == farm_slots::none) {
        n->ready.push_back(std::move(c));
        n->ready_count.store(n->ready.size(), std::memory_order_release);
        c = n->take_ready(w.number, replica, fresh);
      }
    }
    if (c) carry_on(w, *n, std::move(c), replica, fresh);
  }

  void carry_on(worker& w, node& n, chunk_ptr c, int replica, bool fresh) {
    if (fresh) start_farm(n.farm, replica);
    const auto items = c->size();
    const auto begin = observe::now_ns();
    c = execute(w, n, std::move(c), replica, 0);
    charge(*n.region_end, *c);
    n.farm->release(replica);
    if (n.ready_count.load(std::memory_order_acquire) > 0) recruit_for(w, n);
    learn(n, items, observe::now_ns() - begin);
    carry(w, n.next, std::move(c));
  }

  void recruit_for(worker& w, node& n) {
    if (n.agents.empty()) {
      if (!w.agent && idle_->idle_count() > 0) recruit(w);
      if (w.agent) recruit(w);
    }
  }

  // Several workers may learn at once; an average does not mind losing a sample.
  static void learn(node& n, std::size_t items, std::int64_t took) {
    if (items == 0) return;
    const auto each = static_cast<double>(took) / static_cast<double>(items);
    const auto mean = n.per_item.load(std::memory_order_relaxed);
    n.per_item.store(mean == 0 ? each : mean + (each - mean) / 4, std::memory_order_relaxed);
    n.high.store(std::max(each, n.high.load(std::memory_order_relaxed) * 0.95), std::memory_order_relaxed);
  }

  // Leaves a chunk to others.
  void hand_over(worker& w, node* n, chunk_ptr c) {
    if (n->serial()) {
      deposit(w, *n, std::move(c));
      return;
    }
    {
      const std::lock_guard hold(n->ready_lock);
      n->ready.push_back(std::move(c));
      n->ready_count.store(n->ready.size(), std::memory_order_release);
    }
    notify(w, *n);
  }

  void notify(worker& w, node& n) {
    if (n.agents.empty()) {
      recruit(w);
      return;
    }
    for (const auto a : n.agents) {
      if (idle_agents_->wake(a)) {
        w.log->work.wakes.add();
        if (!n.serial()) return;
      }
    }
  }

  void deposit(worker& w, node& n, chunk_ptr c) {
    if (n.unordered) c->seq = n.arrivals.fetch_add(1, std::memory_order_relaxed);
    const auto seq = c->seq;
    n.inbox.deposit(seq, std::move(c));
    if (executes(w, n)) {
      drain(w, n);
    } else if (n.inbox.ready()) {
      notify(w, n);
    }
  }

  // Executes what has come to a serial node, if nobody else is at it. Returns whether it did anything.
  bool drain(worker& w, node& n) {
    bool did = false;
    while (n.inbox.try_acquire()) {
      n.busy.store(true, std::memory_order_relaxed);
      chunk_ptr c;
      chunk_ptr out;
      while (can_send(n) && n.inbox.take(c)) {
        did = true;
        n.passed.store(n.passed.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        auto& stats = (*w.log)[first_stage(n)];
        sample_order(n, stats);
        stats.occupancy.sample(
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, n.items.load(std::memory_order_relaxed))));
        n.items.fetch_sub(c->charged_items, std::memory_order_relaxed);
        n.bytes.fetch_sub(c->charged_bytes, std::memory_order_relaxed);
        const auto items = c->size();
        const auto begin = observe::now_ns();
        out = n.parts.empty() ? std::move(c) : execute(w, n, std::move(c), 0, 0);
        if (!n.parts.empty()) learn(n, items, observe::now_ns() - begin);
        if ((n.inbox.next() & 15) == 0) call_upstream(w, n);
        if (n.deals()) {
          deal(w, n, *out);
        } else if (!n.last && out && !out->empty()) {
          number(n, *out);
          break;
        }
        chunks_.give_back(std::move(out));
      }
      if (!out && is_complete(n) && close(n)) {
        did = true;
        finish_node(w, n);
      }
      n.busy.store(false, std::memory_order_release);
      const bool more = n.inbox.release();
      if (did) call_upstream(w, n);
      if (out) {
        if (more && can_send(n) && !w.agent) recruit(w);
        if (w.agent) {
          hand_over(w, n.next, std::move(out));
          continue;
        }
        carry(w, n.next, std::move(out));
        return true;
      }
      if (!more || !can_send(n)) return did;
    }
    return did;
  }

  // The stage that what comes to a node is counted for.
  [[nodiscard]] std::size_t first_stage(const node& n) const {
    if (!n.parts.empty()) return n.parts.front().first;
    return n.next != nullptr ? n.next->parts.front().first : state_->stages.size() - 1;
  }

  // Sends the items of `c` to the replicas that the farm's schedule names, in runs as long as they have the
  // same one.
  void deal(worker& w, node& n, pipe::chunk_base& c) {
    const auto& stage = state_->stages[first_stage(n)];
    const auto& how = stage.info->opts.schedule;
    const auto replicas = static_cast<std::size_t>(n.next->farm->allowed());
    const auto replica_for = [&](std::size_t item) {
      if (how.how() == schedule::kind::round_robin) return n.turn++ % replicas;
      std::size_t to = 0;
      if (!state_->guard(stage.component, position(c, item), 0, [&] {
            model::frame<model::mode::plain>::attribute(stage.stage, [&] { to = how(c.at(item), replicas); });
          })) {
        throw thalweg::cancelled{};
      }
      return to;
    };
    const auto size = c.size();
    std::size_t first = 0;
    auto to = size > 0 ? replica_for(0) : 0;
    for (std::size_t i = 1; i <= size; ++i) {
      const auto then = i < size ? replica_for(i) : replicas;
      if (then == to) continue;
      auto piece = chunks_.take(c.home);
      c.move_items(first, i, *piece);
      piece->position = position(c, first);
      piece->born_ns = c.born_ns;
      piece->replica = static_cast<int>(to);
      first = i;
      to = then;
      send(w, n, std::move(piece));
    }
  }

  // By how much the chunk just taken had come before its turn, and now and then how many wait for theirs.
  static void sample_order(node& n, observe::stage_counters& stats) {
    const auto seen = n.inbox.displaced();
    stats.displacement.sample(static_cast<std::uint64_t>(seen.total - n.displaced));
    n.displaced = seen.total;
    if ((seen.taken & 15) == 0) stats.reorder.sample(n.inbox.waiting());
  }

  // There is room in front of `n` again: tells a thread of another kind that waits for it. (Workers look for
  // themselves: whoever made the room goes on to the source.)
  void call_upstream(worker& w, const node& n) {
    node& from = *n.region_begin;
    if (executes(w, from)) return;
    const bool waits = from.index == 0 ? source_open() && !state_->paused() && can_send(from)
                                       : is_drainable(from) || is_due(from);
    if (waits) notify(w, from);
  }

  // Sends a chunk from a serial node in the middle of a call, with back pressure.
  void send(worker& w, node& n, chunk_ptr c) {
    if (!c || c->empty() || n.last) {
      chunks_.give_back(std::move(c));
      return;
    }
    wait_for_room(w, n);
    number(n, *c);
    if (!w.agent && workers_ == 1) {
      carry(w, n.next, std::move(c));
    } else {
      push_on(w, n, std::move(c));
    }
  }

  void wait_for_room(worker& w, node& n) {
    const auto begin = observe::now_ns();
    bool waited = false;
    while (!can_send(n)) {
      if (state_->cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
      if (help(w, n.index)) continue;
      waited = true;
      pause_a_little(w);
    }
    if (waited && !n.parts.empty())
      (*w.log)[n.parts.front().first].wait_out_ns.add_ns(observe::now_ns() - begin);
  }

  static void pause_a_little(worker&) {
    for (int i = 0; i < 200; ++i) pipe::cpu_pause();
    const timespec t{0, 20'000};
    nanosleep(&t, nullptr);
  }

  // Waits until what an operator of a parallel node has sent so far may be carried on before it returns:
  // until all before it has passed. Returns false if it has to stay and grow: where another kind of thread
  // would have to carry it on, and where those before it do not get on, for they may need this thread, or the
  // replica it holds.
  bool wait_for_turn(worker& w, const node& n, std::int64_t seq) {
    const auto& d = *n.region_end;
    if (w.finishing == &d) return true;
    for (const node* m = &n; m != d.next; m = m->next) {
      if (!m->agents.empty()) return false;
    }
    auto passed = d.passed.load(std::memory_order_relaxed);
    auto patient_until = observe::now_ns() + patience_ns;
    while (!d.unordered && d.inbox.next() != seq) {
      if (state_->cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
      if (!help(w, d.index - 1)) pause_a_little(w);
      if (passed != d.passed.load(std::memory_order_relaxed)) {
        passed = d.passed.load(std::memory_order_relaxed);
        patient_until = observe::now_ns() + patience_ns;
      } else if (observe::now_ns() > patient_until) {
        return false;
      }
    }
    return true;
  }

  // Carries a piece of a parallel node's output through the serial node behind it. Whoever has what this
  // waits for is further downstream and never waits for anything upstream of it.
  void deliver(worker& w, node& n, chunk_ptr c) {
    auto& d = *n.region_end;
    d.passed.fetch_add(1, std::memory_order_relaxed);
    for (node* m = n.next; m != &d; m = m->next) {
      bool fresh = false;
      int replica = farm_slots::none;
      while ((replica = m->farm->acquire(w.number, fresh)) == farm_slots::none) {
        if (state_->cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
        if (!help(w, m->index)) pause_a_little(w);
      }
      if (fresh) start_farm(m->farm, replica);
      c = execute(w, *m, std::move(c), replica, 0);
      m->farm->release(replica);
    }
    if (d.last && d.parts.empty()) {
      chunks_.give_back(std::move(c));
      return;
    }
    if (w.finishing == &d) {  // its inbox is ours already
      auto out = execute(w, d, std::move(c), 0, 0);
      if (d.deals()) {
        deal(w, d, *out);
        chunks_.give_back(std::move(out));
      } else {
        send(w, d, std::move(out));
      }
      return;
    }
    while (!d.inbox.try_acquire()) {
      if (state_->cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
      if (!help(w, d.index)) pause_a_little(w);
    }
    d.busy.store(true, std::memory_order_relaxed);
    wait_for_room(w, d);
    auto out = execute(w, d, std::move(c), 0, 0);
    if (d.deals()) deal(w, d, *out);
    if (!d.deals() && !d.last && out && !out->empty()) {
      number(d, *out);
    } else {
      chunks_.give_back(std::move(out));
    }
    d.busy.store(false, std::memory_order_release);
    const bool more = d.inbox.release();
    if (out) carry(w, d.next, std::move(out));
    if (more) drain(w, d);
  }

  // --- executing ---

  // Runs a chunk through the parts of a node from part `from` on. Returns what comes out; behind a sink, the
  // emptied chunk, which still stands for its place in the order.
  chunk_ptr execute(worker& w, node& n, chunk_ptr c, int replica, std::size_t from) {
    auto begin = observe::now_ns();
    for (std::size_t i = from; i < n.parts.size(); ++i) {
      const auto& q = n.parts[i];
      auto& ctx = *w.contexts[q.component];
      const saved keep(ctx);
      ctx.here = {&n, i, c->seq, c->position, c->born_ns, replica};
      ctx.paced = c->paced;
      ctx.limit = std::max<std::size_t>(longest_grant, 2 * c->size());
      ctx.limit_bytes = longest_grant_bytes;
      ctx.sample = q.stages.last - q.stages.first > 1 && (w.tick++ & 15) == 0;
      const bool sink = ends_in_sink(q);
      chunk_ptr out = sink ? nullptr : chunks_.take(q.last());
      const auto items = c->size();
      const bool ok = state_->guard(q.component, c->position, replica, [&] {
        state_->plan.components[q.component]->process(q.stages, static_cast<std::size_t>(replica), ctx, *c,
                                                      out.get());
      });
      const auto end = observe::now_ns();
      ctx.collect(q.stages, end - begin);
      trace(w, q, begin, end - begin, items, c->seq);
      if (!ok) throw thalweg::cancelled{};
      begin = end;
      if (sink) {
        if (!c->paced && items > 0) w.log->arrived(end - c->born_ns, items);
        c->clear();
      } else {
        out->seq = c->seq;
        out->position = c->position;
        out->born_ns = c->born_ns;
        out->charged_items = c->charged_items;
        out->charged_bytes = c->charged_bytes;
        chunks_.give_back(std::move(c));
        c = std::move(out);
      }
    }
    return c;
  }

  void trace(worker& w, const part& q, std::int64_t begin, std::int64_t took, std::size_t items,
             std::int64_t seq) {
    if (state_->trace) state_->trace->record(w.log->number, q.first, begin, begin + took, items, seq);
  }

  // --- the end ---

  // All that comes to a serial node has come: the end hooks of the farms before it, then its own.
  void finish_node(worker& w, node& n) {
    auto& p = *current_.load(std::memory_order_acquire);
    w.finishing = &n;
    for (std::size_t i = 0; i < n.index; ++i) {
      auto& m = *p.nodes[i];
      if (m.serial() || m.region_end != &n) continue;
      for (const int r : m.farm->made()) {
        if (!finish_stages(w, m, r, [&](chunk_ptr c) { deliver(w, m, std::move(c)); }))
          throw thalweg::cancelled{};
      }
    }
    w.finishing = nullptr;
    if (!finish_stages(w, n, 0, [&](chunk_ptr c) { send(w, n, std::move(c)); })) throw thalweg::cancelled{};
    n.finished.store(true, std::memory_order_release);
    if (n.last) {
      done_.store(true, std::memory_order_release);
      wake();
      return;
    }
    n.region_end->upstream_end.store(n.sent.load(std::memory_order_relaxed), std::memory_order_release);
    carry_end(w, *n.region_end);
  }

  // Calls the end hooks of a node's stages for one replica; `emit` gets what they send, after the node's
  // later stages.
  template <class Emit> bool finish_stages(worker& w, node& n, int replica, Emit&& emit) {
    for (std::size_t i = 0; i < n.parts.size(); ++i) {
      const auto& q = n.parts[i];
      auto& component = *state_->plan.components[q.component];
      for (auto s = q.stages.first; s < q.stages.last; ++s) {
        if (!component.stages()[s].ends) continue;
        const auto hook = [&](model::context& ctx, pipe::chunk_base* out) {
          component.finish(s, static_cast<std::size_t>(replica), ctx, out);
        };
        if (!send_from(w, n, i, s, replica, hook, emit)) return false;
      }
    }
    return true;
  }

  // Calls a hook of stage `s` in part `i` of a node, which may send without an item; `emit` gets what it
  // sends, after the node's later stages. What it sends in the middle of the call is flushed.
  template <class Hook, class Emit>
  bool send_from(worker& w, node& n, std::size_t i, std::size_t s, int replica, Hook&& hook, Emit&& emit) {
    const auto& q = n.parts[i];
    auto& component = *state_->plan.components[q.component];
    auto& ctx = *w.contexts[q.component];
    const saved keep(ctx);
    ctx.here = {&n, i, n.sent.load(std::memory_order_relaxed), at_the_end, observe::now_ns(), replica};
    ctx.paced = state_->stages.front().info->paced;
    ctx.due = observe::now_ns();
    ctx.limit = longest_grant;
    ctx.limit_bytes = longest_grant_bytes;
    auto out = component.make_chunk(s);
    if (out) out->home = state_->first_of_component[q.component] + s;
    const bool ok = state_->guard(q.component, at_the_end, replica, [&] {
      hook(static_cast<model::context&>(ctx), out.get());
      ctx.collect({s, s + 1}, 0);
      if (out && !out->empty()) out = behind(ctx, q, s, replica, std::move(out));
    });
    if (!ok) return false;
    if (!out || out->empty()) return true;
    out->born_ns = ctx.here.born_ns;
    out->position = at_the_end;
    if (i + 1 < n.parts.size()) out = execute(w, n, std::move(out), replica, i + 1);
    if (!out->empty()) emit(std::move(out));
    return true;
  }

  // Takes what stage `s` sent through the stages behind it in the same part, one by one.
  chunk_ptr behind(pool_context& ctx, const part& q, std::size_t s, int replica, chunk_ptr c) {
    auto& component = *state_->plan.components[q.component];
    const saved keep(ctx);
    ctx.paced = c->paced;
    ctx.limit = ctx.limit_bytes = std::numeric_limits<std::size_t>::max() / 4;
    for (auto t = s + 1; t < q.stages.last && c && !c->empty(); ++t) {
      auto then = component.make_chunk(t);
      if (then) then->home = state_->first_of_component[q.component] + t;
      component.process({t, t + 1}, static_cast<std::size_t>(replica), ctx, *c, then.get());
      ctx.collect({t, t + 1}, 0);
      c = std::move(then);
    }
    return c;
  }

  bool fire_timer(worker& w, node& n) {
    if (!n.inbox.try_acquire()) return false;
    bool did = false;
    if (is_due(n)) {
      did = true;
      const auto& q = n.parts.front();
      const auto hook = [&](model::context& ctx, pipe::chunk_base* out) {
        state_->plan.components[q.component]->on_time(q.stages.first, ctx, out);
      };
      if (!send_from(w, n, 0, q.stages.first, 0, hook, [&](chunk_ptr c) {
            number(n, *c);
            hand_over(w, n.next, std::move(c));
          })) {
        throw thalweg::cancelled{};
      }
    }
    if (n.inbox.release()) drain(w, n);
    return did;
  }

  pool policy_;
  int workers_ = 1;

  // Layout.
  std::vector<std::unique_ptr<farm_slots>> farms_;
  std::vector<farm_slots*> farm_of_stage_;
  std::vector<std::unique_ptr<worker>> agents_;
  worker* caller_agent_ = nullptr;
  std::vector<std::size_t> caller_stages_;
  std::vector<std::unique_ptr<partition>> partitions_;
  std::atomic<partition*> current_{nullptr};
  spares chunks_{*state_};

  // Threads.
  std::mutex spawning_;
  std::mutex joining_;
  std::vector<std::unique_ptr<worker>> workers_list_;
  std::vector<std::thread> threads_;
  std::atomic<int> spawned_{0};
  int alive_ = 0;
  bool caller_is_worker_ = false;
  bool caller_owed_ = false;
  std::atomic<bool> prepared_{false};
  std::atomic<bool> done_{false};
  std::unique_ptr<pipe::idle_set> idle_;
  std::unique_ptr<pipe::idle_set> idle_agents_;

  // The source. Whoever has set source_busy_ may call it and use the plain members here.
  alignas(128) std::atomic<bool> source_busy_{false};
  std::atomic<bool> source_ended_{false};
  std::atomic<bool> want_inline_{false};
  std::atomic<bool> starting_{false};  // the first item is not through yet
  std::atomic<std::int64_t> started_ns_{0};
  bool can_inline_ = false;
  bool inlining_ = false;
  bool inline_prepared_ = false;
  std::size_t inline_run_ = 1;
  std::int64_t inline_position_ = 0;
  grant_length grant_{state_->stages.front().info->eager};
  int cheap_grants_ = 0;
  int patience_ = 16;
  attention attention_;
  std::int64_t flushed_ns_ = 0;
  std::vector<double> cost_ns_;

  alignas(128) fill fill_;
};

void pool_context::flush(std::size_t leaf, pipe::chunk_base& out) {
  engine_.flush(worker_, *this, leaf, out);
}
void pool_context::wait_while_paused() {
  engine_.sleep_through_pause(worker_, *this);
}

}  // namespace

std::shared_ptr<engine> make_pool(std::unique_ptr<run_state> state, const void* policy) {
  return std::make_shared<pool_engine>(std::move(state), *static_cast<const pool*>(policy));
}

}  // namespace thalweg::run_detail
