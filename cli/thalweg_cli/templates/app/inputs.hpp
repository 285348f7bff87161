#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"

namespace apps::app_name {

/// An input: how many intervals there are.
struct input {
  std::string_view name;
  std::uint32_t intervals;
};

inline constexpr std::array inputs = {
    input{"test", 500},      input{"small", 6'000},  input{"medium", 30'000},
    input{"large", 120'000}, input{"huge", 400'000},
};

/// The file of an input.
inline constexpr std::string_view intervals_file = "intervals.txt";

/// Makes the file of an input in an empty folder, the same on every machine. \throws error  if there is no
/// such input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Compares what a program has written with what should be there, line by line.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::app_name
