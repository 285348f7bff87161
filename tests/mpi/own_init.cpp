// Programs that initialise MPI themselves: with the threads that argv[1] names (single, funnelled, multiple).
// What then can be run is run; what cannot is refused in words that say what to do.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include <mpi.h>

#include "refusal.hpp"

namespace tw = thalweg;

namespace {

auto job(long& sum) {
  return tw::source(std::vector<long>{1, 2, 3}) | tw::farm([](const long& x) { return x; }) |
         tw::sink([&](long x) { sum += x; });
}

int check(const std::string& asked) {
  long sum = 0;
  const tw::mpi policy;
  const auto run = [&] { return refusal([&] { tw::run(job(sum), policy); }); };
  const auto launch = [&] { return refusal([&] { tw::launch(job(sum), policy).wait(); }); };
  if (asked == "single") return run().find("without threads") == std::string::npos ? 1 : 0;
  if (!run().empty()) return 2;
  if (asked == "funnelled" && launch().find("MPI_THREAD_SERIALIZED") == std::string::npos) return 3;
  if (asked == "multiple" && !launch().empty()) return 4;
  return sum == (policy.rank() == 0 ? (asked == "multiple" ? 12 : 6) : 0) ? 0 : 5;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string asked = argc > 1 ? argv[1] : "multiple";
  int given = 0;
  MPI_Init_thread(&argc, &argv,
                  asked == "single"      ? MPI_THREAD_SINGLE
                  : asked == "funnelled" ? MPI_THREAD_FUNNELED
                                         : MPI_THREAD_MULTIPLE,
                  &given);
  const int wrong = check(asked);
  const tw::mpi before;
  MPI_Finalize();
  const auto later = refusal([] { (void)tw::mpi(); });
  const auto run_later = refusal([&] { tw::run(tw::source(std::vector{1}) | tw::sink([](int) {}), before); });
  if (wrong != 0) std::fprintf(stderr, "%s: check %d failed\n", asked.c_str(), wrong);
  const auto says_so = [](const std::string& text) {
    return text.find("has been finalised") != std::string::npos;
  };
  return wrong == 0 && says_so(later) && says_so(run_later) ? 0 : 1;
}
