#include "graph_engine.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/pause.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "../distributed/graph/exchange.hpp"
#include "../distributed/graph/part_placement.hpp"
#include "../distributed/graph/remote.hpp"
#include "../distributed/graph/shared_settings.hpp"
#include "../parts.hpp"
#include "monitor.hpp"
#include "nodes.hpp"
#include "whole_line.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::chrono::nanoseconds poll_time{1'000};
constexpr std::int64_t unwatched_ns = 300'000;  // that a run may last without a monitor

}  // namespace

graph_engine::graph_engine(std::unique_ptr<run_state> s, shape how)
    : engine(std::move(s)),
      shape_(std::move(how)),
      started_(std::make_unique<start_flag[]>(state_->stages.size())),
      monitor_(std::make_unique<monitor>(*this)),
      watched_(shape_.sequential),  // one thread has nobody to hand anything to
      began_ns_(observe::now_ns()) {
  shape_.among_ranks = state_->others != nullptr;
  if (state_->others) shared_ = std::make_unique<shared_settings>(*state_->others, state_->stages.size());
  lay_out();
}

graph_engine::~graph_engine() {
  monitor_->end();
  for (auto& t : threads_) {
    if (t.joinable()) t.join();
  }
}

// --- threads ---

void graph_engine::start(bool on_caller) {
  auto& run = *state_;
  deferred_ = on_caller_ != nullptr && (on_caller || !shape_.sequential ||
                                        std::any_of(run.stages.begin(), run.stages.end(), [](const auto& s) {
                                          return s.info->opts.on == placement::caller_thread;
                                        }));
  // Other ranks may ask for replicas as soon as this one can hear them: the threads of these come after those
  // that there are from the beginning.
  std::unique_lock hold(employing_);
  if (run.others) {
    // One thread has to speak to the other ranks: the caller's, unless that has stages to execute.
    deferred_ = on_caller_ != nullptr && !shape_.sequential;
    alive_.fetch_add(1);
    run.others->start(*this, on_caller && !deferred_);
    on_caller = false;
  }
  // The caller's thread is the first worker, where it may be.
  if (on_caller && home_ != nullptr && on_caller_ == nullptr && !shape_.hire && !run.others) {
    on_caller_ = dynamic_cast<thread_group*>(home_);
    deferred_ = on_caller_ != nullptr;
  }
  begin_first();
  // Whoever has something to do without items begins. The others begin with their first item, so that what
  // they need is made by the thread that uses it.
  for (auto* n : nodes_) {
    if (n->begins()) n->notify();
  }
  // A replica with a thread of its own is made at once, on the rank that executes it.
  for (auto& f : farms_) {
    if (run.others && (!executes(*f->all.front()) || !f->used_here.load())) continue;
    for (std::size_t i = 0; f->own_threads && i < f->replicas(); ++i) f->all[i]->node::notify();
  }
  if (auto* const s = dynamic_cast<thread_group*>(home_); s != nullptr && !shape_.hire && !shape_.sequential)
    s->spawn_by([this, s](std::size_t number) { return employ_one(*s, number); });
  std::exception_ptr failed;
  std::string refused;
  std::size_t wanted = 0, missing = 0;
  for (auto* s : thread_groups_) {
    alive_.fetch_add(s->spawned());
    if (s == on_caller_ && deferred_) continue;
    if (s == home_ && shape_.hire) continue;
    std::size_t i = 0;
    wanted += s->spawned();
    try {
      for (; i < s->spawned(); ++i) threads_.emplace_back([this, s, i] { live(*s, i); });
    } catch (const std::exception& e) {
      refused = e.what();
      missing += s->spawned() - i;
    }
  }
  if (missing > 0) failed = std::make_exception_ptr(no_more_threads(wanted, wanted - missing, refused));
  // The caller hires the threads of another runtime, unless it has something else to do.
  if (shape_.hire && !(team_is_due_ = on_caller && !deferred_)) {
    try {
      threads_.emplace_back([this] { hire(); });
    } catch (...) {
      failed = std::current_exception();
      if (auto* const team = dynamic_cast<thread_group*>(home_)) missing += team->size();
    }
  }
  // From here on threads are woken, and may be the last: one of them may need a new thread for that.
  hold.unlock();
  if (failed) {
    // The system has no more threads: those that run must not wait for the others.
    run.fail(failed, 0);
    wake();
    for (; missing > 0; --missing) leave();
  }
  if (over()) wake_groups();  // others execute everything: no thread may be there to find it out
  leave();
}

