#include "surroundings.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include <sched.h>

#include "collective.hpp"

namespace thalweg::run_detail::across {

namespace {

// The cores of a machine that this rank may use, divided by those that may use them, too: a launcher may have
// bound each rank to cores of its own.
struct share_of_cores {
  int ranks = 1, cores = 1;
  double mine = 1;

  [[nodiscard]] int workers() const noexcept { return std::max(1, static_cast<int>(mine + 1e-6)); }
};

cpu_set_t own_cores() {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_SET(0, &own);
  return own;
}

share_of_cores share_among(const cpu_set_t& own, const std::vector<cpu_set_t>& all) {
  share_of_cores found{static_cast<int>(all.size()), 0, 0};
  for (int c = 0; c < CPU_SETSIZE; ++c) {
    const auto users =
        std::count_if(all.begin(), all.end(), [c](const auto& set) { return CPU_ISSET(c, &set); });
    if (users == 0) continue;
    ++found.cores;
    if (CPU_ISSET(c, &own)) found.mine += 1.0 / static_cast<double>(users);
  }
  return found;
}

share_of_cores share_among(MPI_Comm machine) {
  const auto own = own_cores();
  int ranks = 1;
  MPI_Comm_size(machine, &ranks);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, machine);
  return share_among(own, all);
}

// One boot of one machine, which has one clock and one memory.
std::array<char, 40> boot() {
  std::array<char, 40> id{};
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  std::copy_n(text.begin(), std::min(text.size(), id.size() - 1), id.begin());
  return id;
}

}  // namespace

surroundings look_around(MPI_Comm comm) {
  struct told {
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    int workers = 1;
    int first = 0;
  } mine;
  surroundings found;
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  const auto share = share_among(here);
  found.crowded = share.ranks > share.cores;
  MPI_Comm_rank(comm, &mine.first);
  MPI_Bcast(&mine.first, 1, MPI_INT, 0, here);
  MPI_Comm_free(&here);
  int n = 0, ranks = 1;
  MPI_Get_processor_name(mine.host, &n);
  mine.workers = share.workers();
  MPI_Comm_size(comm, &ranks);
  std::vector<told> of_all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, of_all.data(), sizeof mine, MPI_BYTE, comm);
  for (const auto& t : of_all) {
    found.all.ranks.push_back({t.host, t.workers});
    // Containers on one machine may share memory, and have times and names of their own.
    const auto same = std::find_if(of_all.begin(), of_all.end(), [&](const told& other) {
      return other.first == t.first && std::string_view(other.host) == t.host;
    });
    found.node_of.push_back(static_cast<int>(same - of_all.begin()));
  }
  return found;
}

surroundings look_around_apart(MPI_Comm comm) {
  struct told {
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    std::array<char, 40> booted = boot();
    cpu_set_t cores = own_cores();
  } mine;
  int n = 0, ranks = 1, rank = 0;
  MPI_Get_processor_name(mine.host, &n);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  std::vector<told> of_all(static_cast<std::size_t>(ranks));
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, of_all.data(), sizeof mine, MPI_BYTE, comm, &r);
  wait_for(r);
  const auto near = [](const told& a, const told& b) {
    return a.booted == b.booted && std::string_view(a.host) == b.host;
  };
  surroundings found;
  for (const auto& t : of_all) {
    std::vector<cpu_set_t> there;
    for (const auto& other : of_all) {
      if (near(t, other)) there.push_back(other.cores);
    }
    const auto share = share_among(t.cores, there);
    if (near(t, mine)) found.crowded = share.ranks > share.cores;
    found.all.ranks.push_back({t.host, share.workers()});
    const auto same =
        std::find_if(of_all.begin(), of_all.end(), [&](const told& other) { return near(t, other); });
    found.node_of.push_back(static_cast<int>(same - of_all.begin()));
  }
  return found;
}

}  // namespace thalweg::run_detail::across
