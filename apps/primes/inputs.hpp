#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"
#include "apps/support/range.hpp"

namespace apps::primes {

/// An input: which numbers are tested.
struct input {
  std::string_view name;
  apps::range range;
};

inline constexpr std::array inputs = {
    input{"test", {1, 30'000}},   input{"small", {1, 150'000}},  input{"medium", {1, 400'000}},
    input{"large", {1, 800'000}}, input{"huge", {1, 1'300'000}},
};

/// Makes the file of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Compares a program's list with that of a sieve, line by line.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::primes