// Where another process waits for a stage it must hear of this run, also if that fails before its first item.
void graph_engine::begin_first() {
  auto& run = *state_;
  for (const auto* n : nodes_) {
    for (auto s = n->first(); s < n->last(); ++s) {
      const auto& ref = run.stages[s];
      if (!ref.info->begins_first || (run.others && !executes(*n))) continue;
      (void)run.guard(ref.component, 0, 0, [&] {
        start_once(s, 0, [&] { run.plan.components[ref.component]->start({ref.stage, ref.stage + 1}, 0); });
      });
    }
  }
}

error graph_engine::no_more_threads(std::size_t wanted, std::size_t made, const std::string& why) const {
  return error("the policy " + state_->policy + " needs " + std::to_string(wanted) +
               " threads for this job, but the system gave " + std::to_string(made) + " (" + why +
               "): raise its limit (ulimit -u, ulimit -v, or that of the container), or " +
               (shape_.thread_each ? "run the job under thalweg::pool, where stages share threads"
                                   : "ask for fewer workers, and for fewer stages with .blocking or .pin"));
}

// The threads of another runtime. A team may have fewer of them than it was asked for.
void graph_engine::hire() {
  auto* const team = dynamic_cast<thread_group*>(home_);
  const auto wanted = team != nullptr ? team->size() : 0;
  std::atomic<std::size_t> came{0};
  try {
    shape_.hire([&](std::size_t number) {
      if (number >= wanted) return;
      came.fetch_add(1);
      live(*team, number);
    });
  } catch (...) {
    state_->fail(std::current_exception(), 0);
    wake();
  }
  for (auto n = came.load(); n < wanted; ++n) leave();
}

void graph_engine::join() {
  const std::lock_guard hold(joining_);
  if (std::exchange(team_is_due_, false)) hire();
  if (std::exchange(deferred_, false)) {
    const affinity_guard back;
    live(*on_caller_, 0);
  }
  if (state_->others) state_->others->join();
  state_->flags.wait_done();
  const std::lock_guard no_more(employing_);
  for (auto& t : threads_) {
    if (t.joinable()) t.join();
  }
}

// One more of the threads that share the nodes without one of their own. The system may have no more of them:
// then it goes on with those there are.
bool graph_engine::employ_one(thread_group& s, std::size_t number) {
  const std::lock_guard hold(employing_);
  if (over() || !enter()) return false;
  try {
    threads_.push_back(begin_elsewhere([this, &s, number] { live(s, number); }));
  } catch (const std::exception&) {
    leave();
    return false;
  }
  return true;
}

// Replicas that have threads of their own get more of them. Those that are too many later sleep.
void graph_engine::employ(thread_group& s, std::size_t threads) {
  const std::lock_guard hold(employing_);
  while (s.size() < std::min(threads, s.most())) {
    if (!enter()) return;
    try {
      threads_.emplace_back([this, &s, number = s.size()] { live(s, number); });
    } catch (const std::exception& e) {
      leave();
      throw error(
          std::string(
              "set_replicas: each of these replicas needs its own thread, but the system gives no more (") +
          e.what() + "): ask for fewer, or run the job under thalweg::pool, where replicas share threads");
    }
    s.resize(s.size() + 1);
    state_->statistics.workers.fetch_add(1);
  }
}

void graph_engine::wake() {
  wake_groups();
  if (over()) return;
  for (auto* n : nodes_) n->resumed();
}

// Sleeping threads look at the flags again. Once the run is over only threads that still work keep it alive.
void graph_engine::wake_groups() {
  {
    const std::lock_guard hold(groups_lock_);
    for (auto& s : groups_) s->wake();
  }
  if (over()) cut_runs();
  if (state_->others) state_->others->wake();
  if (over() && goes_on_.exchange(false)) leave();
}

