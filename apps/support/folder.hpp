#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace apps {

/// The files of a folder whose names end in one of `endings`, in the order of their names (byte by byte, so
/// that numbers in them need leading zeros). \throws error  naming the folder, if it cannot be read or has
/// none of them
///
/// ```cpp
/// for (const auto& file : apps::files_in("pictures", {".ppm", ".pgm"})) show(file);
/// ```
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            std::initializer_list<std::string_view> endings);

/// Gives `output` back. \throws error  if it is one of the files that are read, by whatever name
std::filesystem::path output_other_than(const std::vector<std::filesystem::path>& inputs,
                                        std::filesystem::path output);

}  // namespace apps
