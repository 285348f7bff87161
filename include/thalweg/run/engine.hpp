#pragma once

#include <thalweg/model/plan.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/run/executing.hpp>
#include <thalweg/run/policy.hpp>
#include <thalweg/run/run.hpp>
#include <thalweg/run/run_counters.hpp>
#include <thalweg/run/run_errors.hpp>
#include <thalweg/run/run_flags.hpp>
#include <thalweg/run/run_statistics.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sched.h>

/// What all policies share: the state of one run, and the interface of the engines. A custom policy
/// implements `engine`; see docs/extending.md.
namespace THALWEG_NAMESPACE::run_detail {

struct run_state;
class adapting;
class looks;
class run_sampler;
class run_watch;

namespace dataflow {
class exchange;
}

/// A thread's context for one component: what operators ask of the engine while they run.
class thread_context : public model::context {
 public:
  thread_context(run_state& run, thread_log& log, std::size_t component);

  void back_off(std::chrono::nanoseconds delay) override;
  void one_at_a_time(model::function_ref<void()> f) override;
  void arrived(std::int64_t due_ns) override;
  void wait_while_paused() override;
  void counted(std::size_t first, std::size_t last) override;

  /// Moves what the component counted into the thread's log. `busy_ns` is the time of the whole call: where
  /// stages ran one at a time it is theirs; fused stages share it by their probes. `probe`: the stage ran
  /// alone so that it could be timed.
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

/// For what measures programs from outside, which name no options: the next run of this process that is
/// observed and has no `.monitor` gets this one, and this `.every`. Thread-safe; a second call replaces the
/// first.
void monitor_next_run(std::string file, std::chrono::nanoseconds every);

/// One run: its plan, and what its threads share, in parts with a lock each. What needs several of the parts
/// is done here.
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

  run_flags flags;
  run_errors errors;
  run_statistics statistics;
  run_counters counters;
  /// If other ranks execute parts of the job: the connection to them. Null: all of it is executed here.
  std::shared_ptr<dataflow::exchange> others;
  /// Whether this process has the results.
  std::atomic<bool> root{true};
  /// The looks that see items on their way.
  std::shared_ptr<looks> seen_by;
  /// Looks at all of this from time to time; null: that was not asked for.
  std::unique_ptr<run_sampler> sampler;
  /// Changes this run as it goes on; null: nothing does. Under `steering`.
  std::unique_ptr<adapting> adapts;
  std::mutex steering;
  /// Something changes, or has changed, all farms: then the engine by itself changes no numbers of replicas
  /// and threads.
  std::atomic<bool> adapted{false};
  /// Sees all runs of the process, and so this one, until it is over; null: none does.
  std::shared_ptr<run_watch> watch;

  /// Records an error, and cancels the run.
  void fail(std::size_t component, const model::stage_failure& failure, std::int64_t position, int replica);
  void fail(std::exception_ptr why, std::int64_t position);
  /// Calls `f` and records what it throws, at `position` as it is then. Returns false if it threw.
  template <class F> bool guard(std::size_t component, const std::int64_t& position, int replica, F&& f) {
    const executing here(*this);
    try {
      f();
      return true;
    } catch (const model::stage_failure& failure) {
      fail(component, failure, position, replica);
    } catch (const thalweg::cancelled&) {
      if (!flags.cancelled.load(std::memory_order_relaxed)) flags.cancel();
    } catch (...) {
      fail(std::current_exception(), position);
    }
    return false;
  }

  void finished();
  /// Whether this process decides for the run: of several ranks the first one does, from the beginning on.
  [[nodiscard]] bool decides() const noexcept;
  /// Whether stages are counted and timed. What a policy measures for its own decisions does not depend on
  /// it.
  [[nodiscard]] bool observes() const noexcept { return options.observe; }
  /// Before a report of a run that goes on: has its counts brought up to date, in this process and in others.
  void look_around();
  [[nodiscard]] report make_report(bool final) const;
  /// As `execution` has them.
  void start_trace(std::size_t events_per_thread);
  [[nodiscard]] std::string stop_trace();

 private:
  void cut_run_short();
};

/// One run under a policy.
class engine {
 public:
  explicit engine(std::unique_ptr<run_state> s) : state_(std::move(s)) {}
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  virtual ~engine() = default;

  /// Starts the run. With `on_caller` the calling thread is about to call `wait` and may be used for work
  /// there.
  virtual void start(bool on_caller) = 0;
  /// Returns when the run has ended and all its threads have left. May be called by several threads.
  virtual void join() = 0;
  /// Makes sleeping threads look at the flags again.
  virtual void wake() = 0;
  virtual void set_replicas(std::string_view stage, int replicas);
  /// The most replicas that `set_replicas` gives the farm of this stage; 0: its number cannot be changed.
  [[nodiscard]] virtual int most_replicas(std::size_t /*stage*/) const { return 0; }
  virtual void set_run_length(std::chrono::nanoseconds work);
  virtual void set_credits(std::string_view stage, int runs);
  virtual void set_message_bytes(std::size_t bytes);
  virtual void set_ranks(int ranks);
  /// The most work in a run of items, as it was asked for (0: as it sees fit); nothing: it cannot be changed.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> run_length() const { return std::nullopt; }
  /// The credits of this stage, as they were asked for (0: as it sees fit); nothing: they cannot be changed.
  [[nodiscard]] virtual std::optional<int> credits(std::size_t /*stage*/) const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<std::size_t> message_bytes() const { return std::nullopt; }
  /// The most ranks that `set_ranks` spreads farms over; 0: that cannot be changed.
  [[nodiscard]] virtual int most_ranks() const { return 0; }
  /// Whether it executes graphs. By default it gets lines only: `any_policy::make` refuses a graph.
  [[nodiscard]] virtual bool executes_graphs() const noexcept { return false; }
  /// The rank that executes this serial stage; -1: this process does.
  [[nodiscard]] virtual int executed_by(std::size_t /*stage*/) const { return -1; }

  /// Whether it shows items on their way to `run_state::seen_by`.
  [[nodiscard]] virtual bool shows_items() const noexcept { return false; }

  void set_rate(std::string_view stage, const rate& r);
  /// `from` empty: the stage before, if there is one only.
  [[nodiscard]] look look_into(std::string_view from, std::string_view to, const look_options& how);
  void set_batch(std::string_view stage, const batch_limits& limits);
  /// From now on what adapts the run decides, too, how many threads there are.
  virtual void leave_numbers() { state_->adapted.store(true); }
  /// From now on the run adapts itself like this, or no more.
  void steer(std::optional<adapt> how);
  void stop();
  void cancel();
  void pause();
  void resume();

  [[nodiscard]] run_state& state() noexcept { return *state_; }
  [[nodiscard]] const run_state& state() const noexcept { return *state_; }

  /// The signals that stop its run, for as long as the engine lives.
  std::shared_ptr<void> attached;

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
/// A thread that begins on another processor than the caller's, if it may use one: a new thread is often
/// placed on the processor of its creator, and stays there for milliseconds while other processors are idle.
std::thread begin_elsewhere(std::function<void()> life);
/// A sentence for each of these processors that this process cannot use.
std::vector<std::string> unusable_processors(const std::string& who, const std::vector<int>& processors);

std::shared_ptr<engine> make_sequential(std::unique_ptr<run_state> state, const void* policy);
std::shared_ptr<engine> make_pool(std::unique_ptr<run_state> state, const void* policy);
std::shared_ptr<engine> make_threads(std::unique_ptr<run_state> state, const void* policy);

}  // namespace THALWEG_NAMESPACE::run_detail
