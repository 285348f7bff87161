// Counters of a running stage: written by the one thread that runs it, read by any thread at any time.
#pragma once

#include <thalweg/version.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::observe {

/// Two cache lines: processors prefetch lines in pairs, so neighbours at 64 bytes would still disturb each
/// other.
inline constexpr std::size_t counter_alignment = 128;

/// A number that only grows, with one writer at a time and any number of readers. Adding is a plain load and
/// store, not an atomic addition.
class counter {
 public:
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  /// For durations: a negative one (never seen on a monotonic clock) adds nothing.
  void add_ns(std::int64_t duration) noexcept {
    if (duration > 0) add(static_cast<std::uint64_t>(duration));
  }
  void raise_to(std::uint64_t n) noexcept {
    if (n > value_.load(std::memory_order_relaxed)) value_.store(n, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// What a `level` saw: mean and maximum of some samples. Levels of several replicas add up to one over all
/// samples.
struct level_totals {
  std::uint64_t samples = 0;
  std::uint64_t sum = 0;
  std::uint64_t max = 0;

  double mean() const noexcept {
    return samples == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(samples);
  }
  level_totals& operator+=(const level_totals& other) noexcept;
  /// The samples taken after `earlier`. The maximum stays that of the whole time: a maximum cannot be taken
  /// back.
  level_totals since(const level_totals& earlier) const noexcept;
};

/// Samples of something that goes up and down: items waiting in a pipe, runs held back in a reorder window.
class level {
 public:
  void sample(std::uint64_t n) noexcept {
    samples_.add();
    sum_.add(n);
    max_.raise_to(n);
  }
  level_totals snapshot() const noexcept { return {samples_.value(), sum_.value(), max_.value()}; }

 private:
  counter samples_, sum_, max_;
};

/// Plain sums of `stage_counters`: what one stage did, over all its replicas.
struct stage_totals {
  std::uint64_t items_in = 0;
  std::uint64_t items_out = 0;
  std::uint64_t runs = 0;
  std::uint64_t service_ns = 0;
  std::uint64_t sampled_items = 0;
  std::uint64_t probes = 0;
  std::uint64_t probe_ns = 0;
  std::uint64_t clocked_ns = 0;
  std::uint64_t clocked_cpu_ns = 0;
  std::uint64_t wait_in_ns = 0;
  std::uint64_t wait_out_ns = 0;
  std::uint64_t errors = 0;
  std::uint64_t retries = 0;
  std::uint64_t skipped = 0;
  std::uint64_t dead_lettered = 0;
  std::uint64_t dropped = 0;
  level_totals occupancy;
  level_totals reorder;
  level_totals displacement;

  stage_totals& operator+=(const stage_totals& other) noexcept;
  /// What happened after the snapshot `earlier` was taken.
  stage_totals since(const stage_totals& earlier) const noexcept;
};

/// Among whom the work of a stage is divided.
enum class division : std::uint8_t { none, replica, key_part, rank };

/// `replica`, `part` or `rank`; nothing for `none`.
std::string_view to_string(division by) noexcept;

/// What one of those has done of the work of a stage.
struct share_totals {
  int number = 0;  ///< of the replica, the part or the rank, from 0
  std::uint64_t items = 0;
  std::uint64_t service_ns = 0;     ///< for `sampled_items` of them
  std::uint64_t sampled_items = 0;  ///< items whose service time was taken

  /// Adds what was counted of the stage.
  void add(const stage_totals& counted) noexcept;
  /// Time inside the operator for all its items: scaled up if only some were timed.
  std::uint64_t busy_ns() const noexcept;
};

/// What each of those among whom a stage is divided has done, in the order of their numbers.
struct stage_shares {
  division by = division::none;
  std::vector<share_totals> all;

  /// The share of that number; a new one, if there is none yet.
  share_totals& at(int number);
  /// What they have done after `earlier`.
  stage_shares since(const stage_shares& earlier) const;
};

/// What one replica of one stage has done. One writer at a time (a replica that moves to another thread takes
/// its counters along), readers at any time, each counter exact by itself. Count a run of items in local
/// variables and add once per run.
///
/// Service time may be taken for all items or for a sample of them: `service_ns` is the time spent on
/// `sampled_items` items, whichever they are, and reports scale it to all items. Where every run is timed the
/// two grow together.
///
/// ```cpp
/// #include <thalweg/observe/counters.hpp>
/// #include <thalweg/observe/clock.hpp>
/// tw::observe::stage_counters c;
/// std::vector<int> run(100, 7), results;
/// const std::int64_t begin = tw::observe::now_ns();
/// for (int x : run) results.push_back(x * x);
/// c.service_ns.add_ns(tw::observe::now_ns() - begin);
/// c.sampled_items.add(run.size());
/// c.items_in.add(run.size());
/// c.items_out.add(results.size());
/// c.runs.add();
/// assert(c.snapshot().items_in == 100);
/// ```
struct alignas(counter_alignment) stage_counters {
  counter items_in;    ///< items taken from the input; 0 for a source
  counter items_out;   ///< items handed on; 0 for a sink
  counter runs;        ///< runs of items taken at once
  counter service_ns;  ///< time inside the operator, for `sampled_items` of the items; a source's items are
                       ///< those it made
  counter sampled_items;  ///< items whose service time was taken
  counter probes;         ///< items of a fused stage that were timed by themselves, and their time: they only
  counter probe_ns;       ///< say how fused stages share the time of a whole run, see `share_time`
  counter clocked_ns;     ///< time inside the operator for which the processor's clock was read, too,
  counter clocked_cpu_ns;  ///< and the processor time used meanwhile
  counter wait_in_ns;      ///< time spent waiting for input (for a paced source: for the next due time)
  counter wait_out_ns;     ///< time spent waiting for room in the output
  counter errors;          ///< exceptions thrown by the operator, each failed attempt counted
  counter retries;         ///< attempts after the first
  counter skipped;         ///< items given up by `skip`
  counter dead_lettered;   ///< items handed to a dead-letter handler
  counter dropped;         ///< items discarded on purpose: no consumer, or a lossy pipe
  level occupancy;         ///< items waiting in the input pipe, sampled once per run
  level reorder;           ///< runs that wait in the reorder window for an earlier one
  level displacement;      ///< by how many places a run came before its turn

  stage_totals snapshot() const noexcept;
};

/// Divides `busy_ns`, the time of one call that took a run of items through several fused stages, among these
/// stages: `items[i]` is how many of the items stage i worked on. Inside such a call no clock is read. A run
/// of items now and then goes through stage by stage instead, and the caller adds each stage's items and time
/// to `probes` and `probe_ns`. The stages share the time in proportion to what their probes so far would have
/// taken for all their items; what that does not explain goes to stages without a probe. So the sum over the
/// stages is exact. Adds to `service_ns` and `sampled_items`; the same thread guarantees.
void share_time(std::span<stage_counters> fused, std::span<const std::uint64_t> items,
                std::int64_t busy_ns) noexcept;

/// What one worker thread did with its time.
struct worker_totals {
  std::uint64_t busy_ns = 0;
  std::uint64_t idle_ns = 0;
  std::uint64_t parks = 0;
  std::uint64_t wakes = 0;

  worker_totals& operator+=(const worker_totals& other) noexcept;
  worker_totals since(const worker_totals& earlier) const noexcept;
};

/// Counters of one worker thread; same thread guarantees as `stage_counters`.
struct alignas(counter_alignment) worker_counters {
  counter busy_ns;  ///< time between taking work and looking for new work
  counter idle_ns;  ///< time spent parked
  counter parks;    ///< how often it went to sleep
  counter wakes;    ///< how often it woke another worker

  worker_totals snapshot() const noexcept;
};

/// Adds up the snapshots of many counters: `total_of(replicas)` over any range of `stage_counters` (or of
/// pointers to them) gives `stage_totals`; over `worker_counters`, `worker_totals`.
template <class Range> auto total_of(const Range& counters) noexcept {
  const auto snapshot = [](const auto& c) {
    if constexpr (requires { c.snapshot(); }) {
      return c.snapshot();
    } else {
      return c->snapshot();
    }
  };
  decltype(snapshot(*std::begin(counters))) sum{};
  for (const auto& c : counters) sum += snapshot(c);
  return sum;
}

}  // namespace THALWEG_NAMESPACE::observe
