// The job that is run with and without those who look at it.
#pragma once

#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <utility>

#include "../support/program.hpp"

namespace micro {

/// Has `run` run source | farm | sink. Returns the checksum of what came out.
template <class Run> std::uint64_t checksum_by(const even_farm& program, Run&& run) {
  counter source{0, program.items};
  checksum sink;
  std::forward<Run>(run)(thalweg::source([&] { return source(); }) | thalweg::farm(program.work) |
                         thalweg::sink([&](std::uint64_t x) { sink(x); }));
  return sink.value();
}

/// The work per item of the runs that are looked at from time to time, and how much longer these are than
/// those of other benchmarks: so that they are looked at several times.
constexpr double watched_nanoseconds = 87;
constexpr std::uint64_t watched_longer = 20;

struct session;
/// The rows of runs that write samples.
void run_monitored(session&);

}  // namespace micro
