/// `run`, `launch`: executes a job, and tells what it did.
#pragma once

#include <thalweg/adapt/adapt.hpp>
#include <thalweg/model/any_pipeline.hpp>
#include <thalweg/model/graph.hpp>
#include <thalweg/model/pipeline.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/run/look.hpp>
#include <thalweg/run/policy.hpp>
#include <thalweg/run/stage_setting.hpp>
#include <thalweg/run/stop_on.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// How a run has ended, for `run_options::at_end`.
struct run_end {
  report figures;            ///< as `wait` returns it
  std::exception_ptr error;  ///< what `wait` throws; null: nothing has failed
  bool cancelled;            ///< it did not come to its end: it was cancelled, or has failed
  bool stopped;  ///< its sources were asked to end: by `stop`, by a signal, or since it was cancelled
};

/// The options of a single run besides its policy.
///
/// ```cpp
/// int ends = 0;
/// auto note = [&](const tw::run_end& end) { ends += end.error == nullptr && end.figures.items() == 3; };
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {}), tw::pool{}, {.at_end = note});
/// assert(ends == 1);
/// ```
struct run_options {
  /// Where to write a trace of the run, readable by Perfetto and chrome://tracing; empty: none is taken.
  std::string trace = {};
  /// Whether stages are counted and timed. Without it the report has only the times of the run and what
  /// failed: no items, no latencies, no times of stages. docs/performance.md shows what that saves.
  bool observe = true;
  /// The first of these signals stops the run, for as long as its `execution` lives: see `tw::stop_on`.
  std::vector<int> stop_on_signals = {};
  /// What stages without their own `.on_error` (and without one on their farm) do when their operators throw.
  /// A stage that cannot have that policy (for example because its items cannot be copied, or because the
  /// handler of `tw::dead_letter` takes another type) ends the run, as without it.
  error_policy on_error = {};
  /// Called once when the run has ended, in any way, and before `wait` returns: with the report, and what
  /// went wrong. The last thread of the run calls it, or the one that waits; on several ranks, each rank
  /// calls it. `wait` throws what it throws if nothing else has failed. A refused job has no run, and no end.
  /// Not called if the run cannot begin at all: then `launch` throws.
  std::function<void(const run_end&)> at_end = {};
  /// Shows on the standard error stream how far the run is: items, items per second, the stage that is at
  /// work most, the time. A line of a terminal is written anew `.every` so often; where there is no terminal,
  /// a line is added every 10 s. A run that ends before that writes nothing. Of several ranks rank 0 shows
  /// what it executes.
  bool progress = false;
  /// The file into which samples of the run are written, one JSON object a line, one every `.every` and one
  /// at the end; empty: none. docs/observing.md says what they hold. A file that cannot be written is an
  /// error before the run begins (`std::system_error`; on several ranks, of which rank 0 writes,
  /// `thalweg::error` on all). If writing fails later, the run goes on and the report has a note.
  std::string monitor = {};
  /// How often `.progress` and `.monitor` look, by a thread that both share; at least 1 ms.
  std::chrono::nanoseconds every = std::chrono::milliseconds(500);
  /// The run adapts itself: every so often it looks at what its stages have done, and changes how many
  /// replicas its farms have, and what closes its batches, to reach a goal. Without it only farms with
  /// `tw::adaptive` are changed, and farms without a number whose operators wait. A farm with a number begins
  /// with that. The report has each decision and its reason. On several ranks rank 0 decides for all. What is
  /// absent here may come from the environment, as in `THALWEG_ADAPT="planner=ds2 goal=keep_up"`:
  /// `tw::adapt_from` says what there is.
  /// `run` throws `invalid_job` if `adapt::every` is shorter than 1 ms or longer than an hour, for bounds
  /// that hold no number, and without `.observe`; and what the planner throws as it begins.
  /// docs/adaptation.md says what each planner does.
  std::optional<thalweg::adapt> adapt = {};
  /// What is different in this run from what the job says of its stages. `tw::settings` makes them from the
  /// environment or from a file.
  std::vector<stage_setting> stages = {};
};

/// A run that is going on. Movable; all its functions may be called from any thread. If it is destroyed
/// before `wait`, the run is cancelled and waited for. One that has been moved from holds no run: its
/// functions throw `thalweg::error`.
///
/// ```cpp
/// auto numbers = tw::source([n = 0]() mutable -> std::optional<int> { return n++; });
/// auto e = tw::launch(numbers | tw::sink([](int) {}));
/// while (e.stats().items() < 1000) std::this_thread::yield();
/// e.stop();
/// assert(e.wait().items() >= 1000);
/// ```
class execution {
 public:
  explicit execution(std::shared_ptr<run_detail::engine> engine);
  execution(execution&&) noexcept;
  execution& operator=(execution&&) noexcept;
  ~execution();

