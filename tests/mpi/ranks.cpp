#include "mpi/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

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

thalweg::mpi away(std::initializer_list<const char*> farms, thalweg::mpi_options how) {
  std::vector<int> others(static_cast<std::size_t>(std::max(0, count() - 1)));
  std::iota(others.begin(), others.end(), 1);
  for (const auto* const f : farms) {
    if (!others.empty()) how.place.push_back({f, others});
  }
  return policy(std::move(how));
}

}  // namespace ranks
