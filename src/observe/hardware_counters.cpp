#include <thalweg/observe/hardware_counters.hpp>

#include <array>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::observe {

perf_counter::perf_counter(std::uint32_t type, std::uint64_t config) noexcept {
  perf_event_attr asked{};
  asked.size = sizeof(asked);
  asked.type = type;
  asked.config = config;
  asked.inherit = 1;
  asked.exclude_kernel = 1;  // what is in the kernel is told to root alone
  asked.exclude_hv = 1;
  asked.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  file_ = static_cast<int>(syscall(SYS_perf_event_open, &asked, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

perf_counter::~perf_counter() {
  if (file_ >= 0) ::close(file_);
}

std::optional<std::uint64_t> perf_counter::count() const noexcept {
  std::array<std::uint64_t, 3> told{};
  if (file_ < 0 || ::read(file_, told.data(), sizeof(told)) != sizeof(told)) return std::nullopt;
  const auto [counted, enabled, running] = told;
  if (running == enabled) return counted;
  if (running == 0) return std::nullopt;  // it has never had its turn
  const auto share = static_cast<double>(enabled) / static_cast<double>(running);
  return static_cast<std::uint64_t>(static_cast<double>(counted) * share);
}

hardware_counters::hardware_counters() noexcept
    : cycles_(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
      instructions_(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
      cache_misses_(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES),
      branch_misses_(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES) {}

hardware_counts hardware_counters::counts() const noexcept {
  return {cycles_.count(), instructions_.count(), cache_misses_.count(), branch_misses_.count()};
}

}  // namespace THALWEG_NAMESPACE::observe
