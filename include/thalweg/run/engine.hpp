#pragma once

#include <thalweg/model/plan.hpp>
#include <thalweg/observe/counters.hpp>
#include <thalweg/observe/histogram.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/observe/trace.hpp>
#include <thalweg/run/policy.hpp>
#include <thalweg/run/run.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sched.h>

/// What all policies share: the state of one run, and the interface of the engines. A policy of one's own
/// implements `engine`; see docs/extending.md.
namespace thalweg::run_detail {

struct run_state;

namespace dataflow {
class exchange;
}

/// Where one thread of a run leaves what it counts. Owned by the run, written by that thread alone.
class thread_log {
 public:
  /// For a thread that executes stages [first, first + count) of the plan.
  thread_log(int number, std::size_t first, std::size_t count, bool observes = true)
      : number(number), observes_(observes), first_(first), counters_(count) {}

  /// The counters of a stage, by its number in the plan.
  observe::stage_counters& operator[](std::size_t stage) { return counters_[stage - first_]; }
  [[nodiscard]] const observe::stage_counters* find(std::size_t stage) const {
    return stage - first_ < counters_.size() ? &counters_[stage - first_] : nullptr;
  }
  /// Those of stages [first, first + count).
  std::span<observe::stage_counters> span(std::size_t first, std::size_t count) {
    return std::span(counters_).subspan(first - first_, count);
  }

  /// End-to-end latencies of items that arrived at a sink on this thread. `sampled`: of some of them only.
  void arrived(std::int64_t latency_ns, std::uint64_t items = 1, bool sampled = false);
  void add_latencies(observe::histogram& sum, bool& sampled) const;

  const int number;
  observe::worker_counters work;
  /// How long its sources have waited for due times: part of the time of calls, but no work. Its thread's
  /// own.
  std::int64_t waited_ns = 0;

 private:
  const bool observes_;
  const std::size_t first_;
  std::vector<observe::stage_counters> counters_;
  // Made with the first item that arrives: most threads of a large run have no sink.
  std::unique_ptr<observe::histogram> latency_;
  std::atomic<const observe::histogram*> published_{nullptr};
  std::atomic<bool> sampled_{false};
};

/// A thread's context for one component: what operators ask of the engine while they run.
class thread_context : public model::context {
 public:
  thread_context(run_state& run, thread_log& log, std::size_t component);

  void back_off(std::chrono::nanoseconds delay) override;
  void bury(const error_policy::handler& handler, const void* item, const std::exception_ptr& why) override;
  void arrived(std::int64_t due_ns) override;
  void wait_while_paused() override;
  void counted(std::size_t first, std::size_t last) override;

  /// Moves what the component counted into the thread's log. `busy_ns` is the time of the whole call: where
  /// stages ran one at a time it is theirs; fused stages share it by their probes. `probe`: the stage ran by
  /// itself so that it could be timed.
  void collect(model::range r, std::int64_t busy_ns, bool probe = false);

  /// How many items sink `leaf` has taken since the last `collect`.
  [[nodiscard]] std::uint64_t arrived_at(std::size_t leaf) const noexcept {
    const auto& t = tallies[leaf];
    return t.in - std::min(t.in, t.skipped + t.dead_lettered);
  }

  run_state& run;
  thread_log& log;
  const std::size_t component;
  const std::size_t first_stage;

 private:
  std::vector<std::uint64_t> items_;  // for `collect`
};

/// One run: its plan, the flags that end it, what went wrong and what was counted.
struct run_state {
  run_state(model::plan plan, std::string policy, const run_options& options);
  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;
  ~run_state();

  model::plan plan;
  std::string policy;
  run_options options;

  /// A stage of the plan by its number over all components.
  struct stage_ref {
    std::size_t component;
    std::size_t stage;
    const model::stage_info* info;
  };
  std::vector<stage_ref> stages;
  std::vector<std::size_t> first_of_component;

