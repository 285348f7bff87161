// A stream that goes on until somebody ends it: each rank says which process it is, and the sink that it has
// begun. argv[1]: so many join it. What comes out is appended to the file that KEPT names.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include <unistd.h>

#include "starts_processes.hpp"

namespace tw = thalweg;

int main(int argc, char** argv) {
  const int more = argc > 1 ? std::atoi(argv[1]) : 0;
  const tw::mpi policy{argc, argv, {.spawn = more}};
  if (more > 0 && !starts_processes()) {
    std::puts(starts_none);
    return EXIT_SUCCESS;
  }
  // Ranks know each other's processes from their first run on.
  tw::run(tw::source([n = 0]() mutable -> std::optional<int> {
            return n > 0 ? std::nullopt : std::optional(n++);
          }) | tw::sink([](int) {}),
          tw::mpi{{.spawn = 0}});
  std::printf("%d %d\n", policy.rank(), static_cast<int>(getpid()));
  std::fflush(stdout);
  const char* const file = std::getenv("KEPT");
  std::FILE* const kept = file != nullptr && policy.rank() == 0 ? std::fopen(file, "a") : nullptr;
  long n = 0;
  auto e = tw::launch(tw::source([&]() -> std::optional<long> { return n++; }) |
                          tw::farm(
                              [](const long& x) {
                                std::this_thread::sleep_for(std::chrono::microseconds(100));
                                return x;
                              },
                              {.replicas = 1, .name = "pass"}) |
                          tw::sink([&](long x) {
                            if (kept != nullptr) {
                              std::fprintf(kept, "%ld\n", x);
                              std::fflush(kept);
                            }
                            if (x > 0) return;
                            std::puts("begun");
                            std::fflush(stdout);
                          }),
                      policy);
  if (more > 0 && policy.rank() == 0)
    e.set_replicas("pass", 4 * static_cast<int>(std::thread::hardware_concurrency()));
  e.wait();
}
