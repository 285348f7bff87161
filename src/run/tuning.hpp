#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// The numbers that the engine goes by: times in nanoseconds, measured on two cores at 2.5 GHz.
/// docs/engine.md tells what each is for. Nobody else defines one of them.
namespace THALWEG_NAMESPACE::run_detail {

inline constexpr auto never = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t at_the_end = never / 2;  ///< the position of what end hooks send

/// Work in one run of items: a share of the time that the stream has lasted, so that handling costs little in
/// long streams and the last runs of short ones end at about the same time.
inline constexpr std::int64_t shortest_run_ns = 100'000;
inline constexpr std::int64_t longest_run_ns = 500'000;
inline constexpr std::int64_t runs_of_a_stream = 64;
/// Replicas divide up what waits in runs of at least so much work.
inline constexpr std::int64_t least_share_ns = 50'000;
inline constexpr std::size_t longest_run = 8192;  ///< items in one run
/// Work in a message to another rank. A message costs some microseconds on both sides, and what a replica has
/// in advance must last until its credit has come and been answered, which takes some hundred microseconds
/// where threads of several ranks share cores: with 200 µs a worker is idle for 30 % of the time (14 µs
/// items).
inline constexpr std::int64_t message_ns = 800'000;

inline constexpr std::int64_t whole_run_ns = 200'000;  ///< work in one run of a line that is one loop
inline constexpr std::size_t longest_whole_run = 4 * longest_run;
inline constexpr std::int64_t wake_ns = 5'000;  ///< what it costs until another thread is at work

/// From one call of a source that had nothing to send to the next: twice as long each time.
inline constexpr std::int64_t shortest_poll_ns = 20'000, longest_poll_ns = 1'000'000;
inline constexpr std::size_t unwatched_calls = 16;           ///< items of a source in a run without a monitor
inline constexpr std::int64_t most_waiting_ns = 10'000'000;  ///< work that waits in front of a stage
inline constexpr std::int64_t most_unmeasured = 64;          ///< items that wait for a stage never timed

inline constexpr int most_workers = 4096;  ///< what the policy `pool` may be asked for

}  // namespace THALWEG_NAMESPACE::run_detail