  std::atomic<bool> cancelled{false};
  std::atomic<bool> ending{false};
  std::atomic<bool> held{false};      // paused or ending: sources are not called
  std::atomic<std::size_t> quota{0};  // of an engine that calls one source at a time
  /// The quota of one source among several: set to 0 whenever sources shall not be called.
  void add_quota(std::atomic<std::size_t>& q);
  std::stop_source stop_operators;  // cancel
  std::stop_source stop_sources;    // stop or cancel
  std::mutex dead_letters;

  /// The error of the lowest position among those caught is kept. Cancels the run.
  void fail(std::size_t component, const model::stage_failure& failure, std::int64_t position, int replica);
  void fail(std::exception_ptr why, std::int64_t position);
  void cancel() noexcept;
  void end_sources() noexcept;
  /// Calls `f` and records what it throws, at `position` as it is then. Returns false if it threw.
  template <class F> bool guard(std::size_t component, const std::int64_t& position, int replica, F&& f) {
    try {
      f();
      return true;
    } catch (const model::stage_failure& failure) {
      fail(component, failure, position, replica);
    } catch (const thalweg::cancelled&) {
      if (!cancelled.load(std::memory_order_relaxed)) cancel();
    } catch (...) {
      fail(std::current_exception(), position);
    }
    return false;
  }

  /// Whether sources shall not be called now.
  [[nodiscard]] bool paused() const noexcept { return pausing.load(std::memory_order_acquire); }
  /// Whether stages are counted and timed. What a policy measures for its own decisions does not depend on
  /// it.
  [[nodiscard]] bool observes() const noexcept { return options.observe; }
  void pause();
  void resume();
  void wait_while_paused();
  /// The same for so long at most. Returns whether the sources are still not to be called.
  bool wait_while_paused(std::chrono::nanoseconds most);
  std::atomic<bool> pausing{false};
  std::atomic<std::int64_t> pause_began{0};
  std::atomic<std::int64_t> paused_ns{0};

  /// A log for one more thread, which executes `count` stages from `first` on (all, if not given).
  /// Thread-safe.
  thread_log& new_log();
  thread_log& new_log(std::size_t first, std::size_t count);

  /// Notes that the replicas of a farm, given by its stages' numbers, were changed.
  void resized(const std::vector<std::size_t>& farm, int from, int to);
  /// Notes which stages run fused, by stage number: those of one segment have the same number, others -1.
  void fused(std::vector<int> segment_of_stage);

  void finished();
  [[nodiscard]] report make_report(bool final) const;
  /// Counts are kept per run of items, and if a source has become slow, one can last for minutes: ends the
  /// one that goes on, and gives its counts a moment to arrive.
  void cut_run_short();
  /// Where other ranks execute parts of the job: what joins them to this one. Null: all of it is executed
  /// here.
  std::shared_ptr<dataflow::exchange> others;
  /// Whether this process has the results.
  bool root = true;
  /// What is done in another way than was asked for; set before the start.
  std::vector<std::string> notes;
  /// What has been counted in one process, or in several together.
  struct counts {
    std::vector<observe::stage_totals> stages;  ///< by stage number
    observe::worker_totals work;
    observe::histogram latency;
    bool sampled = false;  ///< the latencies are
    counts& operator+=(const counts& more);
  };
  /// Of this process.
  [[nodiscard]] counts counted() const;
  /// What rank 0 learns at the end of a run on several.
  struct elsewhere {
    counts counted;
    std::int64_t cpu_ns = 0;
    int cores = 0;
    std::vector<std::vector<int>> ranks_of_stage;
    std::vector<rank_report> ranks;
    std::vector<channel_report> channels;
    std::vector<std::string> notes;  ///< what was not as it was asked for, found out later
  };
  void learn(elsewhere all);

