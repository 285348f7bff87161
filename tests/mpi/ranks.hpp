#pragma once

#include <thalweg/run/mpi.hpp>

#include <initializer_list>
#include <utility>

/// The ranks that run a test together.
namespace ranks {

void start(int& argc, char**& argv);

/// With other options than those that the command line of the tests asks for.
const thalweg::mpi& policy();
thalweg::mpi policy(thalweg::mpi_options how);

/// The same with these farms on all ranks but the first one, so that what they get and give travels.
thalweg::mpi away(std::initializer_list<const char*> farms, thalweg::mpi_options how = {});

inline bool root() {
  return policy().rank() == 0;
}
inline int count() {
  return policy().ranks();
}

}  // namespace ranks
