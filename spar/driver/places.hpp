/// Where the parts of Thalweg are: beside this program where all is installed, or in the tree where it is
/// built.
#pragma once

#include <filesystem>

#include "command_line.hpp"

namespace thalweg::spar::driver {

struct places {
  std::filesystem::path tool;     ///< thalweg-spar
  std::filesystem::path headers;  ///< the folder that holds thalweg/thalweg.hpp
  std::filesystem::path library;  ///< the folder that holds libthalweg
};

/// From where this program lies.
places find_places();

/// Arguments for a compiler to find the headers.
words include_flags(const places& in);

/// Arguments for a compiler to link the library, and with `mpi` its policy for several processes.
words library_flags(const places& in, bool mpi);

}  // namespace thalweg::spar::driver
