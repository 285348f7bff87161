#include "collective.hpp"

#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "constants.hpp"
#include "message.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

constexpr std::chrono::milliseconds time_for_launcher{50};
constexpr std::chrono::seconds time_for_mpi{1};
constexpr std::size_t most_counted = std::size_t{1} << 30;  // bytes: MPI counts with int
constexpr int parts = 3;                                    // a tag that messages and blocks do not have

void say_why(const std::string& why) {
  std::fprintf(stderr, "thalweg: %s\n", observe::printable(why).c_str());
  std::fflush(stderr);
  // What a launcher has not passed on when it is told to end all may be lost (MPICH's).
  std::this_thread::sleep_for(time_for_launcher);
}

[[noreturn]] void end_self() {
  std::this_thread::sleep_for(time_for_mpi);
  (void)std::raise(SIGKILL);
  std::abort();
}

}  // namespace

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int ranks_in(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

bool is_done(MPI_Request& r) {
  int done = 0;
  MPI_Test(&r, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

void wait_for(MPI_Request& r) {
  for (auto pause = first_rest; !is_done(r); pause = std::min(2 * pause, longest_rest))
    std::this_thread::sleep_for(pause);
}

void end_program(const std::string& why, MPI_Comm comm, const std::vector<process>& silent) {
  say_why(why);
  std::thread([] { end_self(); }).detach();
  for (const auto& p : silent) p.end();
  MPI_Abort(comm, EXIT_FAILURE);
  end_self();
}

void end_program_without_mpi(const std::string& why, const process& silent) {
  say_why(why);
  silent.end();
  end_self();
}

std::string seconds_of(std::chrono::nanoseconds t) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", std::chrono::duration<double>(t).count());
  return text;
}

// What belongs to this communicator is deleted first then.
void before_finalising(void (*call)()) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(
      MPI_COMM_NULL_COPY_FN,
      [](MPI_Comm, int, void* to_call, void*) {
        reinterpret_cast<void (*)()>(to_call)();
        return MPI_SUCCESS;
      },
      &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, reinterpret_cast<void*>(call));
}

std::string name_of_host() {
  char host[MPI_MAX_PROCESSOR_NAME];
  int n = 0;
  MPI_Get_processor_name(host, &n);
  return {host, static_cast<std::size_t>(n)};
}

std::string first_of(const std::string& mine, MPI_Comm comm) {
  const int rank = rank_in(comm), ranks = ranks_in(comm);
  int who = mine.empty() ? ranks : rank;
  int first = ranks;
  MPI_Allreduce(&who, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks) return {};
  std::string text = "rank " + std::to_string(rank) + mine;
  auto n = static_cast<int>(text.size());
  MPI_Bcast(&n, 1, MPI_INT, first, comm);
  text.resize(read_or_end(comm, [&] { return checked_length(first, static_cast<std::uint64_t>(n)); }));
  MPI_Bcast(text.data(), n, MPI_CHAR, first, comm);
  return text;
}

// One rank after the other: a trace may be long, and rank 0 is to have no more than it keeps.
std::vector<std::vector<std::byte>> gathered(const std::vector<std::byte>& mine, MPI_Comm comm) {
  const int rank = rank_in(comm), ranks = ranks_in(comm);
  std::vector<std::uint64_t> sizes(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  const std::uint64_t size = mine.size();
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Igather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, comm, &r);
  wait_for(r);
  const auto in_pieces = [&](std::size_t n, auto&& begin) {
    for (std::size_t at = 0; at < n; at += most_counted) {
      begin(at, static_cast<int>(std::min(most_counted, n - at)));
      wait_for(r);
    }
  };
  if (rank > 0) {
    in_pieces(mine.size(),
              [&](std::size_t at, int n) { MPI_Isend(mine.data() + at, n, MPI_BYTE, 0, parts, comm, &r); });
    return {};
  }
  std::vector<std::vector<std::byte>> all{mine};
  for (int from = 1; from < ranks; ++from) {
    auto& theirs = all.emplace_back(
        read_or_end(comm, [&] { return checked_length(from, sizes[static_cast<std::size_t>(from)]); }));
    in_pieces(theirs.size(), [&](std::size_t at, int n) {
      MPI_Irecv(theirs.data() + at, n, MPI_BYTE, from, parts, comm, &r);
    });
  }
  return all;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