  /// Waits for the end and returns the report; stages on `tw::caller_thread` are executed here. Throws
  /// `stage_error` if a stage failed, with the original exception nested, otherwise `std::system_error` if
  /// the trace that was asked for cannot be written. May be called more than once. In an operator of the same
  /// run it would wait for itself, and throws `thalweg::error`.
  report wait();
  /// The same, but at most for this long; nothing: the run goes on. Only `wait` executes stages on
  /// `tw::caller_thread`.
  ///
  /// ```cpp
  /// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
  ///                     tw::sink([](int) {}));
  /// while (!e.wait_for(5ms)) e.stop();  // or show how far it is
  /// ```
  std::optional<report> wait_for(std::chrono::nanoseconds most);
  /// The sources end, and what is on its way drains. Not for signal handlers: see `tw::stop_on`.
  void stop();
  /// The run ends as soon as the current operator calls return; items on their way are lost. `wait` then
  /// returns normally: cancelling is not an error.
  void cancel();
  /// The sources are not called any more until `resume`; what is on its way drains. Returns at once: a source
  /// that is being called finishes that call. The schedule of a paced source is frozen meanwhile.
  ///
  /// ```cpp
  /// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
  ///                     tw::sink([](int) {}));
  /// e.pause();
  /// std::this_thread::sleep_for(5ms);
  /// e.resume();
  /// e.stop();
  /// assert(e.wait().paused() >= 5ms);
  /// ```
  void pause();
  /// Sources go on; does nothing if the run is not paused.
  void resume();
  /// A report while running. Counts are kept per run of items: the current one is cut short for them, which
  /// takes up to a millisecond. Items that an operator works on for longer count next time. Of a run on
  /// several ranks, rank 0 has what all of them count, as of a moment ago (`rank_report::age`).
  [[nodiscard]] report stats() const;
  /// From now on, all threads of this process record which stages they execute, each at most
  /// `events_per_thread` events and never more than 262 144; `stop_trace` ends that and returns the trace. If
  /// the run ends earlier, so does the recording. Each event takes 48 bytes, which are kept for the next
  /// recording. While nothing is recorded, this costs two branches per run of items.
  ///
  /// Throws `thalweg::error` if a recording goes on already, if `run_options::trace` asks for a trace of all
  /// of the run, or if the run is over. In a run on several ranks, each process records only what it executes
  /// itself, and its trace says so.
  ///
  /// ```cpp
  /// auto count = [n = 0]() mutable -> std::optional<int> { return n++; };
  /// auto e = tw::launch(tw::source(count, {.name = "count"}) | tw::sink([](int) {}));
  /// e.start_trace();
  /// const auto before = e.stats().items();
  /// while (e.stats().items() < before + 1000) std::this_thread::yield();
  /// const std::string trace = e.stop_trace();  // for https://ui.perfetto.dev
  /// assert(trace.find("\"count") != std::string::npos);
  /// ```
  void start_trace(std::size_t events_per_thread = std::size_t{1} << 18);
  /// Ends the recording that `start_trace` has begun, and returns its trace: JSON in the Trace Event Format.
  /// An execution that began earlier is shown from the beginning of the recording on (`"began_before_us"`
  /// says how much earlier), one that goes on is shown until now (`"running": true`).
  ///
  /// Throws `thalweg::error` if nothing is being recorded.
  [[nodiscard]] std::string stop_trace();
  /// The last part of a recording that goes on: of each thread the events of this time, at most `most` of
  /// them, and what it executes now. Throws `thalweg::error` if nothing is being recorded.
  ///
  /// ```cpp
  /// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
  ///                     tw::sink([](int) {}));
  /// e.start_trace();
  /// assert(e.last_of_trace(100ms).starts_with("{"));
  /// ```
  [[nodiscard]] std::string last_of_trace(std::chrono::nanoseconds last, std::size_t most = 1000) const;
  /// Whether the run has ended.
  [[nodiscard]] bool done() const;
  /// Changes how many replicas of a farm may work at once. Replicas at work finish their run of items first.
  /// If each replica has its own thread (`threads`, `.blocking`, `.pin`), new ones get theirs.
  ///
  /// At most 256, or 32 for a farm whose keys are divided: a higher number counts as this limit. After the
  /// run has ended nothing changes.
  ///
  /// Throws `thalweg::error` under `sequential`, for an unknown or a serial stage, and for numbers below 1.
  ///
  /// ```cpp
  /// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
  ///                     tw::farm([](int x) { return -x; }, {.replicas = 1, .name = "negate"}) |
  ///                     tw::sink([](int) {}));
  /// e.set_replicas("negate", 4);
  /// e.stop();
  /// tw::report r = e.wait();
  /// assert(r.stage("negate").replicas() == 4 && r.resizes().front().from == 1);
  /// ```
  void set_replicas(std::string_view stage, int replicas);
  /// The same for several farms at once: if one of the changes is not possible, none is made.
  ///
  /// ```cpp
  /// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
  ///                     tw::farm([](int x) { return -x; }, {.replicas = 1, .name = "negate"}) |
  ///                     tw::farm([](int x) { return x / 2; }, {.replicas = 4, .name = "halve"}) |
  ///                     tw::sink([](int) {}));
  /// e.set_replicas({{"negate", 3}, {"halve", 2}});
  /// e.stop();
  /// assert(e.wait().resizes().size() == 2);
  /// ```
  void set_replicas(std::initializer_list<std::pair<std::string_view, int>> changes);
  /// From now on a stage takes at most so much work at once, as a run of items: shorter runs cost more for
  /// each item, and let single items pass sooner. Between 1 us and 500 us; 0: as the run sees fit, which is
  /// what it begins with (docs/natural-batching.md). On several ranks it holds for all of them, and rank 0
  /// can call it. After the run has ended nothing changes.
  ///
  /// Throws `thalweg::error` for other times, and where it would make no difference: under a custom policy,
  /// and where all stages share one loop (docs/policies.md).
  ///
  /// ```cpp
  /// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
  ///                     tw::farm([](int x) { return -x; }) | tw::sink([](int) {}));
  /// e.set_run_length(20us);
  /// while (e.stats().items() == 0) std::this_thread::yield();
  /// e.stop();
  /// ```
  void set_run_length(std::chrono::nanoseconds work);
  /// Of a run on several ranks: from now on each rank sends at most this many runs of items in advance to
  /// each replica of this stage, as `mpi_options::credits` says for all stages; 0: as many as the run sees
  /// fit. Rank 0 can call it. After the run has ended nothing changes.
  ///
  /// Throws `thalweg::error` for a negative number or more than 1024, for an unknown stage, for one whose
  /// items come from no other rank, and in a run that is not on several ranks.
  void set_credits(std::string_view stage, int runs);
  /// Of a run on several ranks: from now on a message holds at most this many bytes of items, unless one item
  /// is larger, as `mpi_options::batch_bytes`. Rank 0 can call it. After the run has ended nothing changes.
  ///
  /// Throws `thalweg::error` for 0, and in a run that is not on several ranks.
  void set_message_bytes(std::size_t bytes);
  /// Of a run on several ranks: from now on the replicas of farms are spread over this many of them, the
  /// first ones, with rank 0. The others execute nothing as soon as what is under way to them is done, and
  /// are ranks in reserve (`mpi_options::reserve`). How many replicas a farm has stays, up to 256 for each
  /// rank that is left. Some farms stay where they are, such as those that `.place` names
  /// (docs/distributed.md has them all), and the report has a note. Rank 0 can call it. After the run has
  /// ended nothing changes.
  ///
  /// Throws `thalweg::error` for less than 1 or more than there are, if a serial stage was placed on a rank
  /// that is to leave, and in a run that is not on several ranks.
  void set_ranks(int ranks);
  /// From now on a paced source follows this rate, from its beginning; what happens to late items stays. It
  /// takes effect with the next item, within 20 ms, also if that one was not due for long. The report has all
  /// changes. If its `pace` is set, too, the later of the two holds. After the run has ended nothing changes.
  ///
  /// Throws `thalweg::error` for an unknown stage, for one that is no paced source, and if another rank
  /// executes it.
  ///
  /// ```cpp
  /// auto ticks = tw::paced([n = 0]() mutable { return std::optional(n++); }, 0.001, {.name = "ticks"});
  /// auto e = tw::launch(ticks | tw::sink([](int) {}));
  /// e.set_rate("ticks", 10'000);  // the second item would come after a quarter of an hour
  /// while (e.stats().items() < 10) std::this_thread::yield();
  /// e.stop();
  /// assert(e.wait().rate_changes().front().to == 10'000);
  /// ```
  void set_rate(std::string_view stage, const rate& r);
  /// Looks at the next items that come along the edge between two stages, as text, without slowing the
  /// stream: see `look`. Stages that run as one loop are no obstacle: now and then a run of items goes
  /// through them one by one. After the run has ended nothing comes.
  ///
  /// Throws `thalweg::error` for an unknown stage, if there is no such edge, for no items or more than 1000,
  /// if another rank executes the stage that takes the items, and under a custom policy that shows none.
  ///
  /// ```cpp
  /// auto count = [n = 0]() mutable -> std::optional<int> { return n++; };
  /// auto e = tw::launch(tw::source(count, {.name = "count"}) |
  ///                     tw::map([](int x) { return std::to_string(x); }, {.name = "print"}) |
  ///                     tw::sink([](const std::string&) {}, {.name = "forget"}));
  /// auto look = e.look_into("count", "print", {.items = 1});
  /// assert(look.wait_for(1min).size() == 1);
  /// e.stop();
  /// ```
  [[nodiscard]] look look_into(std::string_view from, std::string_view to, const look_options& options = {});
  /// The same for the only edge that leads into the stage; of a source, for the only one that leaves it.
  /// Throws `thalweg::error` if there are several, and names them.
  [[nodiscard]] look look_into(std::string_view stage, const look_options& options = {});
  /// From now on these limits close the batches of a `tw::batch`, all of them anew: a limit that is not named
  /// does not hold any more. They hold from the next item on; a batch that has begun keeps the time at which
  /// it is due, if it has one. No item is lost, and their order stays. In a farm they hold for each replica.
  /// If its `batching` is set, too, the later of the two holds. The report has all changes. After the run has
  /// ended nothing changes.
  ///
  /// Throws `thalweg::error` for an unknown stage, for one that is no batch, for limits that are negative or
  /// all absent, for an interval of a batch that was made without one (nothing would wake it), and on several
  /// ranks for a batch that another rank executes, or that is in a farm.
  ///
  /// ```cpp
  /// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
  ///                     tw::batch(1'000'000'000, 1h, {.name = "blocks"}) |
  ///                     tw::sink([](const std::vector<int>&) {}));
  /// e.set_batch("blocks", {.items = 64});  // no batch had been closed before
  /// while (e.stats().items() < 10) std::this_thread::yield();
  /// e.set_batch("blocks", {.items = 128, .interval = 10ms});
  /// e.stop();
  /// assert(e.wait().batch_changes().front().to.items == 64);
  /// ```
  void set_batch(std::string_view stage, const batch_limits& limits);
  /// From now on the run adapts itself like this, in place of how it did before; nothing: no more, and all
  /// numbers stay as they are. See `run_options::adapt`. After the run has ended nothing changes. Waits for a
  /// call of the planner that goes on. Throws `invalid_job` as `run` does for these options, what the new
  /// planner throws as it begins (then the run adapts itself no more), and `thalweg::error` if the planner of
  /// the same run calls this.
  ///
  /// ```cpp
  /// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
  ///                     tw::farm([](int x) { return -x; }, {.name = "negate"}) | tw::sink([](int) {}));
  /// e.adapt(tw::adapt{.goal = tw::throughput(), .every = 5ms, .bounds = {.most_replicas = 4}});
  /// while (e.stats().items() < 10) std::this_thread::yield();
  /// e.adapt(std::nullopt);
  /// e.stop();
  /// assert(e.wait().stage("negate").replicas() <= 4);
  /// ```
  void adapt(std::optional<thalweg::adapt> how);

