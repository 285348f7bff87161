// Random lines: what comes out on several ranks is what comes out of the sequential run.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "support/scale.hpp"

namespace tw = thalweg;

namespace {

using line = tw::any_pipeline<long, long>;

// All ranks draw the same numbers.
struct dice {
  std::mt19937 engine;
  explicit dice(unsigned seed) : engine(seed) {}
  int operator()(int below) { return std::uniform_int_distribution<int>(0, below - 1)(engine); }
};

struct described {
  std::string text;
  bool ordered = true;
  bool replicas_seen = false;
  std::vector<line> pieces;
  long items = 0;
  tw::mpi_options how = {};
  int way = 0;
  bool restless = false;  // the number of ranks, credit and messages change all the time
};

line piece(dice& roll, described& to) {
  const int n = 1 + roll(5);
  tw::options opts{.replicas = n, .unordered = roll(8) == 0};
  const long a = 1 + roll(9);
  const int kind = roll(10);
  to.text += " " + std::to_string(kind) + "(" + std::to_string(n) + (opts.unordered ? "u" : "") + ")";
  if (kind < 4 || kind >= 6) to.ordered = to.ordered && !opts.unordered;
  switch (kind) {
    case 0:
      return tw::farm([a](const long& x) { return a * x; }, opts);
    case 1:
      return tw::farm(tw::filter([a](const long& x) { return x % (a + 1) != 0; }), opts);
    case 2:
      return tw::farm(tw::flat_map([a](const long& x, tw::emitter<long>& out) {
                        for (long i = 0; i < x % a % 4; ++i) out(x + i);
                      }),
                      opts);
    case 3:
      return tw::farm(tw::map([](const long& x) { return x + 1; }) |
                          tw::filter([a](const long& x) { return x % (10 * a) != 0; }),
                      opts);
    case 4:
      return tw::map([a](long x) { return x - a; });
    case 5:
      return tw::filter([a](const long& x) { return x % (a + 2) != 1; });
    case 6:
      opts.schedule = roll(2) == 0 ? tw::round_robin : tw::route([a](const long& x, std::size_t) {
        return static_cast<std::size_t>(x / a);
      });
      return tw::farm(tw::filter([a](const long& x) { return x % (a + 3) != 0; }), opts);
    case 7:
      // Whatever the order of the items, so that it can follow a farm without order.
      return tw::farm(tw::key_by([a](const long& x) { return x % (10 * a); },
                                 [](long& n, const long& x) { return x * 0 + ++n; }),
                      opts);
    case 8:
      return tw::key_by([a](const long& x) { return x % (5 * a); }) |
             tw::farm(tw::window(tw::count(3, {.any_order = true}), tw::count_of()), opts) |
             tw::map([](const tw::keyed<long, tw::windowed<std::int64_t>>& w) -> long {
               return w.key + 1'000 * w.value.value;
             });
    default:
      return tw::farm([](const long& x) { return x; }, opts) |
             tw::farm([](const long& x) { return x ^ 1; }, {.replicas = n + 1});
  }
}

described draw(unsigned seed) {
  dice roll(seed);
  described d;
  d.items = roll(4) == 0 ? roll(10) : roll(6'000);
  const int pieces = 1 + roll(4);
  for (int i = 0; i < pieces; ++i) d.pieces.push_back(piece(roll, d));
  switch (roll(4)) {
    case 0:
      d.how.local = tw::sequential{};
      break;
    case 1:
      d.how.local = tw::threads{};
      break;
    default:
      d.how.local = tw::pool{.workers = 1 + roll(3)};
  }
  if (roll(3) == 0) d.how.grouping = 1 + roll(4);
  if (roll(3) == 0) d.how.credits = 1 + roll(3);
  if (roll(3) == 0) d.how.batch_bytes = static_cast<std::size_t>(1 + roll(1'000));
  const tw::mpi_comm ways[] = {tw::automatic, tw::two_sided, tw::one_sided};
  d.way = roll(3);
  d.how.comm = ways[d.way];
  d.how.share_memory = roll(2) == 0;
  d.restless = roll(3) == 0;
  if (d.restless) d.how.reserve = std::min(roll(2), ranks::count() - 1);
  return d;
}

std::vector<long> run(const described& d, const tw::any_policy& how) {
  std::vector<long> seen;
  tw::any_pipeline<void, long> job = tw::source(std::views::iota(0L, d.items));
  for (const auto& p : d.pieces) job = tw::any_pipeline<void, long>(std::move(job) | p);
  auto e = tw::launch(job | tw::sink(seen), how);
  for (dice roll(1); d.restless && how.name() != "sequential" && ranks::root() && !e.done();) {
    try {
      e.set_ranks(1 + roll(ranks::count()));
      e.set_message_bytes(static_cast<std::size_t>(1 + roll(1'000)));
      e.set_run_length(std::chrono::microseconds(roll(100)));
    } catch (const tw::error&) {  // a serial stage is on a rank that was to leave
    }
    std::this_thread::sleep_for(std::chrono::microseconds(roll(1'000)));
  }
  e.wait();
  return seen;
}

TEST(RandomLine, ComesOutAsTheSequentialRun) {
  tw::let_travel<long>();
  tw::let_travel<tw::keyed<long, long>>();
  tw::let_travel<tw::keyed<long, tw::windowed<std::int64_t>>>();
  const char* const from = std::getenv("THALWEG_SEED");
  const auto first = from == nullptr ? 1U : static_cast<unsigned>(std::stoul(from));
  // Not more in a long run: all of them are one test, which has a time limit. Odd numbers of ranks get every
  // other line, and even ones the rest.
  const auto n = from == nullptr ? std::min(60, scaled(60)) : 1;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(n); ++seed) {
    if (from == nullptr && (static_cast<int>(seed) + ranks::count()) % 2 != 0) continue;
    const auto d = draw(seed);
    if (from != nullptr && ranks::root())
      std::printf("%ld items,%s, %s, grouping %d, credits %d, %zu bytes, way %d%s\n", d.items, d.text.c_str(),
                  d.how.local->name().c_str(), d.how.grouping, d.how.credits, d.how.batch_bytes, d.way,
                  d.how.share_memory ? "" : " without sharing");
    auto seen = run(d, ranks::policy(d.how));
    if (!ranks::root()) continue;
    auto wanted = run(d, tw::sequential{});
    if (!d.ordered) {
      std::sort(seen.begin(), seen.end());
      std::sort(wanted.begin(), wanted.end());
    }
    ASSERT_EQ(seen, wanted) << "THALWEG_SEED=" << seed << ": " << d.items << " items," << d.text;
  }
}

}  // namespace
