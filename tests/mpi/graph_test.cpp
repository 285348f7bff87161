// Graphs whose farms are on other ranks.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <ranges>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"

namespace tw = thalweg;

namespace {

constexpr long many = 10'000;

TEST(Graph, BranchesThatAnOrderedMergePutsTogether) {
  tw::let_travel<long>();
  std::vector<long> seen;
  tw::graph g;
  auto& split = g.add<tw::split<long>>(tw::where<long>([](const long& x) { return x % 3 == 0; }));
  auto& merge = g.add<tw::merge<long>>(tw::ordered);
  auto chosen = g.add(tw::farm(tw::filter([](const long& x) { return x % 5 != 0; }), {.replicas = 2}));
  auto others = g.add(tw::farm([](const long& x) { return 2 * x; }, {.replicas = 3}));
  g.connect(g.add(tw::source(std::views::iota(0L, many))).out, split.in);
  g.connect(split.branch(0), chosen.in);
  g.connect(split.branch(1), others.in);
  g.connect(chosen.out, merge.input());
  g.connect(others.out, merge.input());
  g.connect(merge.out, g.add(tw::sink(seen)).in);
  tw::run(g, ranks::policy());
  if (!ranks::root()) return;
  std::vector<long> wanted;
  for (long x = 0; x < many; ++x) {
    if (x % 3 != 0) wanted.push_back(2 * x);
    if (x % 3 == 0 && x % 5 != 0) wanted.push_back(x);
  }
  EXPECT_EQ(seen, wanted);
}

// What a connection converts crosses to another rank as one type or the other.
TEST(Graph, ItemsThatConvertOnTheirWay) {
  tw::let_travel<int>();
  tw::let_travel<long>();
  tw::let_travel<double>();
  std::vector<double> seen;
  tw::graph g;
  auto longer = g.add(tw::farm([](const long& x) { return x + (1L << 40); }, {.replicas = 2}));
  auto halves = g.add(tw::farm([](const double& x) { return x / 2; }, {.replicas = 3}));
  g.connect(g.add(tw::source(std::views::iota(0, int{many}))).out, longer.in);
  g.connect(longer.out, halves.in);
  g.connect(halves.out, g.add(tw::sink(seen)).in);
  tw::run(g, ranks::policy());
  if (!ranks::root()) return;
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(many));
  for (long x = 0; x < many; ++x)
    ASSERT_EQ(seen[static_cast<std::size_t>(x)], static_cast<double>(x + (1L << 40)) / 2);
}

TEST(Graph, KeysThatAreDividedUp) {
  std::vector<long> seen;
  const auto r = tw::run(tw::source(std::views::iota(0L, many)) |
                             tw::farm(tw::key_by([](const long& x) { return x % 100; },
                                                 [](long& sum, const long& x) { return sum += x; }),
                                      {.replicas = 4}) |
                             tw::sink(seen),
                         ranks::policy());
  if (!r.is_root()) return;
  std::vector<long> sums(100), wanted;
  for (long x = 0; x < many; ++x) wanted.push_back(sums[static_cast<std::size_t>(x % 100)] += x);
  EXPECT_EQ(seen, wanted);
}

TEST(Graph, FarmsThatDealTheirItemsOut) {
  std::vector<long> seen;
  const auto r =
      tw::run(tw::source(std::views::iota(0L, many)) |
                  tw::farm([](const long& x) { return x; }, {.replicas = 3, .schedule = tw::round_robin}) |
                  tw::sink(seen),
              ranks::policy());
  if (!r.is_root()) return;
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(many));
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

}  // namespace
