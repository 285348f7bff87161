/// Two texts as a unified diff, which `patch` reads.
#pragma once

#include <string>

namespace thalweg::spar {

[[nodiscard]] std::string unified_diff(const std::string& before, const std::string& after,
                                       const std::string& name);

}  // namespace thalweg::spar
