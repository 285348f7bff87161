// A stream without an end, over several processes: Ctrl-C stops it, and what has come out is kept.
//
//   mpirun -n 4 ./until_stopped squares.txt
//
// A signal to one of the processes is enough: the sources of the stream end, what is under way comes through,
// and `run` returns on all of them. Open MPI's launcher kills processes that are still there a second after
// Ctrl-C; where that is too short, `kill -USR1` it: that signal it only passes on.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>

namespace tw = thalweg;

int main(int argc, char** argv) {
  const tw::mpi policy{argc, argv};
  if (argc != 2) {
    if (policy.rank() == 0) std::cerr << "until_stopped: say which file to write\n";
    return EXIT_FAILURE;
  }
  try {
    std::ofstream out;
    if (policy.rank() == 0) out.open(argv[1]);  // where the sink is
    const auto job = tw::source([n = 0L]() mutable -> std::optional<long> { return n++; }) |
                     tw::farm([](const long& n) { return n * n; }) |
                     // With each line in the file at once, those are kept that are there when a process dies.
                     tw::sink([&](long square) { out << square << std::endl; });
    const tw::report r = tw::run(job, policy, {.stop_on_signals = {SIGINT, SIGTERM, SIGUSR1}});
    if (r.is_root()) std::cout << r.items() << " lines are kept\n";
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    if (policy.rank() == 0) std::cerr << "until_stopped: " << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
