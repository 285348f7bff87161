#include "mpi/ranks.hpp"

#include <optional>

namespace ranks {

namespace {

std::optional<thalweg::mpi>& started() {
  static std::optional<thalweg::mpi> it;
  return it;
}

}  // namespace

void start(int& argc, char**& argv) {
  started().emplace(argc, argv);
}

const thalweg::mpi& policy() {
  return *started();
}

thalweg::mpi policy(thalweg::mpi_options how) {
  return thalweg::mpi(std::move(how));
}

}  // namespace ranks
