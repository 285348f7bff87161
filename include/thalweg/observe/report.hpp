/// What a run did: items, rates, latencies, each stage's share of the time, and what limits the whole.
#pragma once

#include <thalweg/observe/batch_limits.hpp>
#include <thalweg/observe/counters.hpp>
#include <thalweg/observe/histogram.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE {

/// Nanoseconds with a fraction: the time of one item may be less than one nanosecond.
using fractional_ns = std::chrono::duration<double, std::nano>;

class latency_report;

/// What a policy knows about a stage after (or during) a run; input to `report`.
struct stage_data {
  std::string name;                  ///< its path, as in `archive/compress`
  std::string kind;                  ///< its pattern: `source`, `map`, `farm`, `sink`, ...
  observe::stage_totals totals;      ///< counters of all its replicas together
  int replicas = 1;                  ///< how many may work at once; 1 for a serial stage
  bool farm = false;                 ///< more of them may be allowed
  std::size_t capacity = 0;          ///< of its input pipe in items; 0 if it is called directly
  std::size_t reorder_capacity = 0;  ///< of its reorder window in runs; 0 if it has none
  bool blocking = false;             ///< it waits for the outside: its time is not processor time
  bool paced = false;                ///< a source that follows a schedule of due times
  std::optional<double> due_rate;    ///< of such a source: items a second that are due at this moment
  int segment = -1;  ///< stages of the same number never run at once, as they are fused; -1: none
  std::vector<std::size_t> inputs;  ///< indexes, in `report_data::stages`, of the stages that feed it
  std::vector<int> ranks;           ///< of a run on several, those that executed it
  observe::stage_shares shares;     ///< what each of its replicas, parts of the keys or ranks has done
  bool dealt = false;  ///< its key or a `.schedule` says which of them gets an item, not who is idle
  /// Of a sink that has taken items: how long they took. Null: nothing is known.
  std::shared_ptr<const latency_report> latency = {};
  /// Of a batch: what closes it at this moment.
  std::optional<batch_limits> batch = {};
};

/// Latency from source to sink of the items of a run. Quantiles are within 1.6 % of the true value; count,
/// minimum, maximum and mean are exact. All are zero when nothing was counted.
///
/// Under a paced source every item is timed separately, from the moment it was due until the sink has taken
/// it. Otherwise items that travel together are timed together: from when the source began to give them until
/// the sink has taken them all, so that no item looks faster than it was. Where the whole stream is one loop
/// (`sequential`, `pool` while it runs inline, `threads` with everything fused) it is the time of a run of
/// items for each of them: `sampled()`.
///
/// ```cpp
/// tw::report r = tw::run(tw::paced([n = 0]() mutable { return n < 9 ? std::optional(n++) : std::nullopt; },
///                                  10'000.0) |
///                        tw::sink([](int) {}));
/// assert(r.latency().from_due() && r.latency().count() == 9);
/// assert(r.latency().p50() <= r.latency().p99());
/// ```
class latency_report {
 public:
  latency_report() = default;
  latency_report(const observe::histogram& counted, bool from_due, bool sampled) noexcept
      : histogram_(counted), from_due_(from_due), sampled_(sampled) {}

  std::uint64_t count() const noexcept { return histogram_.count(); }
  std::chrono::nanoseconds min() const noexcept;
  std::chrono::nanoseconds max() const noexcept;
  std::chrono::nanoseconds mean() const noexcept;
  std::chrono::nanoseconds p50() const noexcept { return quantile(0.5); }
  std::chrono::nanoseconds p90() const noexcept { return quantile(0.9); }
  std::chrono::nanoseconds p99() const noexcept { return quantile(0.99); }
  std::chrono::nanoseconds p999() const noexcept { return quantile(0.999); }
  std::chrono::nanoseconds p9999() const noexcept { return quantile(0.9999); }
  /// The latency that a part `q` (0 to 1) of the items do not exceed.
  std::chrono::nanoseconds quantile(double q) const noexcept {
    return std::chrono::nanoseconds(histogram_.quantile(q));
  }

  /// True if each item's latency counts from the moment it was due (a paced source), which includes the time
  /// it came late; false if it counts from the moment the source handed it over.
  bool from_due() const noexcept { return from_due_; }
  /// True if only a sample of the items was timed.
  bool sampled() const noexcept { return sampled_; }

  const observe::histogram& histogram() const noexcept { return histogram_; }

 private:
  observe::histogram histogram_;
  bool from_due_ = false;
  bool sampled_ = false;
};

/// A change of a stage's replicas while the run went on.
struct resize_event {
  std::chrono::nanoseconds at{0};  ///< since the start of the run
  std::string stage;
  int from = 0;
  int to = 0;
};

