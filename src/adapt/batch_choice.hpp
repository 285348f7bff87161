/// Which intervals of batches, and which length of runs, do what is asked for.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "batch_cost.hpp"

namespace THALWEG_NAMESPACE::adaptation {

/// The part of its interval in which a batch is to be worked off (Das et al.), and the one from which on a
/// stage does not keep up with its batches.
constexpr double worked_off_within = 0.7, behind_from = 0.95;

/// A batch whose interval can be chosen, and what is known of it.
struct timed_batch {
  std::size_t stage;
  std::chrono::nanoseconds given;          ///< the interval that it was made with
  std::map<std::size_t, batch_cost> cost;  ///< of the stages that work on it

  /// Takes in what a window shows of it.
  void learn(const window& w);
};

/// Another interval for some batches, or another length for runs.
struct holding {
  struct interval {
    std::size_t stage;
    std::chrono::nanoseconds from, to;
  };
  std::vector<interval> intervals = {};
  std::optional<std::chrono::nanoseconds> run_length = {};
  double predicted = 0;  ///< the quantile of the latency in seconds, or the factor of what a stage can do

  [[nodiscard]] bool none() const noexcept { return intervals.empty() && !run_length; }
};

/// The longest intervals with which this quantile (which is `is` seconds now) comes down to the target; those
/// that come near to what is possible if none does. Nothing if they would bring little, or if the stages
/// behind, or the processors, could not do it.
holding shorter_batches(const window& w, const std::vector<timed_batch>& batches, double is, double target);

/// The same of runs of items.
holding shorter_runs(const window& w, double is, double target);

/// The longest runs, or intervals, that let it stay below the target, as those are less work. Never longer
/// than they were given.
holding longer(const window& w, const std::vector<timed_batch>& batches, double is, double target);

/// Where a stage does not keep up with batches: the shortest interval with which it would.
holding enough_to_keep_up(const window& w, const std::vector<timed_batch>& batches);

/// Where an interval is longer than it was given: the shortest with which all keep up.
holding back_to_given(const window& w, const std::vector<timed_batch>& batches);

/// The window as it would be if each farm behind the batches had another replica.
window with_more_replicas(window w, const std::vector<timed_batch>& batches);

/// The part of its time that the stage which is busiest with batches needs for those that come; above 1, it
/// does not keep up.
double load_of_batches(const window& w, const std::vector<timed_batch>& batches);
bool falls_behind(const window& w, const std::vector<timed_batch>& batches);

}  // namespace THALWEG_NAMESPACE::adaptation
