#pragma once

#include <thalweg/observe/counters.hpp>
#include <thalweg/observe/histogram.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

/// Whose work a log counts.
struct log_share {
  observe::division by = observe::division::none;
  int number = 0;
};

/// The counters of a thread, or of a node of the engine. Owned by the run; one thread at a time writes it.
class thread_log {
 public:
  /// For a thread that executes stages [first, first + count) of the plan. `share`: one of their replicas, or
  /// parts of the keys.
  thread_log(int its_number, std::size_t first, std::size_t count, bool observes = true, log_share share = {})
      : number(its_number), of(share), observes_(observes), first_(first), counters_(count) {}

  /// The counters of a stage, by its number in the plan.
  observe::stage_counters& operator[](std::size_t stage) { return counters_[stage - first_]; }
  [[nodiscard]] const observe::stage_counters* find(std::size_t stage) const {
    return stage - first_ < counters_.size() ? &counters_[stage - first_] : nullptr;
  }
  /// The stages it counts.
  [[nodiscard]] std::size_t first() const noexcept { return first_; }
  [[nodiscard]] std::size_t last() const noexcept { return first_ + counters_.size(); }
  /// The counters of stages [first, first + count).
  std::span<observe::stage_counters> span(std::size_t first, std::size_t count) {
    return std::span(counters_).subspan(first - first_, count);
  }

  /// End-to-end latencies of items that arrived at a sink on this thread. `sampled`: only of some of them.
  void arrived(std::int64_t latency_ns, std::uint64_t items = 1, bool sampled = false);
  /// Adds them to those of the sink, which is the last of its stages.
  void add_latencies(std::map<std::size_t, observe::histogram>& of_sinks, bool& sampled) const;

  const int number;
  const log_share of;
  observe::worker_counters work;

 private:
  const bool observes_;
  const std::size_t first_;
  std::vector<observe::stage_counters> counters_;
  // Made with the first item that arrives: most threads of a large run have no sink.
  std::unique_ptr<observe::histogram> latency_;
  std::atomic<const observe::histogram*> published_{nullptr};
  std::atomic<bool> sampled_{false};
};

/// What has been counted in one process, or in several together.
struct run_totals {
  std::vector<observe::stage_totals> stages;  ///< by stage number
  observe::worker_totals work;
  std::map<std::size_t, observe::histogram> latencies;  ///< of the sinks that have taken items, by number
  bool sampled = false;                                 ///< whether the latencies are
  run_totals& operator+=(const run_totals& more);
};

/// What the threads of a run count in this process. Thread-safe.
class run_counters {
 public:
  run_counters(std::size_t stages, bool observes) : stages_(stages), observes_(observes) {}

  /// A log for one more thread, which executes `count` stages from `first` on (all, if not given).
  thread_log& new_log();
  thread_log& new_log(std::size_t first, std::size_t count, log_share share = {});

  [[nodiscard]] run_totals snapshot() const;
  /// The same by replica or part of the keys, of each stage that is divided.
  [[nodiscard]] std::vector<observe::stage_shares> shares() const;
  /// How many items the first stage has sent.
  [[nodiscard]] std::uint64_t given() const;

  /// Items dropped in front of a stage, which no thread counts; set before the start; may be null.
  std::function<std::uint64_t(std::size_t stage)> dropped_before;

 private:
  const std::size_t stages_;
  const bool observes_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<thread_log>> logs_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
