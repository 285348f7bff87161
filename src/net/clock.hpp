// Which clock a process reads, for another one to compare.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <string>

namespace THALWEG_NAMESPACE::net {

/// A name of the monotonic clock of this process: that of the system since its start and, as a container may
/// have a clock of its own, of the process' time namespace. Two processes that have the same name read the
/// same clock. Empty if the system does not tell.
std::string clock_name();

/// How far one clock is ahead of another. What a peer says of its own may be any number: the difference
/// wraps.
inline std::int64_t ahead_of(std::int64_t that, std::int64_t of) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(that) - static_cast<std::uint64_t>(of));
}

/// What the wall clock shows more than the monotonic one, in nanoseconds.
std::int64_t wall_ahead_ns();

}  // namespace THALWEG_NAMESPACE::net
