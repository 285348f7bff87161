#pragma once

#include <thalweg/run/mpi.hpp>

#include <utility>

/// The ranks that run a test together.
namespace ranks {

void start(int& argc, char**& argv);

/// With other options than those that the command line of the tests asks for.
const thalweg::mpi& policy();
thalweg::mpi policy(thalweg::mpi_options how);

inline bool root() {
  return policy().rank() == 0;
}
inline int count() {
  return policy().ranks();
}

}  // namespace ranks
