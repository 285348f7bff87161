// Runs benchmarks over MPI under mpirun and prints what they find as JSON lines on rank 0; `./thalweg micro
// mpi` starts it for each of them with the ranks that it needs.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <mpi.h>

#include "../support/clock.hpp"
#include "session.hpp"

namespace micro {
namespace {

std::string ranks_of(const mpi_benchmark& b) {
  return std::to_string(b.ranks) + (b.ranks == 1 ? " rank" : " ranks");
}

void list() {
  for (const auto& b : mpi_benchmarks())
    std::printf("%-16s %s: %s\n", b.name.c_str(), ranks_of(b).c_str(), b.says.c_str());
}

int run(const mpi_benchmark& b, mpi_session& s) {
  if (s.all.count() != b.ranks) {
    if (s.all.first())
      std::fprintf(stderr, "%s is made for %s, not for %d\n", b.name.c_str(), ranks_of(b).c_str(),
                   s.all.count());
    return 1;
  }
  if (!s.all.first() && std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  s.out.machine(name_of_mpi());
  s.out.begin(b.name, b.says);
  const nanos start = now();
  b.run(s);
  s.out.end(b.name, static_cast<double>(now() - start) / 1e9);
  return s.out.anything_wrong() ? 1 : 0;
}

}  // namespace

const std::vector<mpi_benchmark>& mpi_benchmarks() {
  static const std::vector<mpi_benchmark> all = {
      {"mpi_messages", 2, "4-byte items to another rank, and there and back", run_mpi_messages},
      {"mpi_bandwidth", 2, "blocks of 64 kB and 1 MB to another rank", run_mpi_bandwidth},
      {"mpi_latency", 2, "from rank to rank, half of the way there and back", run_mpi_latency},
      {"mpi_grain", 3, "a farm on two ranks at 0.1 µs to 1 ms of work per item", run_mpi_grain},
      {"mpi_hybrid", 4, "a farm on two ranks of two threads, and on four of one", run_mpi_hybrid},
      {"mpi_prefetch", 3, "a farm with 1, 10 and 100 runs in advance", run_mpi_prefetch},
      {"mpi_slow_source", 3, "the same behind a slow source: the age of items", run_mpi_slow_source},
      {"mpi_ferret", 6, "1, 3 and 4 stages of unlike work, each on a rank", run_mpi_ferret},
      {"mpi_resize", 3, "a farm gets a replica on another rank, and loses it", run_mpi_resize},
      {"mpi_parked", 3, "a rank in reserve: what it uses, and until it works", run_mpi_parked},
      {"mpi_monitor", 2, "samples of all ranks in a file every 100 ms, against none", run_mpi_monitor},
      {"mpi_single", 1, "a single rank against the local policy", run_mpi_single},
  };
  return all;
}

experiment mpi_session::compare(const std::string& bench, const std::string& variant,
                                std::uint64_t items) const {
  experiment made(bench, variant, items, [this] { return all.used(); });
  if (all.count() > 1) {
    const auto per_thousand = 1e3 / static_cast<double>(items);
    made.also({"messages", "per 1000 items",
               [per_thousand](const sample& s, double) { return s.messages * per_thousand; }});
  }
  return made;
}

}  // namespace micro

int main(int argc, char** argv) {
  CLI::App app{"Micro-benchmarks over MPI, for mpirun: JSON lines on standard output"};
  std::string name;
  bool quick = false;
  bool list = false;
  int repeats = 0;
  std::vector<std::string> known;
  for (const auto& b : micro::mpi_benchmarks()) known.push_back(b.name);
  app.add_option("name", name, "which benchmark")->check(CLI::IsMember(known));
  app.add_flag("--quick", quick, "shorter runs and fewer repeats: to see that all works");
  app.add_flag("--list", list, "name the benchmarks and their ranks, and stop");
  app.add_option("--repeats", repeats, "interleaved repeats (default: 11, quick: 3)")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (list) {
    micro::list();
    return 0;
  }
  const auto& all = micro::mpi_benchmarks();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& b) { return b.name == name; });
  if (found == all.end()) {
    std::fputs("which benchmark? --list names them\n", stderr);
    return 1;
  }
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
  int code = 1;
  try {
    micro::mpi_session s;
    s.quick = quick;
    s.repeats = repeats > 0 ? repeats : (quick ? 3 : 11);
    code = micro::run(*found, s);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the others wait
  }
  MPI_Finalize();
  return code;
}
