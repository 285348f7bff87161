#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "apps/support/application.hpp"

namespace apps::xml_transform {

/// An input: how many documents it has, and how many lines one of them has at most.
struct input {
  std::string_view name;
  std::uint64_t seed;
  std::uint32_t documents;
  std::uint32_t lines;
};

inline constexpr std::array inputs = {
    input{"test", 1, 60, 200},     input{"small", 2, 200, 300},  input{"medium", 3, 600, 500},
    input{"large", 4, 1'200, 700}, input{"huge", 5, 2'400, 900},
};

/// The style sheet of an input.
inline constexpr std::string_view style_file = "page.xsl";

/// The name of an input's document without its ending.
std::string document_name(std::uint32_t number);

/// Makes the files of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Compares each page of an archive with one that is written by hand from what was invented for the document:
/// neither the document nor the style sheet is read.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::xml_transform
