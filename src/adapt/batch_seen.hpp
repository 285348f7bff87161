/// What a window shows of the batches that one stage closes.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <cstddef>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// On average, of each replica of the stage. Times in seconds.
struct batches_seen {
  /// A stage that works on these batches: those behind, until the next batch, and the farm of the batch.
  struct work {
    std::size_t stage;
    double seconds;     ///< for one batch
    double each_gives;  ///< batches for each of its replicas, while each replica of the batch closes one
    [[nodiscard]] double time() const { return seconds * each_gives; }
  };

  double interval = 0;  ///< from one to the next
  double items = 0;     ///< in one
  std::vector<work> behind;

  /// Until one is worked off, by the slowest of those stages with all of its replicas.
  [[nodiscard]] double time() const;
  [[nodiscard]] double load() const { return time() / interval; }
};

/// Batches closed in the window, by all replicas. Of a farm only its results are counted, so it is worked out
/// from the limits.
double batches_closed(const window& w, const stage_window& s);

/// Of `w.stages[stage]`, which has limits and has closed some batches.
batches_seen look_at_batches(const window& w, std::size_t stage);

}  // namespace THALWEG_NAMESPACE::adaptation
