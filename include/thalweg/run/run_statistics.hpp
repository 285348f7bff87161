#pragma once

#include <thalweg/flow/rate.hpp>
#include <thalweg/model/plan.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/run/run_counters.hpp>
#include <thalweg/run/tracing.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

/// A moment, by the clock and by the processor time that the process has used.
struct instant {
  std::int64_t ns = 0;
  std::int64_t cpu_ns = 0;
  static instant now() noexcept { return {observe::now_ns(), observe::process_cpu_ns()}; }
};

/// How a stage is executed: by its options, until the engine says otherwise.
struct stage_layout {
  const model::stage_info* info;
  int replicas;                   ///< allowed
  std::int64_t capacity;          ///< in front of it; 0: none was named
  std::size_t reorder_slots = 0;  ///< of the reorder window in front of it; 0: none
  bool dealt = false;             ///< its key or a `.schedule` says which replica gets an item
  int segment = -1;               ///< stages of the same number run fused; -1: by itself
};

/// What the report and the trace of a run show besides the counts of its threads.
class run_statistics {
 public:
  run_statistics(const model::plan& plan, bool traces);

  instant began, ended;
  /// By stage number. Set before the start, except for the replicas.
  std::vector<stage_layout> layout;
  std::atomic<int> workers{1};
  std::atomic<bool> inlined{false};
  /// What is done in another way than requested; set before the start.
  std::vector<std::string> notes;
  tracing trace;

  /// The run is over: it has taken this long, and nothing is noted any more. Thread-safe.
  void end();
  /// Notes that the replicas of a farm, given by its stages' numbers, were changed. Thread-safe.
  void resized(const std::vector<std::size_t>& farm, int from, int to);
  /// Tells a paced source its rate, and notes that. `paused_ns`: how long the run has been paused by now.
  /// Thread-safe.
  void set_rate(std::size_t stage, const rate& r, std::int64_t paused_ns);

  /// Tells a batch its limits, and notes that. Thread-safe.
  void set_batch(std::size_t stage, const batch_limits& limits);

  /// Notes what the run changes by itself. Thread-safe, as what follows.
  void decided(decision made);
  /// What became of the last `count` decisions: items a second.
  void reached(std::size_t count, double rate);

  /// What rank 0 learns of a run on several, at its end and, if it has asked, while it goes on.
  struct elsewhere {
    run_totals counted;
    std::int64_t cpu_ns = 0;
    int cores = 0;    ///< of all ranks
    int workers = 0;  ///< of the others
    std::vector<std::vector<int>> ranks_of_stage;
    std::vector<observe::stage_shares> shares;  ///< by stage: what each of several ranks has done
    std::vector<rank_report> ranks;
    std::vector<std::int64_t> at_ns;  ///< by rank: when that was so, by this clock; empty: at the end
    std::vector<channel_report> channels;
    std::vector<std::string> notes;  ///< what was not as it was asked for, found out later
  };
  void learn(elsewhere all);
  /// What is not as it was asked for, found out while the run goes on. Thread-safe.
  void note(std::string what);

  /// Adds all of this, and what was counted, to the report of a run. Thread-safe.
  void add_to(report_data& d, const run_counters& counters) const;
  /// Writes the trace of all of the run, if there is one, into a file: the first call only. Returns what went
  /// wrong.
  std::exception_ptr write_trace(const std::string& path);

 private:
  [[nodiscard]] observe::stage_shares shares_of(std::size_t stage,
                                                const observe::stage_shares& counted) const;

  std::once_flag trace_written_;
  mutable std::mutex mutex_;  // guards what follows, and the replicas
  std::vector<resize_event> resizes_;
  std::vector<rate_change> rate_changes_;
  std::vector<batch_change> batch_changes_;
  std::vector<decision> decisions_;
  elsewhere elsewhere_;
  std::vector<std::string> later_notes_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
