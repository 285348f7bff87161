// Runs this program again, for what can only be measured in a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../peers/registry.hpp"

namespace micro {

/// One program for one contender to run once.
struct errand {
  std::string program;  ///< `even`, `sandwich`, `chain` or `frames`.
  std::string peer;
  std::string setting;  ///< Empty: the peer's default.
  std::uint64_t items = 0;
  std::uint32_t steps = 1;  ///< Of work, where the program has any.
};

/// Runs the errand in this process. Throws where there is no such contender.
void run_errand(const errand& errand, const registry& peers);

/// The most memory this process ever had, in kB.
std::uint64_t peak_memory();

/// Runs the errand in a process of its own and gives its peak memory in kB. Throws if it fails.
std::uint64_t peak_memory_of(const errand& errand);

}  // namespace micro
