/// What a planner sees of a run that goes on, and what it asks for.
#pragma once

#include <thalweg/observe/batch_limits.hpp>
#include <thalweg/observe/histogram.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// What one stage did in a window of time, all replicas (on all ranks) together.
struct stage_window {
  std::string name;                 ///< its path, as in `archive/compress`
  std::vector<std::size_t> inputs;  ///< indexes, in `window::stages`, of the stages that feed it
  bool source = false;
  bool sink = false;
  int replicas = 1;                           ///< allowed at the end of the window
  int least = 1, most = 1;                    ///< how many a planner may ask for; both 1 for a serial stage
  std::uint64_t items_in = 0, items_out = 0;  ///< taken (0 for a source), and given (0 for a sink)
  std::uint64_t runs = 0;                     ///< calls, each with a run of items
  std::chrono::nanoseconds busy{0};           ///< inside the operator, all replicas added up
  /// Part of `busy` in which the operator used a processor: the rest it waited (a disk, a service, a lock, a
  /// core). As long as `busy` where that is not known.
  std::chrono::nanoseconds cpu{0};
  std::chrono::nanoseconds waited_in{0};   ///< for items, as far as the policy knows it
  std::chrono::nanoseconds waited_out{0};  ///< for room behind it, as far as the policy knows it
  double queued = 0;                       ///< items in front of it, on average
  std::size_t capacity = 0;                ///< most that may wait there; 0: not bounded in items
  std::optional<double> due_rate;          ///< of a paced source: items a second that are due now
  std::optional<batch_limits> batch;       ///< of a batch whose limits can be changed
  /// Runs of items that each rank may send to one of its replicas in advance, as they were asked for; 0: as
  /// many as the run sees fit. Nothing: its items come from no other rank.
  std::optional<int> credits;

  [[nodiscard]] bool farm() const noexcept { return most > 1; }
  /// The items it worked on.
  [[nodiscard]] std::uint64_t items() const noexcept { return source ? items_out : items_in; }
  /// Seconds inside the operator for one item; 0 if it had none, or was not timed.
  [[nodiscard]] double seconds_per_item() const noexcept {
    return items() == 0 ? 0.0 : std::chrono::duration<double>(busy).count() / static_cast<double>(items());
  }
  /// Items a second that one replica can do when it never waits for others; 0 if that is not known.
  [[nodiscard]] double true_rate() const noexcept {
    const auto each = seconds_per_item();
    return each > 0 ? 1.0 / each : 0.0;
  }
  /// Which part of its time inside the operator it used a processor: 1 if it computes all the time.
  [[nodiscard]] double computing() const noexcept {
    return busy.count() <= 0 ? 1.0 : static_cast<double>(cpu.count()) / static_cast<double>(busy.count());
  }
};

/// What one process of a run on several ranks did in a window of time.
struct rank_window {
  enum class state : std::uint8_t { working, reserve };
  int rank = 0;
  std::string host;
  state now = state::working;       ///< in reserve: it executes no stage, but could
  int workers = 1;                  ///< threads that execute stages
  std::chrono::nanoseconds cpu{0};  ///< processor time of the process
  std::chrono::nanoseconds age{0};  ///< how old this is at the end of the window
};

/// What is to be reached.
struct goal {
  enum class kind : std::uint8_t { throughput, keep_up, latency, utilisation };
  kind what = kind::keep_up;
  double quantile = 0.99;             ///< of the latencies; for `latency`
  std::chrono::nanoseconds limit{0};  ///< that they must not exceed; for `latency`
  double share = 0.8;                 ///< of the time of replicas; for `utilisation`
};

/// What a planner must not go beyond.
struct bounds {
  int least_replicas = 1;                               ///< of each farm
  int most_replicas = std::numeric_limits<int>::max();  ///< of each farm
  double most_processors = 0;  ///< that may be used at once, on average; 0: those that there are
  int least_ranks = 1;         ///< that execute stages
  int most_ranks = std::numeric_limits<int>::max();
};

/// A run in a window of time.
struct window {
  std::uint64_t number = 0;            ///< from 1; a number that is missing was not shown to the planner
  std::chrono::nanoseconds at{0};      ///< the end of the window, since the start of the run
  std::chrono::nanoseconds length{0};  ///< without pauses
  int cores = 1;                       ///< processors that the run may use
  int workers = 1;                     ///< threads that execute stages
  std::chrono::nanoseconds cpu{0};     ///< processor time of all processes of the run
  observe::histogram latency;          ///< of the items that entered sinks, in ns
  bool latency_from_due = false;       ///< it counts from when an item was due, so late items show
  bool changed = false;                ///< a change fell into it, so it shows two states
  std::vector<stage_window> stages;    ///< in the order of the stream, sources first
  std::vector<rank_window> ranks;      ///< of a run on several: all of them
  /// How much work a run of items may hold, as it was asked for; 0: as much as the run sees fit. Nothing: it
  /// cannot be changed.
  std::optional<std::chrono::nanoseconds> run_length;
  std::optional<std::size_t> message_bytes;  ///< of items in one message to another rank, at most
  adaptation::goal goal;
  adaptation::bounds bounds;

  /// Items a second that entered the sinks.
  [[nodiscard]] double throughput() const noexcept;
  /// How many ranks execute stages; 1 for one process.
  [[nodiscard]] int working_ranks() const noexcept;
  /// The stage of this path; null: there is none.
  [[nodiscard]] const stage_window* find(std::string_view name) const noexcept;
};

/// A number of replicas that a farm shall have. The farm is named by any of its stages.
struct replicas_wanted {
  std::string stage;
  int replicas = 1;
  friend bool operator==(const replicas_wanted&, const replicas_wanted&) = default;
};

/// These limits shall close the batches of a `tw::batch`.
struct batch_wanted {
  std::string stage;
  batch_limits limits;
};

/// This many runs of items may be sent in advance to each replica of this stage, by each rank.
struct credits_wanted {
  std::string stage;
  int runs = 0;  ///< 0: as many as the run sees fit
};

/// What a planner asks for. Nothing: all stays as it is.
struct changes {
  std::vector<replicas_wanted> replicas = {};
  std::vector<batch_wanted> batches = {};
  std::vector<credits_wanted> credits = {};
  std::optional<int> ranks = {};  ///< over how many the replicas of farms are to be spread
  std::optional<std::chrono::nanoseconds> run_length =
      {};  ///< work in a run of items; 0: as the run sees fit
  std::optional<std::size_t> message_bytes = {};
  std::string reason = {};  ///< in words, for those who read the report
  double predicted = 0;     ///< items a second that it expects then; 0: it says nothing of that

  [[nodiscard]] bool none() const noexcept {
    return replicas.empty() && batches.empty() && credits.empty() && !ranks && !run_length && !message_bytes;
  }
};

}  // namespace THALWEG_NAMESPACE::adaptation
