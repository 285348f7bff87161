// What a process or thread took from the machine: processor time, memory, switches, page faults.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>

namespace THALWEG_NAMESPACE::observe {

/// Resources used up to a moment. The difference of two moments is `later.since(earlier)`.
///
/// ```cpp
/// #include <thalweg/observe/resources.hpp>
/// const auto before = tw::observe::process_resources();
/// std::vector<char> memory(1 << 20, 'x');
/// const auto used = tw::observe::process_resources().since(before);
/// assert(used.wall_ns > 0 && used.minor_faults > 0);
/// ```
struct resource_usage {
  std::int64_t wall_ns = 0;  ///< monotonic clock
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
  std::uint64_t peak_bytes = 0;            ///< most resident memory so far, or since `reset_peak_memory`
  std::uint64_t resident_bytes = 0;        ///< resident memory now
  std::uint64_t voluntary_switches = 0;    ///< the thread waited for something
  std::uint64_t involuntary_switches = 0;  ///< the thread had to give up its core
  std::uint64_t minor_faults = 0;          ///< pages mapped without reading from a disk
  std::uint64_t major_faults = 0;          ///< pages read from a disk

  std::int64_t cpu_ns() const noexcept { return user_ns + system_ns; }

  /// What was used after `earlier`. Memory is not a sum that grows: peak and resident stay those of the later
  /// moment.
  resource_usage since(const resource_usage& earlier) const noexcept;
};

/// Of the whole process, finished threads included.
resource_usage process_resources() noexcept;

/// Of the calling thread. Memory belongs to the process: both memory fields are 0.
resource_usage thread_resources() noexcept;

/// Starts a new measurement of the peak: from now on `peak_bytes` is the most since this call. Returns false,
/// and changes nothing, where the system does not allow it.
bool reset_peak_memory() noexcept;

}  // namespace THALWEG_NAMESPACE::observe