void graph_engine::add(stage_runner& l) {
  const std::lock_guard hold(runners_lock_);
  runners_.push_back(&l);
}

void graph_engine::cut_runs() noexcept {
  const std::lock_guard hold(runners_lock_);
  for (auto* l : runners_) l->cut();
}

// The last one to leave ends the run: nobody comes after that.
bool graph_engine::enter() noexcept {
  auto alive = alive_.load();
  do {
    if (alive == 0) return false;
  } while (!alive_.compare_exchange_weak(alive, alive + 1));
  return true;
}

void graph_engine::leave() {
  if (alive_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  monitor_->end();
  for (auto* n : nodes_) n->run_over();
  if (shape_.dismiss) shape_.dismiss();
  state_->finished();
}

void graph_engine::live(thread_group& s, std::size_t number) {
  auto& run = *state_;
  auto& log = run.counters.new_log(0, 0);
  run.guard(0, 0, 0, [&] {
    if (!s.pin.empty()) bind_to({s.pin[number % s.pin.size()]});
  });
  overcommit_.joined(s, log);
  worker w(s, log);
  // Across ranks there is one thread more than workers: that which speaks to the others.
  if (shape_.thread_each ||
      std::max(static_cast<std::size_t>(shape_.workers), number + 1) > static_cast<std::size_t>(cores()) ||
      state_->others)
    w.awake.share_the_core();
  std::int64_t deadline = never;
  bool told = false;
  const auto next_deadline = [&] {
    deadline = never;
    for (const auto* n : s.timed) deadline = std::min(deadline, n->deadline());
  };
  while (!over()) {
    if (number >= s.size()) {
      look_no_more(w);
      s.rest(number, [this] { return over(); });
      continue;
    }
    if (!s.timed.empty()) {
      next_deadline();
      // Every other time: what is due may have to wait for room, which others are to make.
      if (const auto now = observe::now_ns(); deadline <= now && !std::exchange(told, !told)) {
        for (auto* n : s.timed) {
          if (n->deadline() <= now) n->notify(&w);
        }
      }
    }
    if (auto* n = s.take()) {
      execute(*n, w);
      continue;
    }
    if (!w.polling.empty()) {
      poll(w, s);
      continue;
    }
    if (const auto ns = s.sleep(number, deadline, w.awake.time(), [this] { return over(); }); ns > 0) {
      log.work.idle_ns.add_ns(ns);
      log.work.parks.add();
      w.awake.slept(std::chrono::nanoseconds(ns));
    }
  }
  if (!all_woken_.exchange(true)) wake_groups();  // later sleepers see that it is over
  leave();
}

// Looks for a little while whether something is lent to one of the nodes that this thread has executed.
void graph_engine::poll(worker& w, thread_group& s) {
  const auto awake = [&] {
    for (auto* n : w.polling) {
      if (n->asleep() && n->could_borrow()) return n->notify(&w), true;
    }
    return s.busy() || over();
  };
  if (!pipe::spin_until(awake, poll_time + w.awake.more(), 1)) look_no_more(w);
}

// Whoever lends something to those nodes has to notify them from now on. `next`: what the thread executes
// now, if anything.
void graph_engine::look_no_more(worker& w, const node* next) {
  for (auto* n : w.polling) {
    if (n->fall_asleep(next)) n->notify(&w);
  }
  w.polling.clear();
}

void graph_engine::watch() {
  if (!is_watched() && !watched_.exchange(true)) monitor_->begin();
}

void graph_engine::watch_if_it_lasts() {
  if (!is_watched() && observe::now_ns() - began_ns_ > unwatched_ns) watch();
}

void graph_engine::attend() {
  monitor_->attend();
}

// --- executing ---

void graph_engine::execute(node& n, worker& w) {
  watch_if_it_lasts();
  const auto soon = std::exchange(w.soon, false);
  if (n.sources()) look_no_more(w, &n);  // it may wait in its call, for ever
  try {
    if (!n.ended()) n.execute(w);
  } catch (const thalweg::cancelled&) {
    if (!state_->flags.cancelled.load()) state_->flags.cancel();
  } catch (...) {
    state_->fail(std::current_exception(), 0);
  }
  w.soon = w.depth == 0;
  if (over()) wake_groups();
  n.release(w);
  w.soon = soon;
}

void graph_engine::slept() {
  const auto now = moving_.fetch_add(change - one_awake) - one_awake + change;
  // Other ranks may send something at any time: only all of them together can find out that nothing moves.
  if (!state_->others && all_wait(now) && !over()) make_way();
}

void graph_engine::ended() {
  if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  over_.store(true, std::memory_order_release);
  wake_groups();
}

// In the middle of another node's call.
void graph_engine::execute_inside(node& n, worker& w) {
  ++w.depth;
  execute(n, w);
  --w.depth;
}

// Executes a node, or what it waits for itself, if that is the worker's to do.
bool graph_engine::help(node& n, worker& w) {
  if (n.home == &w.home && n.claim()) {
    execute_inside(n, w);
    return true;
  }
  if (!n.asleep()) return false;
  for (auto& o : n.out) {
    if (o.to != nullptr && !o.to->has_room() && help(*o.to->to, w)) return true;
  }
  return false;
}

// What is ready is executed by this thread, or by none.
bool graph_engine::no_other_threads() const {
  if (!shape_.alone() || state_->others) return false;
  const std::lock_guard hold(groups_lock_);
  return thread_groups_.size() == 1 && thread_groups_.front()->size() == 1;
}

void graph_engine::wait_for_room(worker& w, channel& e) {
  const auto soon = std::exchange(w.soon, false);
  const auto begin = observe::now_ns();
  struct waiting {
    std::vector<channel*>& all;
    waiting(std::vector<channel*>& a, channel& mine) : all(a) {
      if (!all.empty()) all.back()->waits_in_call(false);
      all.push_back(&mine);
      mine.waits_in_call(true);
    }
    ~waiting() {
      all.back()->waits_in_call(false);
      all.pop_back();
      if (!all.empty()) all.back()->waits_in_call(true);
    }
  } const listed(w.waits_for, e);
  const blocked_call waits(*this);
  const auto turns = turns_given_.load();
  auto ways = ways_given_.load();
  bool rested = no_other_threads();
  while (!e.ask_for_room()) {
    if (state_->flags.cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
    if (help(*e.to, w)) continue;
    // Only what lies further along the stream: whoever is executed inside has to be through before this call
    // goes on, so it must not wait for anybody who waits for this call.
    if (auto* other = w.home.take(e.from->place)) {
      execute_inside(*other, w);
      continue;
    }
    const auto given = ways_given_.load();
    const bool told = std::exchange(ways, given) != given;
    if (nothing_moves() || (told && waits_for_others(moved()))) {
      // If an outer call on this stack has room now, it goes on when this one returns. Otherwise each full
      // channel that the stack waits for grows.
      const bool frees = std::any_of(w.waits_for.begin(), w.waits_for.end() - 1,
                                     [](const channel* below) { return below->has_room(); });
      for (auto* full : w.waits_for) {
        if (!full->has_room() && (full == &e || !frees)) grow(*full);
      }
      continue;
    }
    // Another thread has what is waited for in hand.
    if (!shape_.alone()) {
      w.home.call_others();
      if (pipe::spin_until([&] { return e.has_room(); })) continue;
    }
    // Or no thread has: a stage that chooses waits for another input. Whether another rank still works is not
    // known here: then only when all ranks stand still.
    // What is about to be executed by a thread of another group gets a moment for that.
    if (rested && (!state_->others || e.to->chooses() || turns_given_.load() != turns) && nobody_works() &&
        !e.has_room()) {
      if (auto* other = w.home.take()) {
        execute_inside(*other, w);
        rested = no_other_threads();
        continue;
      }
    }
    e.wait_for_room();
    rested = true;
  }
  w.soon = soon;
  const auto waited = observe::now_ns() - begin;
  e.from->waited_for_room(waited);
  w.log.work.idle_ns.add_ns(w.depth == 0 ? waited : 0);
}

bool graph_engine::nothing_moves() const {
  const auto before = moving_.load();
  return !state_->others && all_wait(before) &&
         std::none_of(channels_.begin(), channels_.end(), [](const auto& e) { return e->goes_on(); }) &&
         std::none_of(farms_.begin(), farms_.end(), [](const auto& f) { return f->turn_has_come(); }) &&
         moving_.load() == before;
}

// All that do not wait in the middle of a call are ready, and nobody has them in hand.
bool graph_engine::nobody_works() const {
  const auto ready = ready_nodes();
  const auto m = moving_.load();
  return (m % change) / one_awake <= m % one_awake + ready;
}

void graph_engine::wait_while_paused(worker& w) {
  const auto soon = std::exchange(w.soon, false);
  while (state_->flags.paused() && !state_->flags.ending.load()) {
    if (auto* other = w.home.take()) {
      // Until it returns the source cannot go on, so this counts as a blocked call.
      const blocked_call waits(*this);
      execute_inside(*other, w);
    } else {
      (void)state_->flags.wait_while_paused(std::chrono::milliseconds(1));
    }
  }
  w.soon = soon;
}

// Nothing moves. Where a stage that chooses waits for one input while another one, which it does not read, is
// full and keeps its sender from going on, the smallest such channel is allowed to grow. T. Parks, Bounded
// Scheduling of Process Networks (1995), section 4.
void graph_engine::make_way() {
  // One at a time; who comes meanwhile has the other look once more.
  if (asked_for_way_.fetch_add(1) > 0) return;
  for (std::size_t seen = 1; seen != 0;) {
    grow_smallest();
    seen = asked_for_way_.fetch_sub(seen) - seen;
  }
}

void graph_engine::grow_smallest() {
  auto* const smallest = smallest_full();
  if (smallest == nullptr) return monitor_->begin();  // nothing may move for ever
  if (!nothing_moves()) return;
  grow(*smallest);
  smallest->from->notify();
}

int graph_engine::at_once(std::size_t stage, int replicas) const {
  const bool own_threads = shape_.thread_each || state_->stages[stage].info->opts.blocking;
  return own_threads ? replicas : std::min(replicas, std::max(1, shape_.workers));
}

bool graph_engine::all_replicas_work(std::size_t stage) const {
  const auto* const f = farm_of_stage_[stage];
  return f != nullptr &&
         f->at_work() >= static_cast<std::size_t>(at_once(stage, static_cast<int>(f->replicas())));
}

void graph_engine::set_replicas(std::string_view stage, int replicas) {
  if (shape_.sequential && !state_->others) return engine::set_replicas(stage, replicas);  // it cannot
  auto& run = *state_;
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    const auto& name = run.stages[i].info->name;
    if (name != stage && !name.starts_with(std::string(stage) + "/")) continue;
    auto* const f = farm_of_stage_[i];
    if (f == nullptr)
      throw error("set_replicas: stage '" + std::string(stage) + "' is serial: put it into a tw::farm");
    if (state_->others) {
      // By the same number on all ranks, whichever of the farm's stages was named: ranks agree by it on which
      // change is the last.
      const auto first = stages_of(*f).front();
      return state_->others->resize(first,
                                    coordinator_of_stage_[first] >= 0
                                        ? static_cast<keyed_farm*>(f)->over()->possible(replicas)
                                        : std::min(replicas, ranks_for(first) * static_cast<int>(f->most())));
    }
    return resize_here(*f, std::min<std::size_t>(static_cast<std::size_t>(replicas), f->most()), true);
  }
  throw error("set_replicas: there is no stage '" + std::string(stage) + "'" + meant_stage(run, stage));
}

int graph_engine::most_replicas(std::size_t stage) const {
  const auto* const f = farm_of_stage_[stage];
  if (f == nullptr || shape_.sequential) return 0;
  const auto& run = *state_;
  if (!run.others) return static_cast<int>(f->most());
  const auto first = stages_of(*f).front();
  constexpr int any = std::numeric_limits<int>::max();
  return coordinator_of_stage_[first] >= 0 ? static_cast<const keyed_farm*>(f)->over()->possible(any)
                                           : ranks_for(first) * static_cast<int>(f->most());
}

// Items go through one loop one by one: it makes no difference how many of them a run has.
std::optional<std::chrono::nanoseconds> graph_engine::run_length() const {
  if (!state_->others && channels_.empty()) return std::nullopt;
  const auto most = most_run_ns_.load(std::memory_order_relaxed);
  return std::chrono::nanoseconds(most == never ? 0 : most);
}

void graph_engine::set_run_length(std::chrono::nanoseconds work) {
  if (state_->others) {
    require_root("set_run_length");
    return state_->others->set({setting::kind::run_length, 0, work.count()});
  }
  if (!run_length())
    throw error("set_run_length: under the policy '" + state_->policy +
                "' all stages of this job are one loop, which items pass one by one");
  bound_runs(work);
}

void graph_engine::bound_runs(std::chrono::nanoseconds work) noexcept {
  most_run_ns_.store(work.count() == 0 ? never : work.count(), std::memory_order_relaxed);
}

// The user's number stays.
void graph_engine::resize_here(replicated& f, std::size_t n, bool by_user) {
  const std::lock_guard one_at_a_time(resizing_);
  if (!by_user && f.sized_by_user) return;
  f.sized_by_user = by_user;
  const auto before = static_cast<int>(f.replicas());
  change_replicas(f, n);
  state_->statistics.resized(stages_of(f), before, static_cast<int>(n));
  if (state_->adapted.load()) fit_home_to_farms();
}

void graph_engine::leave_numbers() {
  const std::lock_guard one_at_a_time(resizing_);
  engine::leave_numbers();
  fit_home_to_farms();
}

// Of a run that adapts itself: more replicas than cores are for operators that wait, and each needs a thread.
// Under `resizing_`.
void graph_engine::fit_home_to_farms() {
  auto* const home = dynamic_cast<thread_group*>(home_);
  if (home == nullptr || !shape_.may_overcommit) return;
  const auto least = static_cast<std::size_t>(shape_.workers);
  std::size_t wanted = 0;
  for (std::size_t s = 0; s < farm_of_stage_.size(); ++s) {
    const auto* const f = farm_of_stage_[s];
    if (f == nullptr || (s > 0 && farm_of_stage_[s - 1] == f) || f->home() != home) continue;
    if (f->replicas() > least) wanted += f->replicas();
  }
  const auto threads = std::clamp(wanted, least, home->most());
  if (threads != home->size()) resize_home(threads);
}

// How many threads share the nodes without threads of their own.
void graph_engine::resize_home(std::size_t threads) {
  auto& home = static_cast<thread_group&>(*home_);
  state_->statistics.workers.fetch_add(static_cast<int>(threads) - static_cast<int>(home.size()));
  home.resize(threads);
}

void graph_engine::set_replicas_here(replicated& f, std::size_t n) {
  const std::lock_guard one_at_a_time(resizing_);
  change_replicas(f, n);
}

// Under `resizing_`.
void graph_engine::change_replicas(replicated& f, std::size_t n) {
  if (shape_.sequential) return;  // one thread executes any number
  n = std::min(n, f.most());
  if (auto* const each = dynamic_cast<farm*>(&f); each != nullptr && each->own_threads) {
    const auto& info = *state_->stages[each->all.front()->first()].info;
    for (std::size_t i = 0; i < n; ++i) {
      auto& replica = *each->all[i];
      if (replica.home == nullptr) give_threads(replica, group_for(info, true, 0, 1));
      employ(static_cast<thread_group&>(*replica.home), 1);
    }
    return f.set_replicas(n);
  }
  auto* const own = dynamic_cast<thread_group*>(f.home());
  if (own != nullptr && own != home_ && own != on_caller_) employ(*own, n);
  f.set_replicas(n);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
