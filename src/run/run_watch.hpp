#pragma once

#include <thalweg/version.hpp>

#include <memory>

namespace THALWEG_NAMESPACE::run_detail {

class engine;

/// Sees all runs of the process that have results here: what a component does for programs that do not know
/// of it.
class run_watch {
 public:
  run_watch() = default;
  run_watch(const run_watch&) = delete;
  run_watch& operator=(const run_watch&) = delete;
  virtual ~run_watch() = default;

  /// A run is about to start. What this throws refuses it.
  virtual void check() = 0;
  /// A run has begun, in the thread that has started it.
  virtual void begun(engine& run) noexcept = 0;
  /// The run is done, and may be gone when this returns. Several threads may say so of one run.
  virtual void over(engine& run) noexcept = 0;
};

/// The one that is told of the runs that begin from now on. Null: nobody. Thread-safe.
void watch_runs(std::shared_ptr<run_watch> by);
[[nodiscard]] std::shared_ptr<run_watch> watcher_of_runs();

}  // namespace THALWEG_NAMESPACE::run_detail
