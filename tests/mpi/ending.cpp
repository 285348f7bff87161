// Ranks that never come to a run of the others: ending_test.py looks at what is said of them.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ranges>
#include <string>
#include <thread>

#include <mpi.h>

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

void run_once(const tw::mpi& policy, int exits_on = -1) {
  long sum = 0;
  tw::run(tw::source(std::views::iota(0L, 100L)) |
              tw::farm(
                  [&](const long& x) {
                    if (x == 50 && policy.rank() == exits_on) std::exit(EXIT_SUCCESS);
                    return x;
                  },
                  {.name = "work"}) |
              tw::sink([&](long x) { sum += x; }),
          policy);
  if (policy.rank() == 0 && sum == 4950) std::puts("done");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const bool by_program = how == "finalises" || how == "late_with_own_init";
  if (by_program) {
    int given = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  }
  const tw::mpi policy{argc, argv, {.place = {{"work", {2}}}, .patience = 200ms}};
  const int me = policy.rank();
  if (how == "returns" && me == 1) return EXIT_SUCCESS;
  if (how == "root_returns" && me == 0) return EXIT_SUCCESS;
  if (how == "stops" && me == 1) std::raise(SIGSTOP);
  if (how == "root_stops" && me == 0) std::raise(SIGSTOP);
  if ((how == "late_at_first" || how == "late_with_own_init") && me == 1) std::this_thread::sleep_for(600ms);
  run_once(policy, how == "exits" ? 2 : -1);
  if (how == "once" && me == 2) return EXIT_SUCCESS;
  if (how == "late" && me == 2) std::this_thread::sleep_for(600ms);
  if (how == "late_root" && me == 0) std::this_thread::sleep_for(900ms);
  if (!(how == "finalises" && me == 1)) run_once(policy);
  if (by_program) MPI_Finalize();
}
