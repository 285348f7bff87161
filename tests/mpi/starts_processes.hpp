#pragma once

#include <cstdio>
#include <string_view>

#include <mpi.h>

/// What a program says that has nobody to join it; ctest counts it as skipped then.
inline constexpr const char* starts_none = "this MPI starts no processes: nobody can join a run";

/// Whether this MPI can start processes. MPICH over UCX could not before 4.2, and Debian 12 has such a one.
inline bool starts_processes() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, major = 0, minor = 0;
  MPI_Get_library_version(text, &length);
  const std::string_view all(text, static_cast<std::size_t>(length));
  if (all.find("ch4:ucx") == std::string_view::npos) return true;
  return std::sscanf(text, "MPICH Version: %d.%d", &major, &minor) != 2 || major * 100 + minor >= 402;
}
