// What became of the items of a load that changes: when they were due, when they came, how late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "../support/clock.hpp"

namespace micro {

/// What the sink of a load sees, counted in windows of time. Not for several threads at once.
class measured {
 public:
  /// `due`: of each item, in ns since the load began, rising. `window` and `late` are in seconds; items that
  /// come `late` seconds after their due time, or more, are late.
  measured(std::vector<nanos> due, double window, double late);

  /// When the load began. To be told before the first item comes.
  void begins(nanos at) noexcept { began_ = last_ = at; }
  /// The next item is done.
  void comes(nanos now);
  /// No more items come: the others have waited until now, and are late.
  void ends(nanos now);

  /// All of it, as one object: totals, quantiles of the latency in ms, and lists with a number for each
  /// window. Latencies and late items are those of the window in which they were due; `done` counts what came
  /// in it, and `gap_by_window` is the longest time, in ms, from one of them back to the one before it.
  [[nodiscard]] nlohmann::json told(double cpu_seconds, double elapsed_seconds) const;

 private:
  void count(nanos now);
  [[nodiscard]] std::size_t window_of(nanos at) const noexcept;

  std::vector<nanos> due_at_;
  double window_, late_after_;
  nanos began_ = 0;
  std::size_t counted_ = 0;  // items that have come or are given up
  std::size_t missing_ = 0;
  nanos last_ = 0;  // when the last item came, or the load began
  std::vector<std::uint64_t> due_, done_, late_;
  std::vector<float> gaps_;                    // ms, by the window in which they ended
  std::vector<std::vector<float>> latencies_;  // ms, by the window in which they were due
};

}  // namespace micro
