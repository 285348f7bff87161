// expect: items of this type enter or leave a farm, so they travel from one process
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>
#include <string>

namespace tw = thalweg;

struct line {
  std::string text;
};

int main(int argc, char** argv) {
  const auto read = tw::source([]() -> std::optional<int> { return std::nullopt; });
  const auto parse = [](const int&) { return line{}; };
#ifdef WRONG
  auto job = read | tw::farm(parse) | tw::sink([](const line&) {});
#else
  auto job = read | tw::farm([](const int& x) { return x; }) | tw::map(parse) | tw::sink([](const line&) {});
#endif
  tw::run(job, tw::mpi{argc, argv});
}
