#include <thalweg/thalweg.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;

namespace {

class AnyPipeline : public under_every_policy {};
FOR_EVERY_POLICY(AnyPipeline);

tw::any_pipeline<int, int> additions(int n) {
  tw::any_pipeline<int, int> steps = tw::map([](int x) { return x; });
  for (int i = 0; i < n; ++i) steps = std::move(steps) | tw::map([](int x) { return x + 1; });
  return steps;
}

TEST_P(AnyPipeline, ItsLengthIsKnownAtRunTimeOnly) {
  for (const int n : {0, 1, 7, 40}) {
    std::vector<int> seen;
    tw::run(tw::source(std::vector{1, 2, 3}) | additions(n) | tw::sink(seen), policy());
    EXPECT_THAT(seen, ElementsAre(1 + n, 2 + n, 3 + n));
  }
}

TEST_P(AnyPipeline, AWholeJobRunsAgainAndAgain) {
  std::vector<int> seen;
  const tw::any_pipeline<void, void> job = tw::source(std::vector{1, 2}) | additions(2) |
                                           tw::map([n = 0](int x) mutable { return x * 10 + n++; }) |
                                           tw::sink(seen);
  EXPECT_EQ(tw::run(job, policy()).items(), 2U);
  EXPECT_EQ(tw::run(job, policy()).items(), 2U);
  EXPECT_THAT(seen, ElementsAre(30, 41, 30, 41));
}

TEST_P(AnyPipeline, EndsMayBeErasedAlone) {
  std::vector<std::string> seen;
  tw::any_pipeline<void, int> from = tw::source(std::vector{1, 2}) | tw::filter([](int x) { return x > 1; });
  tw::any_pipeline<int, void> to = tw::map([](int x) { return std::to_string(x); }) | tw::sink(seen);
  tw::run(from | to, policy());
  tw::run(std::move(from) | tw::map([](int x) { return -x; }) | std::move(to), policy());
  EXPECT_THAT(seen, ElementsAre("2", "-2"));
}

TEST_P(AnyPipeline, FarmsKeepTheirOrderAcrossTheJoints) {
  std::vector<int> input(5000);
  for (int i = 0; i < 5000; ++i) input[static_cast<std::size_t>(i)] = i;
  tw::any_pipeline<int, int> first = tw::farm([](int x) { return x + 1; }, {.replicas = 3});
  tw::any_pipeline<int, int> second = tw::farm(tw::filter([](int x) { return x % 2 == 0; }), {.replicas = 2});
  std::vector<int> seen;
  tw::run(tw::source(input) | first | second | tw::sink(seen), policy());
  ASSERT_EQ(seen.size(), 2500U);
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(2 * i + 2));
}

TEST_P(AnyPipeline, MoveOnlyItemsCrossTheJoints) {
  tw::any_pipeline<int, std::unique_ptr<int>> wrap = tw::map([](int x) { return std::make_unique<int>(x); });
  tw::any_pipeline<std::unique_ptr<int>, int> unwrap = tw::map([](std::unique_ptr<int> p) { return *p; });
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | wrap | unwrap | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST_P(AnyPipeline, ErrorsNameTheStageBehindTheJoint) {
  tw::any_pipeline<int, int> bad =
      tw::map([](int x) { return x; }, {.name = "good"}) |
      tw::map([](int x) { return x == 5 ? throw std::runtime_error("five") : x; }, {.name = "bad"});
  const auto f = failure_of([&] {
    tw::run(tw::source(std::vector{1, 2, 3}) | additions(3) | bad | tw::sink([](int) {}), policy());
  });
  EXPECT_EQ(f.stage, "bad");
  EXPECT_EQ(f.cause, "five");
}

struct says_goodbye {
  int operator()(int x) { return x; }
  void on_end(tw::emitter<int>& out) { out(-1); }
};

TEST_P(AnyPipeline, WhatAnEndHookSendsCrossesTheJoints) {
  std::vector<int> seen;
  tw::any_pipeline<int, int> first = tw::map(says_goodbye{});
  tw::run(tw::source(std::vector{1, 2}) | first | additions(2) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(3, 4, 1));
}

TEST_P(AnyPipeline, AnErrorInWhatAnEndHookSentNamesTheRightStage) {
  tw::any_pipeline<int, int> first = tw::map(says_goodbye{}, {.name = "first"});
  tw::any_pipeline<int, int> second =
      tw::map([](int x) { return x; }, {.name = "between"}) |
      tw::map([](int x) { return x < 0 ? throw std::runtime_error("negative") : x; }, {.name = "second"});
  const auto f = failure_of([&] {
    tw::run(tw::source(std::vector{1, 2}) | first | second | tw::sink([](int) {}), policy());
  });
  EXPECT_EQ(f.stage, "second");
  EXPECT_EQ(f.cause, "negative");
}

TEST_P(AnyPipeline, CountsItsStagesInTheReport) {
  tw::any_pipeline<int, int> part = tw::map([](int x) { return x; }, {.name = "a"});
  part = std::move(part) | tw::filter([](int x) { return x > 1; }, {.name = "b"});
  const auto r = tw::run(tw::source(std::vector{1, 2, 3}) | part | tw::sink([](int) {}), policy());
  EXPECT_EQ(r.stage("a").items_in(), 3U);
  EXPECT_EQ(r.stage("b").items_in(), 3U);
  EXPECT_EQ(r.stage("b").items_out(), 2U);
  EXPECT_EQ(r.items(), 2U);
}

TEST_P(AnyPipeline, ManyItemsThroughManyParts) {
  std::int64_t sum = 0;
  tw::run(tw::source([n = 0]() mutable -> std::optional<int> {
            return n < 20'000 ? std::optional(n++) : std::nullopt;
          }) | additions(30) |
              tw::sink([&](int x) { sum += x; }),
          policy());
  EXPECT_EQ(sum, std::int64_t{20'000} * 19'999 / 2 + 20'000 * 30);
}

}  // namespace
