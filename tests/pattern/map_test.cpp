#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;

namespace {

class Map : public under_every_policy {};
FOR_EVERY_POLICY(Map);

std::vector<int> numbers(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

TEST_P(Map, TransformsEachItem) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::map([](int x) { return std::to_string(x * x); }) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("1", "4", "9"));
}

TEST_P(Map, TakesItsItemInEveryWay) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::vector<std::string>{"a", "b"}) |
              tw::map([](std::string s) { return s + "v"; }) |         // by value
              tw::map([](const std::string& s) { return s + "c"; }) |  // by constant reference
              tw::map([](std::string&& s) { return std::move(s) + "r"; }) |
              tw::map([](std::string& s) {  // changed in place
                s += "l";
                return s;
              }) |
              tw::map([](auto&& s) { return s + "g"; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("avcrlg", "bvcrlg"));
}

// The type of a generic lambda's item is deduced: that it shall be changed shows only in its body.
TEST_P(Map, GenericOperatorsMayChangeTheirItem) {
  const auto twice = [](auto& x) {
    x *= 2;
    return x;
  };
  const auto sorted = [](auto&& v) {
    std::ranges::sort(v);
    return v;
  };
  using groups = std::vector<std::vector<int>>;
  for (const auto& errors : {tw::stop, tw::skip, tw::retry(1)}) {
    std::vector<int> numbers;
    tw::run(tw::source(std::vector{1, 2, 3}) | tw::map(twice, {.on_error = errors}) |
                tw::farm(twice, {.replicas = 2, .on_error = errors}) | tw::sink(numbers),
            policy());
    EXPECT_THAT(numbers, ElementsAre(4, 8, 12));
    groups seen;
    tw::run(
        tw::source(groups{{3, 1, 2}, {2, 1}, {}}) | tw::map(sorted, {.on_error = errors}) | tw::sink(seen),
        policy());
    EXPECT_EQ(seen, (groups{{1, 2, 3}, {1, 2}, {}}));
    seen.clear();
    tw::run(tw::source(groups{{3, 1, 2}, {2, 1}, {}}) |
                tw::farm(sorted, {.replicas = 2, .on_error = errors}) | tw::sink(seen),
            policy());
    EXPECT_EQ(seen, (groups{{1, 2, 3}, {1, 2}, {}}));
  }
}

TEST_P(Map, GenericOperatorsOfOtherStagesMayDoSoToo) {
  for (const auto& errors : {tw::stop, tw::skip}) {
    std::vector<int> seen;
    tw::run(tw::source(std::vector<std::vector<int>>{{3, 1, 2}, {5, 4}}) |
                tw::flat_map<int>(
                    [](auto& v, auto& out) {
                      std::ranges::sort(v);
                      for (const int x : v) out(x);
                    },
                    {.on_error = errors}) |
                tw::sink(
                    [&](auto& x) {
                      x *= 10;
                      seen.push_back(x);
                    },
                    {.on_error = errors}),
            policy());
    EXPECT_THAT(seen, ElementsAre(10, 20, 30, 40, 50));
  }
}

TEST_P(Map, AGenericOperatorThatIsTriedAgainGetsTheItemAsItCame) {
  std::vector<int> seen;
  int calls = 0;
  tw::run(tw::source(std::vector{1, 2}) |
              tw::map(
                  [&](auto& x) {
                    x += 10;
                    if (++calls == 1) throw std::runtime_error("not yet");
                    return x;
                  },
                  {.on_error = tw::retry(1)}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(11, 12));
}

TEST_P(Map, WhatReturnsAReferenceGivesTheValue) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::vector<std::string>{"a", "b"}) |
              tw::map([](std::string& s) -> std::string& { return s += "!"; }) |
              tw::map([](const std::string& s) -> const std::string& { return s; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("a!", "b!"));
}

TEST_P(Map, ItemsAreConverted) {
  std::vector<double> seen;
  tw::run(tw::source(std::vector<short>{1, 2}) | tw::map([](long x) { return x / 2.0; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(0.5, 1.0));
}

int half(int x) {
  return x / 2;
}
struct point {
  int x;
  int y() const { return 2 * x; }
};

TEST_P(Map, EveryKindOfCallableWillDo) {
  std::vector<int> seen;
  const std::function<int(int)> add = [](int x) { return x + 1; };
  tw::run(tw::source(std::vector{10, 20}) | tw::map(half) | tw::map(&half) | tw::map(add) |
              tw::map([](int x) { return point{x}; }) | tw::map(&point::y) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(6, 12));
}

TEST_P(Map, MayBeGivenAStopToken) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2}) | tw::map([](int x, std::stop_token stop) {
            return stop.stop_requested() ? -1 : x;
          }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST_P(Map, MoveOnlyItemsPassThrough) {
  std::vector<int> seen;
  tw::run(tw::source(numbers(1000)) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::farm([](std::unique_ptr<int> p) {
                ++*p;
                return p;
              }) |
              tw::map([](const std::unique_ptr<int>& p) { return *p; }) | tw::sink(seen),
          policy());
  ASSERT_EQ(seen.size(), 1000U);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i + 1);
}

struct no_default {
  explicit no_default(int v) : value(v) {}
  int value;
};

TEST_P(Map, ItemsNeedNoDefaultConstructor) {
  int sum = 0;
  tw::run(tw::source(numbers(100)) | tw::map([](int x) { return no_default(x); }) |
              tw::farm([](no_default d) { return d; }) |
              tw::sink([&](const no_default& d) { sum += d.value; }),
          policy());
  EXPECT_EQ(sum, 4950);
}

TEST_P(Map, WithStateSeesEveryItemInOrderOneAtATime) {
  // Each step depends on all items before, between farms that could disturb their order.
  constexpr int n = 20'000;
  std::uint64_t expected = 1;
  for (int i = 0; i < n; ++i) expected = expected * 31 + static_cast<std::uint64_t>(i);
  std::uint64_t last = 0;
  tw::run(tw::source(numbers(n)) | tw::farm([](int x) { return x; }, {.replicas = 4}) |
              tw::map([state = std::uint64_t{1}](int x) mutable {
                state = state * 31 + static_cast<std::uint64_t>(x);
                return state;
              }) |
              tw::farm([](std::uint64_t x) { return x; }, {.replicas = 3}) |
              tw::sink([&](std::uint64_t x) { last = x; }),
          policy());
  EXPECT_EQ(last, expected);
}

TEST_P(Map, StateBeginsAnewInEveryRun) {
  std::vector<int> seen;
  const auto job = tw::source(std::vector{1, 1, 1}) | tw::map([sum = 0](int x) mutable { return sum += x; }) |
                   tw::sink(seen);
  tw::run(job, policy());
  tw::run(job, policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST_P(Map, AMoveOnlyOperatorRunsOnce) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2}) |
              tw::map([add = std::make_unique<int>(10)](int x) { return x + *add; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(11, 12));
}

}  // namespace