 private:
  friend class stop_on;
  [[nodiscard]] const std::shared_ptr<run_detail::engine>& held() const;

  std::shared_ptr<run_detail::engine> engine_;
};

namespace run_detail {

execution start(model::plan&& plan, const any_policy& policy, const run_options& options);
report run_here(model::plan&& plan, const any_policy& policy, const run_options& options);

template <class Job> model::plan plan_of(Job&& job) {
  using bare = std::remove_cvref_t<Job>;
  static_assert(bare::has_source, "thalweg::run: the job has no source: begin it with tw::source(...)");
  static_assert(bare::has_sink, "thalweg::run: the job has no sink: end it with tw::sink(...)");
  static_assert(!std::is_lvalue_reference_v<Job> || std::is_copy_constructible_v<bare>,
                "thalweg::run: this job holds something that can be used only once (a move-only operator, a "
                "single-pass range); move it into the run with tw::run(std::move(job))");
  model::naming names;
  model::plan made;
  if constexpr (bare::has_source && bare::has_sink && std::is_constructible_v<bare, Job>) {
    bare copy(std::forward<Job>(job));
    model::lower_into(made, std::move(copy), names);
  }
  made.check(names);
  return made;
}

inline model::plan plan_of(graph& g) {
  return g.plan();
}

// A job moved into its picture is not run any more; a graph is left as it is.
template <class Job> model::drawing drawn(Job& job) {
  if constexpr (std::is_same_v<Job, graph>) {
    return job.drawn();
  } else if constexpr (std::is_copy_constructible_v<std::remove_const_t<Job>>) {
    return plan_of(std::as_const(job)).drawn();
  } else {
    return plan_of(std::move(job)).drawn();
  }
}

}  // namespace run_detail

