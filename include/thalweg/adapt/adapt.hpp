/// Runs that adapt themselves.
#pragma once

#include <thalweg/adapt/planner.hpp>
#include <thalweg/adapt/window.hpp>

#include <chrono>

namespace THALWEG_NAMESPACE {

/// As many items a second as possible, with no more replicas than that takes.
[[nodiscard]] adaptation::goal throughput() noexcept;
/// What comes is done when it comes, with the fewest replicas: a paced source is on time, and nothing piles
/// up. A source without a schedule is never waited for: then it is `throughput`.
[[nodiscard]] adaptation::goal keep_up() noexcept;
/// The quantile (0 to 1) of latencies from source to sink stays within the limit, with the fewest replicas.
/// Throws `std::invalid_argument` for a quantile outside (0, 1), or a limit that is not positive.
[[nodiscard]] adaptation::goal latency(double quantile, std::chrono::nanoseconds limit);
/// Replicas are at work for this share (above 0, at most 1) of their time. Throws `std::invalid_argument` for
/// another share.
[[nodiscard]] adaptation::goal utilisation(double share);

/// How a run adapts itself: `run_options::adapt`.
struct adapt {
  adaptation::goal goal = keep_up();
  /// How long a window is: between 1 ms and an hour. The first ones are shorter: a tenth, then twice as long
  /// each time.
  std::chrono::nanoseconds every = std::chrono::milliseconds(100);
  adaptation::planner planner = {};
  adaptation::bounds bounds = {};
};

}  // namespace THALWEG_NAMESPACE