/// A change of a paced source's rate while the run went on.
struct rate_change {
  std::chrono::nanoseconds at{0};  ///< since the start of the run
  std::string stage;
  double from = 0;  ///< items a second that were due before; 0 if the source had not begun
  double to = 0;    ///< and afterwards: where the new rate begins
};

/// A change of what closes a stage's batches while the run went on.
struct batch_change {
  std::chrono::nanoseconds at{0};  ///< since the start of the run
  std::string stage;
  batch_limits from;
  batch_limits to;
};

/// What a run that adapts itself has changed at a moment, and why (`run_options::adapt`).
struct decision {
  std::chrono::nanoseconds at{0};  ///< since the start of the run
  std::string planner;             ///< what has decided it
  std::string what;                ///< in words, as in `compress: 2 to 4 replicas`
  std::string reason;              ///< in words, by the planner
  double measured = 0;             ///< items a second before
  double predicted = 0;            ///< items a second that were expected; 0: the planner said nothing of that
  double reached = 0;              ///< items a second in the first whole window afterwards; 0: none was yet
};

/// One process of a run on several ranks (`tw::mpi`). Messages are those that it has sent to other ranks.
struct rank_report {
  int rank = 0;
  std::string host;
  int workers = 1;                        ///< threads that execute stages
  std::chrono::nanoseconds cpu{0};        ///< processor time of the process during the run
  std::uint64_t peak_bytes = 0;           ///< most memory that the process has had, since its start
  std::uint64_t messages = 0;             ///< runs of items
  std::uint64_t bytes = 0;                ///< in these messages
  std::uint64_t credits = 0;              ///< messages that say how much may be sent
  std::uint64_t others = 0;               ///< all that are neither: ends, stop, pause, monitoring
  std::chrono::nanoseconds clock{0};      ///< by how much its clock was ahead of rank 0's when the run began
  std::chrono::nanoseconds clock_off{0};  ///< how wrong that may be, at most; 0: it is the same clock
  std::chrono::nanoseconds joined{0};     ///< how long the run had gone on when it came; 0: it began it
  std::chrono::nanoseconds age{0};  ///< while the run goes on: how old this row is, and its stages' counts
};

/// What has travelled between ranks from one stage to the next.
struct channel_report {
  std::string from, to;
  std::uint64_t messages = 0;  ///< runs of items
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;    ///< in these messages
  std::uint64_t credits = 0;  ///< messages back that say how much may be sent
  std::chrono::nanoseconds blocked{
      0};  ///< how long the senders had something to send and no credit, added up
};

/// What a policy knows about a run; input to `report`. All fields have defaults that mean "nothing known".
struct report_data {
  std::string policy;    ///< as text that `policy_from` would accept, such as `threads:4`
  int workers = 1;       ///< threads that run stages
  int cores = 1;         ///< cores the process may use
  bool inlined = false;  ///< one worker did it all: handing over would have cost more than it gains
  bool root = true;      ///< false on those ranks of a run that do not have the results
  bool final = true;     ///< false when taken while the run went on
  bool observed = true;  ///< false if only failures were counted: no items, no times of stages
  std::chrono::nanoseconds elapsed{0};  ///< wall time from start to end (or to now)
  std::chrono::nanoseconds cpu{0};      ///< processor time of the process meanwhile
  std::chrono::nanoseconds paused{0};   ///< part of `elapsed` in which the run was paused
  std::uint64_t items = 0;              ///< items that entered the sinks
  std::uint64_t dropped = 0;            ///< items discarded on purpose on the way
  observe::worker_totals work;          ///< of all workers together
  latency_report latency;               ///< of the items that entered the sinks
  std::vector<stage_data> stages;       ///< in the order of the stream, sources first
  std::vector<resize_event> resizes;
  std::vector<rate_change> rate_changes;
  std::vector<batch_change> batch_changes;
  std::vector<decision> decisions;
  std::vector<std::string> notes;        ///< what was done in another way than was asked for, and why
  std::vector<rank_report> ranks;        ///< of a run on several ranks that has ended
  std::vector<channel_report> channels;  ///< and what has travelled between them
};

/// Samples of a level: how full something was.
struct level_report {
  double mean = 0;
  std::uint64_t max = 0;
  std::size_t capacity = 0;  ///< 0: there is no bound, or no such thing
};

/// What one of those among whom a stage is divided has done.
struct share_report {
  int number = 0;  ///< of the replica, the part of the keys or the rank, from 0
  std::uint64_t items = 0;
  std::chrono::nanoseconds busy{0};  ///< inside the operator; as `stage_report::busy`
};

