#pragma once

#include <thalweg/observe/trace.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

/// Whether the threads of a run record what they do: from its beginning to its end, or for a while.
///
/// There is one recorder, made when it is first needed, which stays until all of this is gone: so a thread
/// that is in the middle of recording may go on when recording is switched off.
class tracing {
 public:
  /// With `whole_run` it records from now on, and all of the run.
  tracing(std::vector<std::string> stages, bool whole_run);
  tracing(const tracing&) = delete;
  tracing& operator=(const tracing&) = delete;
  ~tracing();

  /// Where to record; null: nothing is recorded now. For each thing that is recorded it is asked anew.
  [[nodiscard]] observe::trace_recorder* on() const noexcept { return on_.load(std::memory_order_acquire); }
  /// What records all of the run; null: nothing does.
  [[nodiscard]] observe::trace_recorder* of_whole_run() const noexcept;

  // Thread-safe, all of them. They throw thalweg::error if something else goes on.

  /// Begins to record. `scope` says what is recorded where that is not all of the run.
  void start(std::size_t events_per_thread, const std::string& scope);
  /// What of a recording has been recorded so far.
  [[nodiscard]] std::string so_far(const observe::trace_recorder::part& shown) const;
  /// Ends a recording, and returns it. What runs then is shown until `now_ns`.
  [[nodiscard]] std::string stop(std::int64_t now_ns);

 private:
  std::atomic<observe::trace_recorder*> on_{nullptr};
  const bool whole_run_;
  mutable std::mutex mutex_;  // guards what follows
  const std::vector<std::string> stages_;
  std::unique_ptr<observe::trace_recorder> recorder_;
};

/// One execution of a stage, or of several as one loop, as the trace sees it.
class traced_execution {
 public:
  traced_execution(tracing& to, int thread, std::size_t stage, std::int64_t begin_ns,
                   std::size_t stages = 1) noexcept
      : to_(to),
        thread_(static_cast<std::size_t>(thread)),
        stage_(stage),
        stages_(stages),
        begin_ns_(begin_ns) {
    if (auto* const recorder = to_.on()) begun_ = recorder->begins(thread_, stage_, begin_ns_, stages_);
  }
  traced_execution(const traced_execution&) = delete;
  traced_execution& operator=(const traced_execution&) = delete;
  /// Also one that was left by an exception has ended.
  ~traced_execution() {
    if (begun_ < 0) return;
    if (auto* const recorder = to_.on()) recorder->ends(thread_, begun_);
  }

  void ended(std::int64_t end_ns, std::uint64_t items, std::int64_t position) noexcept {
    auto* const recorder = to_.on();
    if (recorder == nullptr) return;
    recorder->record(thread_, stage_, begin_ns_, end_ns, items, static_cast<std::uint64_t>(position),
                     stages_);
    recorder->ends(thread_, begun_);
    begun_ = -1;
  }

 private:
  tracing& to_;
  const std::size_t thread_, stage_, stages_;
  const std::int64_t begin_ns_;
  int begun_ = -1;
};

}  // namespace THALWEG_NAMESPACE::run_detail
