#pragma once

#include <thalweg/version.hpp>

#include <chrono>

/// What can be asked of any run, besides its own bounds; 0 means "as it sees fit" for each of these.
namespace THALWEG_NAMESPACE::adaptation {

inline constexpr std::chrono::nanoseconds shortest_run_length = std::chrono::microseconds(1);
inline constexpr std::chrono::nanoseconds longest_run_length = std::chrono::microseconds(500);
inline constexpr int most_credits = 1024;

}  // namespace THALWEG_NAMESPACE::adaptation
