#include "clock.hpp"

#include <thalweg/observe/clock.hpp>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace THALWEG_NAMESPACE::net {

std::string clock_name() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  if (boot.empty()) return {};
  // Systems without such namespaces have one clock.
  std::error_code none;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/time", none);
  return boot + " " + (none ? "" : space.string());
}

std::int64_t wall_ahead_ns() {
  // The wall clock is read between two reads of the other.
  const auto before = observe::now_ns();
  const auto wall = observe::detail::read_clock(CLOCK_REALTIME);
  return wall - (before + observe::now_ns()) / 2;
}

}  // namespace THALWEG_NAMESPACE::net
