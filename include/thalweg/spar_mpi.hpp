/// What programs call that `thalweg-spar --policy mpi` has written. They include it themselves, and link
/// thalweg::mpi.
#pragma once

#include <thalweg/run/mpi.hpp>
#include <thalweg/spar.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::spar {

/// `On(rank)` of a serial stage, or of one with this many replicas.
inline stage_place place(std::string stage, int rank, int replicas = 1) {
  if (replicas == automatic) replicas = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return {std::move(stage), std::vector<int>(static_cast<std::size_t>(replicas), rank), {}};
}
/// `On("host")`.
inline stage_place place(std::string stage, std::string host, int = 1) {
  return {std::move(stage), {}, {std::move(host)}};
}

/// All ranks of the program. Throws a `thalweg::error` if the text names another number of them.
inline mpi on_ranks(const std::string& text, std::vector<stage_place> placed) {
  mpi_options told;
  told.place = std::move(placed);
  mpi made(std::move(told));
  const auto colon = text.find(':');
  if (colon != std::string::npos && text.substr(colon + 1) != std::to_string(made.ranks())) {
    throw error(text + ": the program was started with " + std::to_string(made.ranks()) + " processes");
  }
  return made;
}

/// Each rank runs `main`, and would print the same: all but rank 0 print into nothing.
inline void only_rank_0_prints() {
  if (mpi().rank() == 0) return;
  std::fflush(stdout);
  const int nothing = ::open("/dev/null", O_WRONLY);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  if (nothing < 0) return;
  ::dup2(nothing, STDOUT_FILENO);
  ::close(nothing);
}

}  // namespace THALWEG_NAMESPACE::spar
