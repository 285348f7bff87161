/// Waiting for a moment of the steady clock, as precisely as a schedule needs it.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>

namespace THALWEG_NAMESPACE::flow {

/// Waits until a moment of the steady clock (`observe::now_ns`): sleeps, and spins for the last microseconds
/// if `spin`, which is for schedules too dense for the kernel's timers. Asks `held(of)` now and then, at
/// least every 20 ms, whether to give up. Returns false if so.
bool wait_until(std::int64_t due_ns, bool spin, bool (*held)(void* of), void* of);

/// Below this interval between two moments sleeping is too coarse.
inline constexpr double dense_ns = 500'000;

}  // namespace THALWEG_NAMESPACE::flow
