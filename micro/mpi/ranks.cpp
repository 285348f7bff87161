#include "ranks.hpp"

#include <array>
#include <utility>

#include <mpi.h>

#include "../support/clock.hpp"

namespace micro {
namespace {

void wait_quietly(MPI_Request request) {
  constexpr int looks = 200;
  constexpr nanos rest = 50'000;
  for (int i = 0, done = 0; done == 0; ++i) {
    if (i > looks) sleep_until(now() + rest);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

}  // namespace

ranks::ranks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
}

std::uint64_t ranks::told(std::uint64_t says, int from) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&says, 1, MPI_UINT64_T, from, MPI_COMM_WORLD, &request);
  wait_quietly(request);
  return says;
}

usage ranks::used() const {
  const std::array<std::uint64_t, 2> mine{static_cast<std::uint64_t>(processor_time()),
                                          sent_so_far().messages};
  std::array<std::uint64_t, 2> all{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine.data(), all.data(), 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
  wait_quietly(request);
  return {static_cast<nanos>(all[0]), all[1]};
}

std::string name_of_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

contender on_all(const ranks& all, std::string peer, std::string setting, std::function<std::uint64_t()> run,
                 int result_on) {
  return {std::move(peer), std::move(setting), true,
          [&all, run = std::move(run), result_on] { return all.told(run(), result_on); }};
}

contender on_first(const ranks& all, const contender& who) {
  auto alone = who;
  alone.run = [&all, run = who.run] { return all.told(all.first() ? run() : 0); };
  return alone;
}

}  // namespace micro
