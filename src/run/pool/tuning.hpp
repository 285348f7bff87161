#pragma once

#include <cstddef>
#include <cstdint>

namespace thalweg::run_detail::pooled {

// The numbers the pool goes by. Times in nanoseconds, measured on two cores at 2.5 GHz; see docs/engine.md.

inline constexpr double grant_ns = 70'000;                            ///< work in one run of items
inline constexpr std::size_t longest_grant = 8192;                    ///< items in one run of items
inline constexpr std::size_t longest_inline_run = 4 * longest_grant;  ///< where they wait for nothing
inline constexpr std::size_t longest_grant_bytes = 8 << 20;           ///< and bytes
inline constexpr double inline_run_ns = 4 * grant_ns;                 ///< work in one run of an inline stream
inline constexpr double slow_call_ns = 2'000;  ///< a source call that takes longer waits, if it does not work
inline constexpr double wake_ns = 5'000;       ///< what it costs until another worker is at work
inline constexpr double worth_a_call_ns = 20'000;  ///< who is busy for less will soon be back, and catch up
inline constexpr std::int64_t shortest_spin_ns = 2'000;   ///< looking for work before going to sleep,
inline constexpr std::int64_t longest_spin_ns = 100'000;  ///< at most what a sleep and a wake-up cost
inline constexpr double inline_below_ns = 25;             ///< less work per item is not worth handing over
inline constexpr double sharing_ns = 15;                  ///< what sharing adds to each item
inline constexpr double worth_sharing_below = 0.85;       ///< of an item's time on one worker
inline constexpr int runs_before_sharing = 3;             ///< in a row: one slow run may be a preemption
inline constexpr int grants_before_inline = 16;           ///< cheap ones in a row; next time twice as many
inline constexpr int most_grants_before_inline = 4096;
inline constexpr std::size_t items_per_streak = 256;  ///< without waiting, before a grant may be one longer
inline constexpr std::int64_t most_bytes = 64 << 20;  ///< in flight between two serial stages
inline constexpr std::int64_t watch_ns = 100'000;  ///< how often an idle worker looks at a half-filled chunk
inline constexpr std::int64_t patience_ns = 5'000'000;  ///< before an output grows: the first has no replica
inline constexpr int most_workers = 4096;               ///< what a policy may ask for
inline constexpr std::size_t most_replicas = 1024;      ///< what set_replicas can raise a farm to
inline constexpr std::size_t most_spare_chunks = 96;    ///< kept per stage for reuse

}  // namespace thalweg::run_detail::pooled
