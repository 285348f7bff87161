#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "apps/file_writer/recipe.hpp"
#include "apps/support/application.hpp"

namespace apps::file_writer {

/// An input: which files are written.
struct input {
  std::string_view name;
  recipe files;
};

inline constexpr std::array inputs = {
    input{"test", {1'000, 0, 40'000, 1, false}},   input{"small", {30'000, 0, 60'000, 2, false}},
    input{"medium", {10'000, 0, 60'000, 3, true}}, input{"large", {60'000, 0, 60'000, 4, true}},
    input{"huge", {320'000, 0, 60'000, 5, true}},
};

/// Makes the file of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Looks at each file in the folder that a program wrote: its name, its bytes, its line in the list; and that
/// there is nothing else.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::file_writer
