#pragma once

#include <thalweg/version.hpp>

#include <cstdint>

/// What one rank reports when nothing moves on it although items wait. On a single rank the last node that
/// falls asleep knows that. With several, quiescence.hpp in src/run/distributed/mpi asks all of them and
/// decides.
namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// What lets a rank go on, the cheapest first.
enum class remedy : std::uint8_t {
  turn,     ///< a thread that waits for room in a call executes what lies upstream
  room,     ///< a full edge in front of a stage that chooses grows
  way,      ///< an edge grows for whose room a thread waits in a call
  later,    ///< none is needed: something will come by itself
  failure,  ///< items wait here that nobody will ever take: the run ends with an error
  nothing   ///< on this rank: it waits for the others
};

/// A rank on which nothing moves.
struct deadlock_report {
  std::uint64_t since = 0;  ///< another number if anything has moved in between
  remedy by = remedy::nothing;
  std::int64_t items = 0;  ///< of `room`: how many the edge holds
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
