#include "machine.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <unistd.h>

#include "cores.hpp"

#ifndef MICRO_FLAGS
#define MICRO_FLAGS "flags unknown"
#endif

namespace micro {
namespace {

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

nlohmann::json describe_machine() {
  utsname system{};
  uname(&system);
  auto governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor.empty()) governor = "not visible";
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = -1;
  const auto pages = sysconf(_SC_PHYS_PAGES);
  const auto page = sysconf(_SC_PAGE_SIZE);
  return {{"cpu", processor()},
          {"cores", cores()},
          {"memory_gib", static_cast<double>(pages) * static_cast<double>(page) / (1U << 30U)},
          {"kernel", std::string(system.sysname) + " " + system.release},
          {"governor", governor},
          {"load", load},
          {"compiler", compiler()},
          {"flags", MICRO_FLAGS}};
}

}  // namespace micro
