#pragma once

#include <thalweg/version.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

/// Whether a run goes on: it is paused, told to end, cancelled, and at last done. All threads look at the
/// flags; only the functions here set them. Thread-safe.
class run_flags {
 public:
  std::atomic<bool> cancelled{false};
  std::atomic<bool> ending{false};
  std::atomic<bool> held{false};           // paused or ending: sources are not called
  std::atomic<std::size_t> quota{0};       // how many items the one source may give
  std::stop_source stop_operators;         // cancel
  std::stop_source stop_sources;           // requested by `end_sources` or `cancel`
  std::atomic<std::int64_t> paused_ns{0};  // in all, without the pause that goes on
  std::atomic<bool> done{false};

  /// Adds the quota of one source, which is set to 0 whenever that source's call must return.
  void add_quota(std::atomic<std::size_t>& q);
  /// Ends the runs of items that the sources are giving.
  void cut_sources() noexcept;

  void end_sources() noexcept;
  void cancel() noexcept;

  void pause();
  void resume();
  /// Whether the run is paused. `held` covers the end, too.
  [[nodiscard]] bool paused() const noexcept { return pausing_.load(std::memory_order_acquire); }
  void wait_while_paused();
  /// The same, for `most` at most. Returns whether the pause still goes on.
  bool wait_while_paused(std::chrono::nanoseconds most);
  /// `paused_ns` together with the pause that goes on `now`.
  [[nodiscard]] std::int64_t paused_until(std::int64_t now) const noexcept;

  /// Marks the run as done and wakes all waiting threads. Calls `last` once, before that: it may call the
  /// other functions.
  template <class F> void finish(F&& last) {
    if (!begins_to_finish()) return;
    last();
    const std::lock_guard hold(mutex_);
    done.store(true, std::memory_order_release);
    changed_.notify_all();
  }
  void wait_done();
  /// At most for this long. Returns whether it is done.
  bool wait_done(std::chrono::nanoseconds most);
  /// Makes waiting threads look at the flags again.
  void release_waiters();

 private:
  void hold_sources(std::atomic<bool>& why);
  void cut() noexcept;  // under `mutex_`
  void end_pause();     // under `mutex_`
  bool begins_to_finish();

  std::atomic<bool> pausing_{false};
  bool finishing_ = false;
  std::atomic<std::int64_t> pause_began_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::atomic<std::size_t>*> quotas_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
