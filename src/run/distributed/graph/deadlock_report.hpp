#pragma once

#include <cstdint>

/// When nothing moves on any of several ranks, although items wait. On one rank the last node that falls
/// asleep knows; here each rank says how it stands, and whoever asks all of them decides:
/// src/run/distributed/mpi/stillness.hpp.
namespace thalweg::run_detail::network {

/// What would let a rank go on; what costs least comes first.
enum class remedy : std::uint8_t {
  turn,    ///< a thread that waits for room in a call executes what lies upstream
  room,    ///< a full edge in front of a stage that chooses grows
  way,     ///< an edge grows for whose room a thread waits in a call
  nothing  ///< of its own: it waits for the other ranks
};

/// A rank on which nothing moves.
struct deadlock_report {
  std::uint64_t since = 0;  ///< another number if anything has moved in between
  remedy by = remedy::nothing;
  std::int64_t items = 0;  ///< of `room`: how many the edge holds
};

}  // namespace thalweg::run_detail::network
