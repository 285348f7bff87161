#include <thalweg/thalweg.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Zip : public under_every_policy {};
FOR_EVERY_POLICY(Zip);

TEST_P(Zip, PutsStreamsSideBySide) {
  constexpr int n = 5'000;
  std::vector<std::tuple<int, std::string, long>> seen;
  tw::graph g;
  auto& z = g.add<tw::zip<int, std::string, long>>();
  g.connect(g.add(tw::source(std::views::iota(0, n))).out, z.input<0>(), {.capacity = 3});
  g.connect(g.add(tw::source(std::views::iota(0, n)) |
                  tw::farm([](int x) { return std::to_string(x); }, {.replicas = 2}))
                .out,
            z.input<1>());
  g.connect(g.add(tw::source(std::views::iota(0, n)) | tw::map([](int x) { return 2L * x; })).out,
            z.input<2>());
  g.connect(z.out, g.add(tw::sink(seen)).in);
  const auto r = tw::run(g, policy());
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(seen[static_cast<std::size_t>(i)], std::tuple(i, std::to_string(i), 2L * i));
  EXPECT_EQ(r.stage("zip-0").items_in(), 3U * n);
  EXPECT_EQ(r.stage("zip-0").items_out(), static_cast<std::uint64_t>(n));
}

TEST_P(Zip, EndsWithTheShortest) {
  for (const bool first : {true, false}) {
    for (const int shortest : {0, 1, 700}) {
      std::vector<std::tuple<int, int>> seen;
      tw::graph g;
      auto& z = g.add<tw::zip<int, int>>();
      g.connect(g.add(tw::source(std::views::iota(0, first ? shortest : 20'000))).out, z.input<0>());
      g.connect(g.add(tw::source(std::views::iota(0, first ? 20'000 : shortest))).out, z.input<1>());
      g.connect(z.out, g.add(tw::sink(seen)).in);
      tw::run(g, policy());
      ASSERT_EQ(seen.size(), static_cast<std::size_t>(shortest));
      for (int i = 0; i < shortest; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], std::tuple(i, i));
    }
  }
}

TEST_P(Zip, OfTwoBranchesOfOneStreamThatAreReadAlike) {
  // One branch is far behind the other in items: pipes between have to hold them.
  std::vector<std::tuple<int, int>> seen;
  tw::graph g;
  auto& t = g.add<tw::tee<int>>();
  auto& z = g.add<tw::zip<int, int>>();
  auto late = g.add(tw::filter([](const int& x) { return x >= 3'000; }));
  g.connect(g.add(tw::source(std::views::iota(0, 6'000))).out, t.in);
  g.connect(t.branch(), z.input<0>(), {.capacity = 8});
  g.connect(t.branch(), late.in);
  g.connect(late.out, z.input<1>());
  g.connect(z.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  ASSERT_EQ(seen.size(), 3'000U);
  for (int i = 0; i < 3'000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], std::tuple(i, i + 3'000));
}

TEST_P(Zip, TakesWhatCanOnlyBeMoved) {
  int sum = 0;
  tw::graph g;
  auto& z = g.add<tw::zip<std::unique_ptr<int>, std::unique_ptr<int>>>();
  const auto owned = [n = 0]() mutable {
    return n < 100 ? std::optional(std::make_unique<int>(n++)) : std::nullopt;
  };
  g.connect(g.add(tw::source(owned)).out, z.input<0>());
  g.connect(g.add(tw::source(owned)).out, z.input<1>());
  g.connect(z.out, g.add(tw::sink([&](std::tuple<std::unique_ptr<int>, std::unique_ptr<int>> both) {
                      EXPECT_EQ(*std::get<0>(both), *std::get<1>(both));
                      sum += *std::get<0>(both);
                    })).in);
  tw::run(g, policy());
  EXPECT_EQ(sum, 4'950);
}

TEST_P(Zip, ATupleIsDueWhenTheLastOfItsItemsIs) {
  const auto numbers = [n = 0]() mutable { return n < 300 ? std::optional(n++) : std::nullopt; };
  for (const bool first : {true, false}) {
    tw::graph g;
    auto& z = g.add<tw::zip<int, int>>();
    const auto paced = g.add(tw::paced(numbers, 1e5)).out;
    const auto plain = g.add(tw::source(numbers)).out;
    g.connect(first ? paced : plain, z.input<0>());
    g.connect(first ? plain : paced, z.input<1>());
    g.connect(z.out, g.add(tw::sink([](const std::tuple<int, int>&) {})).in);
    const auto r = tw::run(g, policy());
    EXPECT_EQ(r.latency().count(), 300U);
    EXPECT_LE(r.latency().max(), r.elapsed()) << "counted from the due time, which only one of them has";
  }
}

TEST(ZipProblems, AllInputsMustBeConnected) {
  tw::graph g;
  auto& z = g.add<tw::zip<int, int>>();
  g.connect(g.add(tw::source(std::vector{1})).out, z.input<1>());
  g.connect(z.out, g.add(tw::sink([](const std::tuple<int, int>&) {})).in);
  EXPECT_THAT(problems_of([&] { tw::run(g); }), ElementsAre(HasSubstr("'zip-0.input-0' is not connected")));
}

}  // namespace
