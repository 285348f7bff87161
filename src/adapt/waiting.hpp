/// Of what the latency of an item is made.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <cstddef>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// What an item meets at one stage, on average. Times in seconds.
struct stage_times {
  std::vector<std::size_t> inputs;  ///< stages before it
  double batching = 0;              ///< until the batch that it is put into is closed
  double run = 0;                   ///< until the other items of its run are done
  double service = 0;               ///< inside the operator: of a batch, until all of it is worked off
  double load = 0;                  ///< part of their time that its replicas are at work
  double replicas = 1;
  double varies = 1;  ///< how long items wait in front of it, by how long `waiting_for` says

  /// In front of it, until a replica is idle.
  [[nodiscard]] double wait() const;
};

/// How long an item waits until one of n replicas is idle, which are at work for this part of their time, if
/// arrivals and times vary as much as they do by chance (Sakasegawa's formula for M/M/n).
double waiting_for(double service, double load, double replicas);

/// Of all stages, as they were in a window.
std::vector<stage_times> times_of(const window& w);

/// The parts of a quantile of latencies, in seconds, along the path that takes longest.
struct latency_parts {
  double batches = 0, runs = 0, service = 0, waiting = 0;
  [[nodiscard]] double all() const { return batches + runs + service + waiting; }
};

latency_parts predicted_latency(const std::vector<stage_times>& stages, double quantile);

}  // namespace THALWEG_NAMESPACE::adaptation
