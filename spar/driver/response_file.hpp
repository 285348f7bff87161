/// Response files, `@file`: arguments that stand in a file, as GCC and Clang read and write them.
#pragma once

#include <filesystem>

#include "command_line.hpp"

namespace thalweg::spar::driver {

/// Replaces each `@file` by what the file holds. A file that cannot be read stays as it is: the compiler says
/// so.
words expand_response_files(const words& arguments);

/// Writes arguments to a file, so that they come back as they are.
void write_response_file(const std::filesystem::path& file, const words& arguments);

}  // namespace thalweg::spar::driver
