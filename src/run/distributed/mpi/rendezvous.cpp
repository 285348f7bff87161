#include "rendezvous.hpp"

#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collective.hpp"
#include "constants.hpp"
#include "joiner.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::int64_t the_end = -1;           // in place of the number of a run
constexpr std::chrono::milliseconds awake{2};  // ranks that come together do not sleep

std::atomic<int> runs{0};                  // that this process takes part in now
MPI_Comm rendezvous_comm = MPI_COMM_NULL;  // of all ranks that began the program, for nothing else
std::vector<process> processes_by_rank;    // by rank

void say(const std::string& what) {
  std::fprintf(stderr, "thalweg: %s\n", observe::printable(what).c_str());
  std::fflush(stderr);
}

std::string run_text(std::int64_t number) {
  return "run " + std::to_string(number) + " of the program";
}

// Sleeps until `done()`; calls `late()` once when `patience` has passed.
template <class Done, class Late>
void wait_until(std::chrono::milliseconds patience, Done&& done, Late&& late) {
  const auto begin = clock::now();
  bool told = patience.count() == 0;
  auto pause = first_rest;
  while (!done()) {
    const auto waited = clock::now() - begin;
    if (!told && waited > patience) {
      told = true;
      late();
    }
    if (waited < awake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_rest);
    }
  }
}

// What rank 0 says of a rank that has come to another run, or to the end.
std::string difference(int rank, std::int64_t theirs, std::int64_t mine) {
  const auto who = "rank " + std::to_string(rank);
  if (theirs == the_end)
    return who + " has ended without starting " + run_text(mine) +
           ", which rank 0 has started: all ranks must run the same jobs";
  if (mine == the_end)
    return "rank 0 has ended without starting " + run_text(theirs) + ", which " + who +
           " has started: all ranks must run the same jobs";
  return who + " has started " + run_text(theirs) + ", but rank 0 " + run_text(mine) +
         ": all ranks must run the same jobs in the same order";
}

// Of rank 0: waits for the numbers of all others.
void hear_all(std::int64_t number, std::chrono::milliseconds patience, int ranks) {
  struct other {
    std::int64_t number = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    bool came = false;
  };
  std::vector<other> all(static_cast<std::size_t>(ranks));
  for (int r = 1; r < ranks; ++r) {
    auto& o = all[static_cast<std::size_t>(r)];
    MPI_Irecv(&o.number, 1, MPI_INT64_T, r, rendezvous_tag, rendezvous_comm, &o.request);
  }
  const auto heard = [&] {
    bool everybody = true;
    for (int r = 1; r < ranks; ++r) {
      auto& o = all[static_cast<std::size_t>(r)];
      if (!o.came && is_done(o.request)) {
        o.came = true;
        if (o.number != number) end_program("mpi: " + difference(r, o.number, number), MPI_COMM_WORLD);
      }
      everybody = everybody && o.came;
    }
    return everybody;
  };
  wait_until(patience, heard, [&] {
    constexpr int most_named = 8;
    std::string names;
    int missing = 0;
    for (int r = 1; r < ranks; ++r) {
      if (all[static_cast<std::size_t>(r)].came) continue;
      if (++missing <= most_named) names += (missing > 1 ? ", " : "") + std::to_string(r);
    }
    if (missing > most_named) names += " and " + std::to_string(missing - most_named) + " more";
    const bool one = missing == 1;
    say("mpi: " + std::string(one ? "rank " : "ranks ") + names + (one ? " has" : " have") + " not started " +
        run_text(number) + " for " + seconds_of(patience) + "; rank 0 waits");
  });
}

// Returns when all ranks have said this number.
void agree(std::int64_t number, std::chrono::milliseconds patience) {
  const int rank = rank_in(rendezvous_comm), ranks = ranks_in(rendezvous_comm);
  MPI_Request said = MPI_REQUEST_NULL, answer = MPI_REQUEST_NULL;
  if (rank == 0) {
    hear_all(number, patience, ranks);
  } else {
    MPI_Isend(&number, 1, MPI_INT64_T, 0, rendezvous_tag, rendezvous_comm, &said);
  }
  auto agreed = number;
  MPI_Ibcast(&agreed, 1, MPI_INT64_T, 0, rendezvous_comm, &answer);
  // Rank 0 names the missing ranks. If it is missing itself, rank 1 says so.
  wait_until(
      rank == 1 ? 2 * patience : std::chrono::milliseconds(0),
      [&] { return is_done(said) && is_done(answer); },
      [&] { say("mpi: rank 1 waits for rank 0 to start " + run_text(number) + ", or for other ranks"); });
}

void open_rendezvous_comm(std::chrono::milliseconds patience, std::int64_t number) {
  const int rank = rank_in(MPI_COMM_WORLD);
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Comm_idup(MPI_COMM_WORLD, &rendezvous_comm, &r);
  wait_until(
      patience, [&] { return is_done(r); },
      [&] {
        say("mpi: rank " + std::to_string(rank) + " waits in " + run_text(number) +
            " for ranks that have not started it (each rank that has started it says so)");
      });
  const auto mine = process::self();
  const int ranks = ranks_in(rendezvous_comm);
  processes_by_rank.resize(static_cast<std::size_t>(ranks));
  MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, processes_by_rank.data(), sizeof mine, MPI_BYTE,
                 rendezvous_comm, &r);
  wait_for(r);
}

bool is_alone() {
  const int ranks = ranks_in(MPI_COMM_WORLD);
  return ranks == 1 || joiner::here() != nullptr;
}

// MPI is about to be finalised. A rank that has come to no run tells this to those that have.
void at_finalise() {
  require_no_run();
  if (rendezvous_comm == MPI_COMM_NULL) return;
  agree(the_end, std::chrono::milliseconds(0));
  MPI_Comm_free(&rendezvous_comm);
}

}  // namespace

void begin_rendezvous(bool own) {
  static bool begun = false;
  if (std::exchange(begun, true)) return;
  before_finalising(at_finalise);
  // All ranks are here, or MPI would not have been initialised.
  if (own && !is_alone()) open_rendezvous_comm(std::chrono::milliseconds(0), 0);
}

std::unique_ptr<stop_watch> watch_before(std::chrono::milliseconds patience) {
  if (processes_by_rank.empty()) return nullptr;
  const int rank = rank_in(MPI_COMM_WORLD);
  const auto ranks = static_cast<int>(processes_by_rank.size());
  const int before = (rank + ranks - 1) % ranks;
  return std::make_unique<stop_watch>(before, processes_by_rank[static_cast<std::size_t>(before)], patience);
}

MPI_Comm rendezvous(std::int64_t number, std::chrono::milliseconds patience) {
  const auto watch = watch_before(patience);
  if (!is_alone()) {
    if (rendezvous_comm == MPI_COMM_NULL) open_rendezvous_comm(patience, number);
    agree(number, patience);
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Comm_idup(rendezvous_comm == MPI_COMM_NULL ? MPI_COMM_WORLD : rendezvous_comm, &made, &r);
  wait_until(
      std::chrono::milliseconds(0), [&] { return is_done(r); }, [] {});
  return made;
}

in_run::in_run() noexcept {
  ++runs;
}
in_run::~in_run() {
  --runs;
}

bool is_in_run() noexcept {
  return runs.load() > 0;
}

void require_no_run() {
  if (!is_in_run()) return;
  const int rank = rank_in(MPI_COMM_WORLD);
  end_program("mpi: the process of rank " + std::to_string(rank) +
                  " ends in the middle of a run, so it ends the program on all ranks",
              MPI_COMM_WORLD);
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
