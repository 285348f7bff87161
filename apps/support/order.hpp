#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "apps/support/error.hpp"

namespace apps {

/// For sinks that need things in order. \throws error  unless the `what` that came is the one that is due:
/// whatever runs the operators must keep order
inline void check_order(const std::filesystem::path& file, const char* what, std::uint64_t came,
                        std::uint64_t due) {
  if (came == due) return;
  throw error("'" + file.string() + "' is not written: " + what + " " + std::to_string(came) +
              " came where " + what + " " + std::to_string(due) + " was due");
}

}  // namespace apps
