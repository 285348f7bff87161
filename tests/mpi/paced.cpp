// A stream with due times whose sink is on the last rank. Rank 0 prints the report. argv[1]: `.grouping`.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>

namespace tw = thalweg;

int main(int argc, char** argv) {
  try {
    const tw::mpi world{argc, argv};
    const auto r =
        tw::run(tw::paced([n = 0L]() mutable { return n < 500 ? std::optional(n++) : std::nullopt; }, 5'000.0,
                          {.name = "tick"}) |
                    tw::farm([](const long& x) { return x; }, {.name = "pass"}) |
                    tw::sink([](long) {}, {.name = "write"}),
                tw::mpi({.grouping = argc > 1 ? std::atoi(argv[1]) : tw::automatic,
                         .place = {{"write", {world.ranks() - 1}}}}));
    if (r.is_root()) std::printf("%s\n", r.to_json().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "paced: %s\n", e.what());
    return 1;
  }
}
