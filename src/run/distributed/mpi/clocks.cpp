#include "clocks.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <limits>

#include "collective.hpp"
#include "constants.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

constexpr int most_questions = 24;
constexpr int least_questions = 3;              // of which the first may also have to connect
constexpr std::int64_t enough_ns = 50'000'000;  // where round trips take long there are fewer

clock_reading ask(int rank, MPI_Comm comm) {
  clock_reading best{0, std::numeric_limits<std::int64_t>::max()};
  const auto first = observe::now_ns();
  char last = 0;
  for (int i = 1; last == 0; ++i) {
    std::int64_t theirs = 0;
    const auto begin = observe::now_ns();
    if (i == most_questions || (i >= least_questions && begin - first > enough_ns)) last = 1;
    MPI_Send(&last, 1, MPI_BYTE, rank, clocks_tag, comm);
    MPI_Recv(&theirs, 1, MPI_INT64_T, rank, clocks_tag, comm, MPI_STATUS_IGNORE);
    const auto half = (observe::now_ns() - begin + 1) / 2;
    const auto found = read_or_end(comm, [&] {
      return read_clock(rank, {read_time(rank, theirs) - (begin + half), half});
    });
    if (found.off_ns < best.off_ns) best = found;
  }
  return best;
}

void give_time(MPI_Comm comm) {
  for (char last = 0; last == 0;) {
    MPI_Recv(&last, 1, MPI_BYTE, 0, clocks_tag, comm, MPI_STATUS_IGNORE);
    const auto now = observe::now_ns();
    MPI_Send(&now, 1, MPI_INT64_T, 0, clocks_tag, comm);
  }
}

}  // namespace

clocks clocks::measured(MPI_Comm comm, const std::vector<int>& node_of) {
  clocks found;
  found.of_rank_.resize(node_of.size());
  const int rank = rank_in(comm);
  bool several = false;
  for (std::size_t r = 0; r < node_of.size(); ++r) {
    const bool asked = node_of[r] == static_cast<int>(r) && node_of[r] != node_of[0];
    several = several || asked;
    if (asked && rank == 0) found.of_rank_[r] = ask(static_cast<int>(r), comm);
    if (asked && rank == static_cast<int>(r)) give_time(comm);
  }
  if (!several) return found;
  for (std::size_t r = 0; r < node_of.size(); ++r)
    found.of_rank_[r] = found.of_rank_[static_cast<std::size_t>(node_of[r])];
  MPI_Bcast(found.of_rank_.data(), static_cast<int>(found.of_rank_.size() * sizeof(clock_reading)), MPI_BYTE,
            0, comm);
  for (const auto& r : found.of_rank_) (void)read_or_end(comm, [&] { return read_clock(0, r); });
  return found;
}

std::int64_t clocks::longest_round_trip_ns() const noexcept {
  std::int64_t half = 0;
  for (const auto& r : of_rank_) half = std::max(half, r.off_ns);
  return 2 * half;
}

void clocks::add(const clocks& with_more, const std::vector<int>& node_of) {
  const auto before = of_rank_.size();
  for (auto r = before; r < node_of.size(); ++r) {
    const auto same = static_cast<std::size_t>(node_of[r]);
    of_rank_.push_back(same < before ? of_rank_[same] : with_more.of_rank_[r]);
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