/// Anything `run` takes: a pipeline with a source and a sink, or a graph. A graph is run with its own stages,
/// so it cannot be moved into the run: if it is destroyed before the end, the run is cancelled.
template <class J>
concept runnable = model::any_typed_pipeline<J> || std::is_same_v<J, graph&>;

/// Runs a job to its end and returns the report. A job given by lvalue is a blueprint: its operators are
/// copied for the run, and it can be run again; an rvalue is used up.
///
/// Throws `invalid_job` with all problems of the job before anything runs, `stage_error` if a stage fails.
///
/// ```cpp
/// auto job = tw::source(std::vector{1, 2, 3}) | tw::map([](int x) { return x * 2; }) | tw::sink([](int) {});
/// tw::report r = tw::run(job);
/// tw::report s = tw::run(job, tw::sequential{});
/// tw::report t = tw::run(job, {.on_error = tw::skip});  // tw::pool{}
/// assert(r.items() == 3 && s.items() == 3 && t.items() == 3);
/// ```
template <runnable Job>
report run(Job&& job, const any_policy& policy = {}, const run_options& options = {}) {
  return run_detail::run_here(run_detail::plan_of(std::forward<Job>(job)), policy, options);
}
template <runnable Job> report run(Job&& job, const run_options& options) {
  return run(std::forward<Job>(job), any_policy{}, options);
}

