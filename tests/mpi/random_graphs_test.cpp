// Random graphs, with the stages that choose their inputs on any ranks, against an interpreter that knows
// nothing of thalweg: see tests/graph/random_graphs_test.cpp. THALWEG_SEED=n runs that one alone.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "mpi/ranks.hpp"
#include "support/random_graphs/build.hpp"
#include "support/random_graphs/compare.hpp"
#include "support/random_graphs/generate.hpp"
#include "support/scale.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace random_graphs;
using namespace std::chrono_literals;

// Sinks stay on the root, which looks at what came to them. What goes round in a loop has to be on one rank.
bool may_be_anywhere(verb what) {
  switch (what) {
    case verb::sink:
    case verb::loop:
    case verb::farm:
    case verb::farm_line:
      return false;
    default:
      return true;
  }
}

// All ranks draw the same numbers.
struct drawn {
  description what;
  tw::mpi_options how;
  std::string text;
};

drawn draw(unsigned seed) {
  std::mt19937 engine(seed);
  const auto roll = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(engine); };
  drawn d;
  d.what = any_description(6'000)(rc::Random(seed), 100).value();
  const layout l(d.what);
  std::vector<int> at(l.nodes.size(), 0);
  for (std::size_t i = 0; i < l.nodes.size(); ++i) {
    const auto& n = l.nodes[i];
    if (!may_be_anywhere(n.what)) continue;
    if (roll(2) == 0) at[i] = roll(ranks::count());
    // What lies between a split and an ordered merge keeps its own together.
    const auto& splits = l.streams[n.in.empty() ? 0 : n.in.front()].splits;
    if (n.what == verb::merge_ordered && splits.size() > 1) at[i] = at[splits.back()];
    if (at[i] == 0) continue;
    d.how.place.push_back({.stage = n.name(i), .ranks = {at[i]}});
    if (n.what == verb::fan) d.how.place.push_back({.stage = n.name(i) + "-merge", .ranks = {at[i]}});
  }
  const tw::any_policy local[] = {tw::sequential{}, tw::threads{}, tw::pool{.workers = 1},
                                  tw::pool{.workers = 3}};
  d.how.local = local[roll(4)];
  const tw::mpi_comm ways[] = {tw::automatic, tw::two_sided, tw::one_sided};
  d.how.comm = ways[roll(3)];
  d.how.share_memory = roll(3) > 0;
  if (roll(3) == 0) d.how.credits = 1 + roll(3);
  if (roll(3) == 0) d.how.batch_bytes = static_cast<std::size_t>(1 + roll(1'000));
  d.text = "THALWEG_SEED=" + std::to_string(seed) + ", " + d.how.local->name();
  for (const auto& p : d.how.place) d.text += ", " + p.stage + " on " + std::to_string(p.ranks.front());
  return d;
}

TEST(RandomGraph, DoesWhatItShould) {
  tw::let_travel<item>();
  tw::let_travel<std::vector<item>>();
  tw::let_travel<arriving>();
  tw::let_travel<timed>();
  tw::let_travel<std::int64_t>();
  tw::let_travel<tw::windowed<std::int64_t>>();
  tw::let_travel<tw::keyed<std::int64_t, item>>();
  tw::let_travel<tw::keyed<std::int64_t, timed>>();
  tw::let_travel<tw::keyed<std::int64_t, tw::windowed<std::int64_t>>>();
  const char* const from = std::getenv("THALWEG_SEED");
  const char* const count = std::getenv("THALWEG_GRAPHS");
  const auto first = from == nullptr ? 1U : static_cast<unsigned>(std::stoul(from));
  // Not more in a long run: all of them are one test, which has a time limit. Odd numbers of ranks get every
  // other graph, and even ones the rest.
  const auto usual = static_cast<unsigned>(from == nullptr ? std::min(40, scaled(40)) : 1);
  const auto n = count == nullptr ? usual : static_cast<unsigned>(std::stoul(count));
  for (unsigned seed = first; seed < first + n; ++seed) {
    if (from == nullptr && (static_cast<int>(seed) + ranks::count()) % 2 != 0) continue;
    const auto d = draw(seed);
    const auto run = std::make_shared<witness>(layout(d.what));
    const auto text = d.text + "\n" + run->described.text();
    const watchdog::watch limited(60s, [&] { return text; });
    tw::graph g;
    build(run, g);
    ASSERT_NO_THROW(tw::run(g, ranks::policy(d.how))) << text;
    ASSERT_EQ(run->complaints(), "") << text;
    if (!ranks::root()) continue;
    ASSERT_EQ(mismatch(*run, predict(run->described), true), "") << text;
  }
}

}  // namespace
