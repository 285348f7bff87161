// What the processor counts of this process, where the system lets it tell.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace THALWEG_NAMESPACE::observe {

/// One counter of Linux (`perf_event_open`) of the calling thread and the threads that it makes from then on,
/// in user mode. If the processor has fewer counters than are asked for, it takes turns, and the count is
/// scaled up.
class perf_counter {
 public:
  /// As `perf_event_attr` has them: `PERF_TYPE_HARDWARE` and `PERF_COUNT_HW_INSTRUCTIONS`, for example.
  perf_counter(std::uint32_t type, std::uint64_t config) noexcept;
  perf_counter(perf_counter&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  perf_counter& operator=(perf_counter&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~perf_counter();

  /// Since the construction; none if the system does not count this, or does not tell.
  [[nodiscard]] std::optional<std::uint64_t> count() const noexcept;

 private:
  int file_;
};

/// What a processor does for a stream. Each is none where the system does not tell: virtual machines often
/// have no such counters, and `/proc/sys/kernel/perf_event_paranoid` above 2 keeps them from all users but
/// root.
struct hardware_counts {
  std::optional<std::uint64_t> cycles;
  std::optional<std::uint64_t> instructions;
  std::optional<std::uint64_t> cache_misses;   ///< of the last level
  std::optional<std::uint64_t> branch_misses;  ///< branches that went another way than predicted
};

/// Counts for the calling thread, and the threads that it makes from then on, in user mode. Thread-confined.
///
/// ```cpp
/// #include <thalweg/observe/hardware_counters.hpp>
/// tw::observe::hardware_counters counters;
/// const auto found = counters.counts();
/// assert(!found.instructions || *found.instructions > 0);
/// ```
class hardware_counters {
 public:
  hardware_counters() noexcept;

  /// Since the construction.
  [[nodiscard]] hardware_counts counts() const noexcept;

 private:
  perf_counter cycles_, instructions_, cache_misses_, branch_misses_;
};

}  // namespace THALWEG_NAMESPACE::observe
