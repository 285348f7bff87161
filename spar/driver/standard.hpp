/// The version of C++ of translated sources: at least 20.
#pragma once

#include "command_line.hpp"

namespace thalweg::spar::driver {

/// The option to add, so that it is at least C++20; none if it is so already.
words standard_flag(const command_line& line);

}  // namespace thalweg::spar::driver