/// Starts a job and returns at once; see `execution`. Throws `invalid_job` as `run` does; `wait` throws the
/// errors of stages. Stages on `tw::caller_thread` are executed in `wait`: without it such a run does not
/// end.
///
/// ```cpp
/// std::vector<int> seen;
/// tw::execution e = tw::launch(tw::source(std::vector{1, 2, 3}) | tw::sink(seen));
/// tw::report now = e.stats();  // while it goes on
/// tw::report end = e.wait();
/// assert(now.items() <= 3 && end.items() == 3 && seen.size() == 3);
/// ```
template <runnable Job>
[[nodiscard]] execution launch(Job&& job, const any_policy& policy = {}, const run_options& options = {}) {
  return run_detail::start(run_detail::plan_of(std::forward<Job>(job)), policy, options);
}
template <runnable Job> [[nodiscard]] execution launch(Job&& job, const run_options& options) {
  return launch(std::forward<Job>(job), any_policy{}, options);
}

/// The job as a Graphviz picture, for `dot -Tsvg`: a box for each stage, the types of the items between them,
/// a frame around each farm. The job is not run, and not refused if there is something wrong with it. A graph
/// may be running: it is shown with the taps and feeds that are open.
///
/// ```cpp
/// auto job = tw::source(std::vector{1}, {.name = "read"}) | tw::sink([](int) {}, {.name = "write"});
/// const std::string picture = tw::to_dot(job);
/// assert(picture.starts_with("digraph") && picture.find("s0 -> s1 [label=\"int\"]") != std::string::npos);
/// ```
template <runnable Job> std::string to_dot(Job&& job) {
  return run_detail::drawn(job).to_dot();
}

/// The job as JSON, for tools: its `stages`, with names, item types and the options of their farms, and the
/// `connections` between them by number; for a stage of a graph also how many `taps` and `feeds` are open.
/// The job is not run, and not refused if there is something wrong with it.
///
/// ```cpp
/// auto job = tw::source(std::vector{1}, {.name = "read"}) | tw::sink([](int) {}, {.name = "write"});
/// const std::string text = tw::to_json(job);
/// assert(text.find(R"("name":"read")") != std::string::npos);
/// assert(text.find(R"({"from":0,"to":1})") != std::string::npos);
/// ```
template <runnable Job> std::string to_json(Job&& job) {
  return run_detail::drawn(job).to_json();
}

}  // namespace THALWEG_NAMESPACE
