// Two programs that are not the same, by OTHER: differing_test.py starts both in one run.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <ranges>
#include <string>

namespace tw = thalweg;

namespace {

constexpr bool is_other = OTHER;

template <bool> struct reading {
  int of = 0;
  double value = 0;
};
template <> struct reading<true> {
  int of = 0;
  float value = 0;
};

template <class Item> void run(const tw::mpi& policy, const std::string& name) {
  int items = 0;
  tw::run(tw::source(std::views::iota(0, 100)) |
              tw::farm(
                  [](const int& i) {
                    return Item{i, {}};
                  },
                  {.name = name}) |
              tw::sink([&](const Item&) { ++items; }),
          policy);
  if (policy.rank() == 0) std::printf("%d items\n", items);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "stage") {
      run<reading<false>>(tw::mpi{argc, argv}, is_other ? "differentiate" : "integrate");
    } else if (what == "type") {
      run<reading<is_other>>(tw::mpi{argc, argv}, "work");
    } else if (what == "arguments") {
      run<reading<false>>(tw::mpi{argc, argv}, "work");
    } else {
      run<reading<false>>(tw::mpi(), "work");
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "refused: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
