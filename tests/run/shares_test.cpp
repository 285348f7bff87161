// Among whom the work of a stage is divided: `stage_report::shares`.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tw = thalweg;
using testing::IsEmpty;
using tw::observe::division;

namespace {

std::vector<std::uint64_t> items_of(const tw::stage_report& s) {
  std::vector<std::uint64_t> all;
  for (const auto& one : s.shares()) all.push_back(one.items);
  return all;
}

std::uint64_t sum(const std::vector<std::uint64_t>& all) {
  std::uint64_t n = 0;
  for (const auto one : all) n += one;
  return n;
}

}  // namespace

TEST(Shares, AreThoseOfTheReplicasOfAFarm) {
  const auto to = [](const int& x, std::size_t n) {
    return x % 10 < 7 ? 0 : static_cast<std::size_t>(x) % n;
  };
  auto job = tw::source(std::views::iota(0, 1'000)) |
             tw::farm(tw::map([](int x) { return x + 1; }, {.name = "add"}) |
                          tw::map([](int x) { return -x; }, {.name = "turn"}),
                      {.replicas = 3, .name = "both", .schedule = tw::route<int>(to)}) |
             tw::sink([](int) {}, {.name = "write"});
  const auto r = tw::run(job, tw::threads{});
  std::vector<std::uint64_t> expected(3);
  for (int x = 0; x < 1'000; ++x) ++expected[to(x, 3)];
  for (const auto* name : {"both/add", "both/turn"}) {
    const auto& s = r.stage(name);
    EXPECT_EQ(s.divided_by(), division::replica);
    EXPECT_EQ(items_of(s), expected);
    EXPECT_TRUE(s.data().dealt);
  }
  EXPECT_THAT(r.stage("write").shares(), IsEmpty());
  EXPECT_EQ(r.stage("write").divided_by(), division::none);
}

TEST(Shares, OfReplicasThatHaveNothingToDoAreZero) {
  auto job = tw::source(std::vector{1}) | tw::farm([](int x) { return x; }, {.replicas = 3, .name = "pass"}) |
             tw::sink([](int) {});
  const auto r = tw::run(job, tw::threads{});
  EXPECT_EQ(r.stage("pass").shares().size(), 3U);
  EXPECT_EQ(sum(items_of(r.stage("pass"))), 1U);
  EXPECT_FALSE(r.stage("pass").data().dealt) << "who is idle takes the next one";
}

TEST(Shares, OfAFarmWithKeysAreThoseOfTheParts) {
  auto job = tw::source(std::views::iota(0, 1'000)) | tw::key_by([](int x) { return x % 10 < 7 ? 0 : x; }) |
             tw::farm(tw::reduce(0, [](int n, int) { return n + 1; }), {.replicas = 4, .name = "count"}) |
             tw::sink([](const auto&) {});
  for (const auto& policy : {tw::any_policy(tw::pool{}), tw::any_policy(tw::threads{})}) {
    const auto r = tw::run(job, policy);
    const auto& s = *std::ranges::find_if(
        r.stages(), [](const auto& one) { return one.divided_by() == division::key_part; });
    const auto all = items_of(s);
    EXPECT_EQ(sum(all), 1'000U);
    EXPECT_GE(std::ranges::max(all), 700U) << "one key has so many";
    EXPECT_GT(all.size(), 4U) << "there are more parts than replicas";
    EXPECT_TRUE(s.data().dealt);
    EXPECT_GT(s.skew(), 1);
  }
}

TEST(Shares, AreNotCountedInARunThatIsNotObserved) {
  auto job = tw::source(std::views::iota(0, 9)) |
             tw::farm([](int x) { return x; }, {.replicas = 2, .name = "pass"}) | tw::sink([](int) {});
  EXPECT_THAT(tw::run(job, tw::threads{}, {.observe = false}).stage("pass").shares(), IsEmpty());
}
