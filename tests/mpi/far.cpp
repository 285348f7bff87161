// Blocks that go to another rank and come back. Rank 0 prints its report, besides whether they came back in
// order and how many were on their way at most.
//
// usage: far BLOCKS BYTES RATE MS   (RATE: blocks a second, 0: as fast as they go; MS: of work on each)
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <thread>
#include <vector>

namespace tw = thalweg;

using block = std::vector<long>;

int main(int argc, char** argv) {
  try {
    const tw::mpi world{argc, argv};
    if (argc != 5) throw tw::error("usage: far BLOCKS BYTES RATE MS");
    const long blocks = std::atol(argv[1]);
    const std::size_t length = static_cast<std::size_t>(std::atol(argv[2])) / sizeof(long);
    const double rate = std::atof(argv[3]);
    const std::chrono::milliseconds work(std::atol(argv[4]));
    std::atomic<long> given{0};
    long seen = 0;
    long most = 0;
    bool in_order = true;
    const auto give = [&]() -> std::optional<block> {
      if (given == blocks) return {};
      return block(length, given++);
    };
    auto rest = tw::farm(
                    [work](const block& b) {
                      if (work.count() > 0) std::this_thread::sleep_for(work);
                      return b;
                    },
                    {.replicas = 2, .name = "pass"}) |
                tw::sink(
                    [&](const block& b) {
                      in_order = in_order && b.size() == length &&
                                 std::all_of(b.begin(), b.end(), [&](long x) { return x == seen; });
                      most = std::max(most, given - seen);
                      ++seen;
                    },
                    {.name = "write"});
    const auto policy = tw::mpi({.place = {{"write", {0}}}});
    const auto r = rate > 0 ? tw::run(tw::paced(give, rate) | std::move(rest), policy)
                            : tw::run(tw::source(give) | std::move(rest), policy);
    if (r.is_root())
      std::printf(R"({"seen": %ld, "in_order": %s, "most": %ld, "report": %s})", seen,
                  in_order ? "true" : "false", most, r.to_json().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "far: %s\n", e.what());
    return 1;
  }
}