/// One stage's part in a run, all replicas together. Times are wall-clock times: where threads outnumber the
/// cores they include waiting for a core.
///
/// ```cpp
/// auto job = tw::source(std::views::iota(0, 1000)) |
///            tw::farm([](int x) { return x + 1; }, {.replicas = 2, .name = "add"}) | tw::sink([](int) {});
/// tw::report r = tw::run(job, tw::threads{});
/// const tw::stage_report& add = r.stage("add");
/// assert(add.items_in() == 1000 && add.items_out() == 1000 && add.replicas() == 2);
/// assert(add.runs() > 0 && add.items_per_run() <= 1000);
/// ```
class stage_report {
 public:
  stage_report(stage_data data, std::chrono::nanoseconds active);

  const std::string& name() const noexcept { return data_.name; }
  const std::string& kind() const noexcept { return data_.kind; }
  bool is_source() const noexcept { return data_.kind == "source"; }
  bool is_sink() const noexcept { return data_.kind == "sink"; }
  /// Items taken (0 for a source), and items given (0 for a sink).
  std::uint64_t items_in() const noexcept { return data_.totals.items_in; }
  std::uint64_t items_out() const noexcept { return data_.totals.items_out; }
  /// The items it worked on: those that came in or, for a source, those it made.
  std::uint64_t items() const noexcept { return is_source() ? items_out() : items_in(); }

  /// Mean time inside the operator for one item; 0 if it was never timed.
  fractional_ns service_time() const noexcept;
  /// True if `service_time` and `busy` rest on a sample: not all items were timed, or the stage was fused
  /// with others and a sample says how they share their time.
  bool service_sampled() const noexcept {
    return timed() && (data_.totals.probes != 0 || data_.totals.sampled_items < items());
  }
  /// True if the operator's time was taken at all.
  bool timed() const noexcept { return data_.totals.sampled_items != 0; }
  /// Time inside the operator for all items together; scaled up from the sample if `service_sampled`.
  std::chrono::nanoseconds busy() const noexcept;
  /// Which part of its time inside the operator (0 to 1) it used a processor: near 1 if it computes, near 0
  /// if it waits for a disk, a service or a lock. From runs of items taken as samples, one every 2 ms and
  /// replica at most, and none in which the system took the processor away. Nothing if there was none: of
  /// sources, stages with ports, and runs that are too short.
  std::optional<double> computing() const noexcept {
    if (data_.totals.clocked_ns == 0) return std::nullopt;
    return static_cast<double>(data_.totals.clocked_cpu_ns) / static_cast<double>(data_.totals.clocked_ns);
  }
  /// How long its replicas waited for items, added up. Known under `threads`, where a thread waits for its
  /// stages alone (of stages that share one, the first has it; a source waits while the run is paused); and,
  /// under every policy, of a paced source, which waits for due times. Otherwise 0: a worker of the `pool`
  /// looks for other work instead.
  std::chrono::nanoseconds waited_for_input() const noexcept {
    return std::chrono::nanoseconds(data_.totals.wait_in_ns);
  }
  /// How long its replicas waited for room behind them, added up. Under `threads` all of it (of stages that
  /// share a thread, the last has it); under `pool` only when a stage sent more in one call than there was
  /// room for; under `sequential` 0.
  std::chrono::nanoseconds waited_for_output() const noexcept {
    return std::chrono::nanoseconds(data_.totals.wait_out_ns);
  }

  /// How many replicas were allowed to work at once.
  int replicas() const noexcept { return data_.replicas; }
  /// How many worked at once on average, waiting not counted: time in the operator divided by the time the
  /// run was active.
  double parallelism() const noexcept;

  /// Among whom its work is divided: of a farm its replicas; if it has state for each key, the parts of the
  /// keys, on which any replica works; in a run on several ranks the ranks, of every stage that several of
  /// them execute. Otherwise `none`.
  observe::division divided_by() const noexcept { return data_.shares.by; }
  /// What each of those has done, in the order of their numbers. Of the parts of the keys only those that
  /// have had items; of replicas those that may work now, and those that have worked. Empty if it is not
  /// divided.
  ///
  /// ```cpp
  /// auto job = tw::source(std::views::iota(0, 100)) |
  ///            tw::farm([](int x) { return x; }, {.replicas = 2, .name = "pass"}) | tw::sink([](int) {});
  /// tw::report r = tw::run(job, tw::threads{});
  /// std::uint64_t items = 0;
  /// for (const tw::share_report& one : r.stage("pass").shares()) items += one.items;
  /// assert(items == 100 && r.stage("pass").shares().size() == 2);
  /// ```
  std::vector<share_report> shares() const;
  /// How uneven that is: the busiest's time divided by the mean of all. 1 if all have worked as long, 2 if
  /// one of two has done everything; 0 if there are fewer than two, or nothing was timed. In a farm whose
  /// replicas take the next item when they are idle it is high while there is little to do, and means
  /// nothing then.
  double skew() const;

