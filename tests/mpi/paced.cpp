// A stream with due times, part of which is on the last rank. Rank 0 prints the report. argv[1]: `.grouping`;
// or `dealt`, for a farm of sinks that one rank deals to, or `sums`, for one by key whose end hooks send.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace tw = thalweg;

namespace {

// 500 items, 5 000 a second.
auto ticks() {
  return tw::paced([n = 0L]() mutable { return n < 500 ? std::optional(n++) : std::nullopt; }, 5'000.0,
                   {.name = "tick"});
}

tw::report run(const std::string& what, const tw::mpi& world) {
  const auto part = tw::mpi({.place = {{"part", {0, world.ranks() - 1}}}});
  const auto take = tw::sink([](long) {}, {.name = "part"});
  if (what == "dealt")
    return tw::run(ticks() | tw::farm(take, {.replicas = 2, .schedule = tw::round_robin}), part);
  if (what == "sums")
    return tw::run(ticks() | tw::key_by([](const long& x) { return x % 10; }) |
                       tw::farm(tw::reduce(0L, [](long n, const long& x) { return n + x; }),
                                {.replicas = 2, .name = "part"}) |
                       tw::sink([](const tw::keyed<long, long>&) {}),
                   part);
  return tw::run(ticks() | tw::farm([](const long& x) { return x; }, {.name = "pass"}) |
                     tw::sink([](long) {}, {.name = "write"}),
                 tw::mpi({.grouping = what.empty() ? tw::automatic : std::stoi(what),
                          .place = {{"write", {world.ranks() - 1}}}}));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const tw::mpi world{argc, argv};
    const auto r = run(argc > 1 ? argv[1] : "", world);
    if (r.is_root()) std::printf("%s\n", r.to_json().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "paced: %s\n", e.what());
    return 1;
  }
}
