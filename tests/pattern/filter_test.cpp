#include <thalweg/thalweg.hpp>

#include <memory>
#include <numeric>
#include <ranges>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class Filter : public under_every_policy {};
FOR_EVERY_POLICY(Filter);

TEST_P(Filter, KeepsWhatSatisfiesIt) {
  std::vector<int> seen;
  tw::run(
      tw::source(std::vector{1, 2, 3, 4, 5}) | tw::filter([](int x) { return x % 2 == 1; }) | tw::sink(seen),
      policy());
  EXPECT_THAT(seen, ElementsAre(1, 3, 5));
}

TEST_P(Filter, MayKeepNothing) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::filter([](int) { return false; }) |
              tw::farm([](int x) { return x; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, IsEmpty());
}

TEST_P(Filter, OnlyLooksAtItsItems) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::vector<std::string>{"a", "bb"}) |
              tw::filter([](const std::string& s) { return s.size() == 2; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("bb"));
}

TEST_P(Filter, APredicateByValueGetsACopy) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::vector<std::string>{"a", "bb"}) | tw::filter([](std::string s) {
            const bool keep = s.size() == 2;
            s.clear();
            return keep;
          }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("bb"));
}

TEST_P(Filter, WhatConvertsToBoolWillDo) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{0, 1, 2}) | tw::filter([](int x) { return x; }) |
              tw::filter([](int x, std::stop_token) { return x; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST_P(Filter, MoveOnlyItemsPassThrough) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::filter([](const std::unique_ptr<int>& p) { return *p != 2; }) |
              tw::sink([&](std::unique_ptr<int> p) { seen.push_back(*p); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 3));
}

TEST_P(Filter, MayHaveState) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 1, 2, 2, 1}) |
              tw::filter([last = 0](int x) mutable { return std::exchange(last, x) != x; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 1));
}

TEST_P(Filter, GapsNeverStallAnOrderedConsumer) {
  // Only one item of 50 000 is left, at the end of long runs that are all gaps.
  constexpr int n = 50'000;
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, n)) |
              tw::farm(tw::filter([](int x) { return x == n - 1; }), {.replicas = 4, .capacity = 8}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(n - 1));
}

}  // namespace