  /// How often a thread has called it, each time with a run of items (or none, at the end of the stream).
  std::uint64_t runs() const noexcept { return data_.totals.runs; }
  /// `items` divided by `runs`: how many items it was given at once, on average. docs/natural-batching.md
  /// says what that depends on; 0 if it was never called.
  double items_per_run() const noexcept;
  /// Items waiting in front of it, looked at whenever it takes some; nothing waits in front of a stage that
  /// is called directly by the one before. `capacity` is the option of the stage, or of the connection.
  level_report occupancy() const noexcept;
  /// Runs of items that waited in the reorder window for an earlier one.
  level_report reorder() const noexcept;
  /// By how many places runs of items came before their turn.
  level_report displacement() const noexcept;

  /// Exceptions thrown by the operator, each attempt counted, and what became of them: attempts after the
  /// first, items given up by `tw::skip` (and those too late for a `window` or a `reorder`), items handed to
  /// `tw::dead_letter`.
  std::uint64_t errors() const noexcept { return data_.totals.errors; }
  std::uint64_t retries() const noexcept { return data_.totals.retries; }
  std::uint64_t skipped() const noexcept { return data_.totals.skipped; }
  std::uint64_t dead_lettered() const noexcept { return data_.totals.dead_lettered; }
  /// Items discarded on purpose: by a full pipe in front of it (`.when_full`), a full tap, or because nothing
  /// is connected to an optional output. Items that a filter refuses do not count: they went in and not out.
  std::uint64_t dropped() const noexcept { return data_.totals.dropped; }

  /// Of a sink: how long the items that it took were on their way from the source; otherwise all zero. A
  /// graph with several sinks has one for each; `report::latency` is all of them together.
  const latency_report& latency() const noexcept;

  /// Of a paced source: how many items a second are due at the moment of the report, by the rate that it
  /// follows. Nothing for other stages, before it has begun, and if another rank executes it.
  std::optional<double> due_rate() const noexcept { return data_.due_rate; }

  /// Of a batch: what closes it at the moment of the report. Nothing for other stages, before it has begun,
  /// and if another rank executes it.
  std::optional<batch_limits> batch() const noexcept { return data_.batch; }

  /// The ranks that executed it, in a run on several ranks that has ended; otherwise empty.
  const std::vector<int>& ranks() const noexcept { return data_.ranks; }

  const stage_data& data() const noexcept { return data_; }

 private:
  stage_data data_;
  std::chrono::nanoseconds active_{0};
};

/// What kept a run from being faster.
enum class limited_by {
  unknown,       ///< too little was measured, or nothing stands out
  schedule,      ///< nothing: the stream keeps up with the arrivals of its paced source
  source,        ///< the source makes items more slowly than the rest could take them
  sink,          ///< the sink takes items more slowly than the rest could make them
  serial_stage,  ///< a stage that works on one item at a time is always busy
  skew,          ///< one part of the keys, or one replica, is always busy while the others wait
  replicas,      ///< all replicas that a farm is allowed are always busy, and cores are free
  workers,       ///< all workers are busy, and cores are free
  machine,       ///< all cores are busy
  grain,         ///< the work per item is too small to hand over, so one worker does it all
  order,         ///< a few slow items hold back the finished ones behind them
};

std::string_view to_string(limited_by what) noexcept;

/// The limiting stage of a run, why it limits, and what would help.
struct bottleneck_report {
  std::string stage;  ///< its path; empty if no single stage limits
  limited_by reason = limited_by::unknown;
  std::string advice;        ///< one or two sentences
  double utilisation = 0;    ///< busy part (0 to 1) of what limits
  double possible_gain = 1;  ///< at most this many times faster without this limit, before the next one holds
};

/// What a run did. A value: copy, keep and compare reports freely.
///
/// A report taken while the run goes on (`final()` is false) is put together from counters that are read one
/// after the other, so items may be in between.
///
/// ```cpp
/// #include <ranges>
/// std::vector<int> squares;
/// auto job = tw::source(std::views::iota(0, 1000)) |
///            tw::map([](int x) { return x * x; }, {.name = "square"}) | tw::sink(squares);
/// tw::report r = tw::run(job);
/// assert(r.items() == 1000 && r.stage("square").items_in() == 1000);
/// std::cout << r << r.latency().p99().count() << " ns\n" << r.bottleneck().advice << '\n';
/// ```
class report {
 public:
  report() = default;
  explicit report(report_data data);

