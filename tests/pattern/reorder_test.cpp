#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class Reorder : public under_every_policy {};
FOR_EVERY_POLICY(Reorder);

struct stamped {
  std::chrono::milliseconds at{0};
  int value = 0;
};

TEST_P(Reorder, BringsItemsInOrderByHoldingSomeBack) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{3, 1, 2, 6, 4, 5}) | tw::reorder(std::identity{}, 2) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_P(Reorder, WhatComesTooLateIsLeftOutAndCounted) {
  std::vector<int> seen;
  std::vector<int> late;
  const auto r = tw::run(
      tw::source(std::vector{5, 6, 7, 1, 8, 5, 2}) |
          tw::reorder(std::identity{}, 1, {.late = [&](int x) { late.push_back(x); }}, {.name = "r"}) |
          tw::sink(seen),
      policy());
  EXPECT_THAT(seen, ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(late, ElementsAre(1, 5, 2));
  EXPECT_EQ(r.stage("r").skipped(), 3U);
  EXPECT_EQ(r.stage("r").items_out(), 4U);
}

TEST_P(Reorder, AsANaiveModelDoes) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    const auto slack = static_cast<std::size_t>(random() % 20);
    std::vector<std::pair<int, int>> items;  // an order, and a number
    for (int i = 0; i < 500; ++i) items.emplace_back(i / 3 - static_cast<int>(random() % 15), i);
    std::vector<std::pair<int, int>> expected;
    std::vector<std::pair<int, int>> held;
    std::size_t late = 0;
    const auto send = [&] {
      const auto least = std::min_element(held.begin(), held.end());
      expected.push_back(*least);
      held.erase(least);
    };
    for (const auto& x : items) {
      if (!expected.empty() && x.first < expected.back().first) {
        ++late;
        continue;
      }
      held.push_back(x);
      if (held.size() > slack) send();
    }
    while (!held.empty()) send();
    std::vector<std::pair<int, int>> seen;
    const auto r = tw::run(
        tw::source(items) | tw::reorder(&std::pair<int, int>::first, slack, {.name = "r"}) | tw::sink(seen),
        policy());
    ASSERT_EQ(seen, expected);
    ASSERT_EQ(r.stage("r").skipped(), late);
  }
}

TEST_P(Reorder, SlackMayBeADistance) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector<stamped>{{10ms, 1}, {5ms, 2}, {20ms, 3}, {15ms, 4}, {10ms, 5}, {9ms, 6}}) |
              tw::reorder(&stamped::at, 10ms) | tw::sink([&](const stamped& s) { seen.push_back(s.value); }),
          policy());
  // When 20 ms comes, what is up to 10 ms leaves: 9 ms is too late, 10 ms is not.
  EXPECT_THAT(seen, ElementsAre(2, 1, 5, 4, 3));
}

TEST_P(Reorder, BehindAnUnorderedFarmItGivesTheOrderBack) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 3000)) |
              tw::farm([](int x) { return x; }, {.replicas = 3, .unordered = true}) |
              tw::reorder(std::identity{}, 3000) | tw::sink(seen),
          policy());
  EXPECT_TRUE(std::ranges::equal(seen, std::views::iota(0, 3000)));
}

TEST_P(Reorder, MoveOnlyItems) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{2, 1}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::reorder([](const std::unique_ptr<int>& p) { return *p; }, 1) |
              tw::sink([&](const std::unique_ptr<int>& p) { seen.push_back(*p); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST_P(Reorder, AFailedItemCanBeSkipped) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{3, 2, 7, 1}) |
              tw::reorder([](int x) { return x == 7 ? throw std::runtime_error("seven") : x; }, 5,
                          {.on_error = tw::skip}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST(ReorderProblems, AreSaid) {
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) | tw::reorder(std::identity{}, -1, {.name = "r"}) |
                        tw::sink([](int) {}));
              }),
              ElementsAre(AllOf(HasSubstr("'r'"), HasSubstr("slack is negative"))));
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) |
                        tw::reorder(std::identity{}, 1, {.late = [](const std::string&) {}}) |
                        tw::sink([](int) {}));
              }),
              ElementsAre(HasSubstr("another type")));
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) | tw::farm(tw::reorder(std::identity{}, 1)) |
                        tw::sink([](int) {}));
              }),
              ElementsAre(AllOf(HasSubstr("farm"), testing::Not(HasSubstr("key_by")))));
}

TEST(Reorder, AnItemKeepsItsDueTime) {
  // The latency of what was held back counts from when it was due, not from when it was let go.
  const auto r = tw::run(
      tw::paced(
          [n = 0]() mutable -> std::optional<int> { return n < 30 ? std::optional(n++) : std::nullopt; },
          1000.0) |
      tw::reorder(std::identity{}, 29) | tw::sink([](int) {}));
  EXPECT_GE(r.latency().max(), 25ms);
}

// A least time often stands for none: it is further behind than its type can say.
TEST(Reorder, TimesMayBeAsFarApartAsTheirTypeAllows) {
  const auto held_back = [](auto first, auto step, auto slack) {
    using time = decltype(first);
    int given = 0, came = 0, most = 0;
    tw::run(tw::source([&]() -> std::optional<time> {
              most = std::max(most, given - came);
              if (given == 1'000) return {};
              return given++ == 0 ? first : time(step * (given - 1));
            }) | tw::reorder([](const time& t) { return t; }, slack) |
                tw::sink([&](const time&) { ++came; }),
            tw::sequential{});
    EXPECT_EQ(came, 1'000);
    return most;
  };
  using std::chrono::nanoseconds;
  EXPECT_LE(held_back(nanoseconds::min(), nanoseconds(1s), 5s), 7);
  EXPECT_LE(held_back(nanoseconds::min() + 1ns, nanoseconds(1s), nanoseconds(5s)), 7);
  using small = std::chrono::duration<std::int16_t>;
  EXPECT_LE(held_back(small::min(), small(1), 5'000ms), 7);
  EXPECT_LE(held_back(std::chrono::seconds::min(), 1s, 5'000'000'000ns), 7);
  using moment = std::chrono::sys_time<nanoseconds>;
  EXPECT_LE(held_back(moment::min(), nanoseconds(1s), 5s), 7);
  EXPECT_LE(held_back(std::numeric_limits<long>::min(), 1L, 5.5), 8);
  // And in whatever units: exactly so far is far enough.
  EXPECT_EQ(held_back(0ms, 1ms, 3'000us), 3);
  EXPECT_EQ(held_back(0ms, 1ms, 3'001us), 4);
  EXPECT_EQ(held_back(0ms, 1ms, nanoseconds::max()), 1'000);
}

TEST(Reorder, WhatIsNotANumberHasNoPlace) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto job = [&](tw::options how) {
    return tw::source(std::vector{1.0, none, 2.0, 9.0}) | tw::reorder(std::identity{}, 0.5, std::move(how));
  };
  const auto f = failure_of([&] { tw::run(job({}) | tw::sink([](double) {})); });
  EXPECT_EQ(f.cause, "the order of an item is not a number");
  std::vector<double> seen;
  tw::run(job({.on_error = tw::skip}) | tw::sink(seen));
  EXPECT_THAT(seen, ElementsAre(1.0, 2.0, 9.0));
  using seconds = std::chrono::duration<double>;
  EXPECT_EQ(failure_of([&] {
              tw::run(tw::source(std::vector{seconds(none)}) | tw::reorder(std::identity{}, 1s) |
                      tw::sink([](seconds) {}));
            }).cause,
            "the order of an item is not a number");
}

}  // namespace
