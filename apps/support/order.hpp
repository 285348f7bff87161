#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "apps/support/error.hpp"

namespace apps {

/// Throws unless the item that came to a sink is the one that is due: whatever runs the operators must keep
/// order. `path` is what the sink writes, `item` what it calls an item.
inline void check_order(const std::filesystem::path& path, const std::string& item, std::uint64_t came,
                        std::uint64_t due) {
  if (came == due) return;
  throw error("'" + path.string() + "' is not written: " + item + " " + std::to_string(came) +
              " came where " + item + " " + std::to_string(due) + " was due");
}

/// Throws unless all items have come when a sink is closed: `came` of `due`, which were in order.
inline void check_complete(const std::filesystem::path& path, const std::string& item, std::uint64_t came,
                           std::uint64_t due) {
  if (came >= due) return;
  throw error("'" + path.string() + "' is not written: " + item + " " + std::to_string(came) + " is missing");
}

}  // namespace apps
