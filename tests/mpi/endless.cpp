// A stream that goes on until somebody ends it: each rank says which process it is.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include <unistd.h>

namespace tw = thalweg;

int main(int argc, char** argv) {
  const tw::mpi policy{argc, argv};
  std::printf("%d %d\n", policy.rank(), static_cast<int>(getpid()));
  std::fflush(stdout);
  long n = 0;
  tw::run(tw::source([&]() -> std::optional<long> { return n++; }) | tw::farm([](const long& x) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            return x;
          }) | tw::sink([](long) {}),
          policy);
}