  /// Items that entered the sinks.
  std::uint64_t items() const noexcept { return data_.items; }
  /// Items per second of `elapsed` that entered the sinks; 0 if no time passed.
  double throughput() const noexcept;
  /// Time on the clock from the start of the run to its end (to now, if it goes on), with the starting of
  /// threads, the hooks and the pauses.
  std::chrono::nanoseconds elapsed() const noexcept { return data_.elapsed; }
  /// How long the items that entered the sinks took from the source. `stage_report::latency` has those of one
  /// sink.
  const latency_report& latency() const noexcept { return data_.latency; }

  /// All stages in the order of the stream.
  const std::vector<stage_report>& stages() const noexcept { return stages_; }
  /// The stage of this path, or the only one whose path ends in `/name`. Throws `std::out_of_range`, whose
  /// text lists the stages, if there is none or more than one.
  const stage_report& stage(std::string_view name) const;

  /// What limited the run and what would help.
  bottleneck_report bottleneck() const;

  /// The policy as text, such as `pool` or `threads:4`: its `any_policy::name`.
  const std::string& policy() const noexcept { return data_.policy; }
  /// Threads that execute stages. `pool`: how many workers there may be, started or not; the threads that
  /// blocking and pinned stages have to themselves are not counted. `threads`: all of them. `sequential`: 1.
  int workers() const noexcept { return data_.workers; }
  /// Processors that the process may use, by its affinity.
  int cores() const noexcept { return data_.cores; }
  /// Processor time of the whole process during the run.
  std::chrono::nanoseconds cpu_time() const noexcept { return data_.cpu; }
  /// Cores really used: processor time divided by the time the run was active.
  double cores_used() const noexcept;
  /// Stages at work at once, on average: the sum over all stages of their `parallelism`.
  double parallelism() const noexcept;
  /// Part of `elapsed` in which the run was paused.
  std::chrono::nanoseconds paused() const noexcept { return data_.paused; }
  /// False if the report was taken while the run went on.
  bool final() const noexcept { return data_.final; }
  /// False if the run was not observed (`run_options::observe`): then only its times and
  /// what failed are known.
  bool observed() const noexcept { return data_.observed; }
  /// Items discarded on purpose, by all stages: see `stage_report::dropped`. What `.on_error` gives up is
  /// counted by the stage that failed.
  std::uint64_t dropped() const noexcept { return data_.dropped; }
  /// What `set_replicas` changed, in order.
  const std::vector<resize_event>& resizes() const noexcept { return data_.resizes; }

  /// What `set_rate` changed, in order.
  const std::vector<rate_change>& rate_changes() const noexcept { return data_.rate_changes; }

  /// What `set_batch` changed, in order.
  const std::vector<batch_change>& batch_changes() const noexcept { return data_.batch_changes; }

  /// What the run has changed by itself, in order, and why: see `run_options::adapt`.
  const std::vector<decision>& decisions() const noexcept { return data_.decisions; }

  /// What was done in another way than requested, and why: a sentence each.
  const std::vector<std::string>& notes() const noexcept { return data_.notes; }

  /// Whether this process holds the results: of a run on several ranks (`tw::mpi`), rank 0 does.
  bool is_root() const noexcept { return data_.root; }

  /// Of a run on several ranks that has ended: its processes, in the order of their ranks, and what has
  /// travelled between them. Otherwise empty.
  const std::vector<rank_report>& ranks() const noexcept { return data_.ranks; }
  const std::vector<channel_report>& channels() const noexcept { return data_.channels; }

  /// What happened after the report `earlier` of the same run was taken: rates, latencies and counters of
  /// that window of time. Maxima stay those of the whole run. Stages are told by their names: one that has
  /// come since `earlier` has all its counts in the window, and one that has gone is not in it. Throws
  /// `std::invalid_argument` if both reports have stages and none in common: they are of different runs.
  report since(const report& earlier) const;

  /// The report as a table for people, and as a JSON object with all numbers in base units (nanoseconds,
  /// items).
  std::string to_string() const;
  std::string to_json() const;
  void print(std::ostream& out) const;

 private:
  std::chrono::nanoseconds active() const noexcept { return data_.elapsed - data_.paused; }

  report_data data_;  // without its stages, which are in stages_
  std::vector<stage_report> stages_;
};

std::ostream& operator<<(std::ostream& out, const report& r);

}  // namespace THALWEG_NAMESPACE
