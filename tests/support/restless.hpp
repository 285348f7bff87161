#pragma once

#include <thalweg/adapt/adapt.hpp>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// How runs adapt themselves that are to be disturbed as much as possible: in every window of a millisecond
/// each farm gets another number of replicas, and runs of items another length, which have nothing to do with
/// what is good for them.
inline thalweg::adapt restless(std::uint32_t seed) {
  auto jumps = [dice = std::mt19937(seed)](const thalweg::adaptation::window& seen) mutable {
    thalweg::adaptation::changes wanted;
    for (const auto& s : seen.stages) {
      if (s.farm()) wanted.replicas.push_back({s.name, static_cast<int>(1 + dice() % 8)});
    }
    // 1 us to 256 us, or as the run sees fit.
    const auto length = dice() % 10;
    if (seen.run_length)
      wanted.run_length = std::chrono::microseconds(length == 9 ? 0 : std::int64_t{1} << length);
    wanted.reason = "it is restless";
    return wanted;
  };
  return {.every = std::chrono::milliseconds(1), .planner = jumps};
}

/// Restless, or by one of the named planners that change replicas, chosen by the number.
inline thalweg::adapt somehow(std::uint32_t seed) {
  auto names = thalweg::adaptation::planner::names();
  std::erase(names, "das");  // an oracle cannot say how many batches there are then
  const auto which = seed % (2 * names.size());
  if (which >= names.size()) return restless(seed);
  constexpr auto often = std::chrono::milliseconds(1);
  switch (seed / 7 % 3) {
    case 0:
      return {.goal = thalweg::throughput(), .every = often, .planner = names[which]};
    case 1:
      return {.goal = thalweg::latency(0.9, std::chrono::milliseconds(1)),
              .every = often,
              .planner = names[which]};
    default:
      return {.every = often, .planner = names[which]};
  }
}
