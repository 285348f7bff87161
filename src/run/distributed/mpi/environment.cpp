#include "environment.hpp"

#include <thalweg/model/options.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include <sched.h>

#include "../../tuning.hpp"
#include "collective.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

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

// `machine` is the same on all ranks that share memory, and on no others.
environment look_around_on_machine(MPI_Comm comm, const std::string& machine, int workers) {
  struct told {
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    std::array<char, 40> machine{};
    cpu_set_t cores = own_cores();
    process itself = process::self();
    int workers = automatic;
  } mine;
  mine.workers = workers;
  std::copy_n(machine.begin(), std::min(machine.size(), mine.machine.size() - 1), mine.machine.begin());
  int n = 0, ranks = 1;
  MPI_Get_processor_name(mine.host, &n);
  MPI_Comm_size(comm, &ranks);
  std::vector<told> of_all(static_cast<std::size_t>(ranks));
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, of_all.data(), sizeof mine, MPI_BYTE, comm, &r);
  wait_for(r);
  environment found;
  for (auto& t : of_all) t.host[sizeof t.host - 1] = 0;  // whatever that rank has written there
  for (const auto& t : of_all) {
    std::vector<cpu_set_t> there;
    for (const auto& other : of_all) {
      if (other.machine == t.machine) there.push_back(other.cores);
    }
    const auto share = share_among(t.cores, there);
    if (t.machine == mine.machine) {
      found.crowded = share.ranks > share.cores;
      found.cores = share.cores;
    }
    found.all.ranks.push_back({t.host, t.workers > 0 ? std::min(t.workers, most_workers) : share.workers(),
                               share.ranks <= share.cores});
    found.processes.push_back(t.itself);
    // Containers on one machine may share memory, and have times and names of their own.
    const auto same = std::find_if(of_all.begin(), of_all.end(), [&](const told& other) {
      return other.machine == t.machine && std::string_view(other.host) == t.host;
    });
    found.node_of.push_back(static_cast<int>(same - of_all.begin()));
  }
  return found;
}

}  // namespace

environment look_around(MPI_Comm comm, int workers) {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int first = 0;
  MPI_Comm_rank(comm, &first);
  MPI_Bcast(&first, 1, MPI_INT, 0, here);
  MPI_Comm_free(&here);
  return look_around_on_machine(comm, std::to_string(first), workers);
}

environment discover_joined_environment(MPI_Comm comm, int workers) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return look_around_on_machine(comm, boot, workers);
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
