#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/resources.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <sys/resource.h>
#include <sys/time.h>

namespace THALWEG_NAMESPACE::observe {

namespace {

struct closer {
  void operator()(std::FILE* f) const noexcept { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, closer>;

std::int64_t to_ns(const timeval& t) noexcept {
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::int64_t>(t.tv_usec) * 1'000;
}

resource_usage usage_of(int who) noexcept {
  rusage r{};
  getrusage(who, &r);
  resource_usage u;
  u.wall_ns = now_ns();
  u.user_ns = to_ns(r.ru_utime);
  u.system_ns = to_ns(r.ru_stime);
  u.voluntary_switches = static_cast<std::uint64_t>(r.ru_nvcsw);
  u.involuntary_switches = static_cast<std::uint64_t>(r.ru_nivcsw);
  u.minor_faults = static_cast<std::uint64_t>(r.ru_minflt);
  u.major_faults = static_cast<std::uint64_t>(r.ru_majflt);
  return u;
}

}  // namespace

resource_usage resource_usage::since(const resource_usage& earlier) const noexcept {
  resource_usage d = *this;
  d.wall_ns -= earlier.wall_ns;
  d.user_ns -= earlier.user_ns;
  d.system_ns -= earlier.system_ns;
  d.voluntary_switches -= earlier.voluntary_switches;
  d.involuntary_switches -= earlier.involuntary_switches;
  d.minor_faults -= earlier.minor_faults;
  d.major_faults -= earlier.major_faults;
  return d;
}

resource_usage process_resources() noexcept {
  resource_usage u = usage_of(RUSAGE_SELF);
#if defined(__linux__)
  // Not ru_maxrss: it starts with the size of the program that called exec, and cannot be reset.
  if (const file status{std::fopen("/proc/self/status", "re")}) {
    char line[256];
    while (std::fgets(line, sizeof line, status.get()) != nullptr) {
      const auto kilobytes = [&] { return std::strtoull(std::strchr(line, ':') + 1, nullptr, 10) * 1024; };
      if (std::strncmp(line, "VmHWM:", 6) == 0) u.peak_bytes = kilobytes();
      if (std::strncmp(line, "VmRSS:", 6) == 0) u.resident_bytes = kilobytes();
    }
  }
#endif
  return u;
}

resource_usage thread_resources() noexcept {
#if defined(RUSAGE_THREAD)
  return usage_of(RUSAGE_THREAD);
#else
  resource_usage u;
  u.wall_ns = now_ns();
  u.user_ns = thread_cpu_ns();
  return u;
#endif
}

bool reset_peak_memory() noexcept {
#if defined(__linux__)
  const file control{std::fopen("/proc/self/clear_refs", "we")};
  return control && std::fputs("5", control.get()) >= 0 && std::fflush(control.get()) == 0;
#else
  return false;
#endif
}

}  // namespace THALWEG_NAMESPACE::observe