  /// What the engine knows and the counters do not; called under no lock.
  std::atomic<int> workers{1};
  std::atomic<bool> inlined{false};
  std::vector<std::size_t>
      reorder_slots;  // of the reorder window in front of a stage, by stage number; 0: none
  std::vector<std::int64_t> capacities;  // in front of a stage, by stage number; 0: none was named
  std::vector<int> replicas;             // allowed, by stage number
  std::vector<int> segments;             // fused groups, by stage number
  std::vector<resize_event> resizes;     // under `logs_mutex`
  std::function<std::uint64_t(std::size_t stage)>
      dropped_before;  // items dropped in front of a stage; may be null

  [[nodiscard]] std::exception_ptr error() const;
  /// Where in the stream, as its source counts.
  [[nodiscard]] std::int64_t error_position() const;
  void release_waiters();
  void wait_done();

  std::unique_ptr<observe::trace_recorder> trace;
  std::once_flag trace_written;
  std::int64_t started_ns = 0;
  std::int64_t ended_ns = 0;
  std::int64_t cpu_began = 0;
  std::int64_t cpu_ended = 0;
  std::atomic<bool> done{false};

 private:
  friend class thread_context;
  [[nodiscard]] counts counted_here() const;  // under `logs_mutex_`
  void hold_sources(std::atomic<bool>& why);
  void cut_sources() noexcept;  // under `mutex_`
  void end_pause();
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  mutable std::mutex logs_mutex_;
  std::vector<std::unique_ptr<thread_log>> logs_;
  elsewhere elsewhere_;  // under `logs_mutex_`
  std::exception_ptr error_;
  std::int64_t error_position_ = 0;
  std::vector<std::atomic<std::size_t>*> quotas_;
};

/// One run under a policy.
class engine {
 public:
  explicit engine(std::unique_ptr<run_state> s) : state_(std::move(s)) {}
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  virtual ~engine() = default;

  /// Starts the run. With `on_caller` the thread that calls is about to call `wait` and may be used for work
  /// there.
  virtual void start(bool on_caller) = 0;
  /// Returns when the run has ended and all its threads have left. May be called by several threads.
  virtual void join() = 0;
  /// Makes sleeping threads look at the flags again.
  virtual void wake() = 0;
  virtual void set_replicas(std::string_view stage, int replicas);
  /// Whether it executes graphs. One that does not say so gets lines only: `any_policy::make` refuses a
  /// graph.
  [[nodiscard]] virtual bool executes_graphs() const noexcept { return false; }

  void stop();
  void cancel();
  void pause();
  void resume();

  [[nodiscard]] run_state& state() noexcept { return *state_; }
  [[nodiscard]] const run_state& state() const noexcept { return *state_; }

 protected:
  std::unique_ptr<run_state> state_;
};

/// The number of processors this process may use, at least 1.
int cores();
/// Binds the calling thread to these processors; does nothing for none. Throws thalweg::error if they do not
/// exist.
void bind_to(const std::vector<int>& processors);
/// Gives a thread that is not ours its processors back when it leaves.
class affinity_guard {
 public:
  affinity_guard();
  affinity_guard(const affinity_guard&) = delete;
  affinity_guard& operator=(const affinity_guard&) = delete;
  ~affinity_guard();

 private:
  cpu_set_t before_;
};
/// A thread that begins on another processor than the caller's, if it may use one: a new thread is often put
/// beside the one that makes it, and stays there for milliseconds while other processors are idle.
std::thread begin_elsewhere(std::function<void()> life);
/// A sentence for each of these processors that this process cannot use.
std::vector<std::string> unusable_processors(const std::string& who, const std::vector<int>& processors);

std::shared_ptr<engine> make_sequential(std::unique_ptr<run_state> state, const void* policy);
std::shared_ptr<engine> make_pool(std::unique_ptr<run_state> state, const void* policy);
std::shared_ptr<engine> make_threads(std::unique_ptr<run_state> state, const void* policy);

}  // namespace thalweg::run_detail
