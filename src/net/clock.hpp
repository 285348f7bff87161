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

/// What the wall clock shows more than the monotonic one, in nanoseconds.
std::int64_t wall_ahead_ns();

}  // namespace THALWEG_NAMESPACE::net
