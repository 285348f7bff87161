#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace apps::fraud_detection {

/// How many types of transactions there are, 1 to `types`: how much was paid (low, normal, high), whether for
/// something expensive (normal, high), and how long after the one before (large, normal, small gap).
inline constexpr std::size_t types = 18;

/// Their names: `LNL` is type 1, `HHS` type 18.
inline constexpr std::array<std::string_view, types> type_names = {"LNL", "LNN", "LNS", "LHL", "LHN", "LHS",
                                                                   "NNL", "NNN", "NNS", "NHL", "NHN", "NHS",
                                                                   "HNL", "HNN", "HNS", "HHL", "HHN", "HHS"};

}  // namespace apps::fraud_detection
