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

/// What an errand took.
struct footprint {
  std::uint64_t memory = 0;  ///< The most that its process ever had, in kB.
  double parallelism = 0;    ///< Processor time over wall time.
};

/// Runs the errand in this process. Throws where there is no such contender.
footprint run_errand(const errand& errand, const registry& peers);

/// Runs the errand in a process of its own. Throws if it fails.
footprint run_apart(const errand& errand);

}  // namespace micro
