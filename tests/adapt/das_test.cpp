// Das et al.: the interval of batches.
#include <thalweg/adapt/planner.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <adapt/made_windows.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using thalweg::adaptation::changes;
using thalweg::adaptation::planner;
using thalweg::adaptation::window;

constexpr double rate = 10'000;  // items a second

// A line: 10 ms a batch, and 20 µs an item. With 0.7 of the interval, its fixed point is 10 ms / (0.7 - 0.2).
double straight(double items) {
  return 0.010 + 20e-6 * items;
}
constexpr double fixed_point = 0.020;

// Batches, and a serial stage that works on them.
struct batching {
  thalweg::batch_limits limits;
  std::function<double(double)> time_of = straight;  // seconds, of so many items
  double length = 10;                                // of a window, in seconds
  int replicas = 1;
  bool changed = false;

  [[nodiscard]] window next() const {
    const auto by_time =
        limits.interval.count() > 0 ? 1e-9 * static_cast<double>(limits.interval.count()) : 1e9;
    const auto by_items = limits.items > 0 ? static_cast<double>(limits.items) / rate : 1e9;
    const auto interval = std::min(by_time, by_items);
    const auto closed = static_cast<double>(made::items(length / interval));
    window w;
    w.length = made::seconds(length);
    w.changed = changed;
    auto group = made::stage("group", {0}, rate * length, closed, 0);
    group.batch = limits;
    w.stages = {made::source(rate * length), group,
                made::farm("store", {1}, closed, closed, time_of(rate * interval), replicas),
                made::sink(2, closed, 1e-6)};
    return w;
  }

  // The intervals, in milliseconds, of so many windows; of a batch without one: how many items.
  std::vector<double> follow(const std::string& text, int windows) {
    const auto decide = planner(text).begin();
    std::vector<double> all;
    for (int i = 0; i < windows; ++i) {
      const auto wanted = decide(next());
      if (!wanted.batches.empty()) limits = wanted.batches[0].limits;
      all.push_back(limits.interval.count() > 0 ? 1e-6 * static_cast<double>(limits.interval.count())
                                                : static_cast<double>(limits.items));
    }
    return all;
  }
};

auto ms(double value) {
  return DoubleNear(value, 0.01 * value);
}

TEST(Das, EachStepGoesToTheTimeOfABatchByTheShare) {
  batching run{.limits = {.interval = made::seconds(0.1)}};
  // (10 + 0.2 * 100) / 0.7 = 42.9, (10 + 0.2 * 42.9) / 0.7 = 26.5, ...
  EXPECT_THAT(run.follow("das:line=0,band=0", 4), ElementsAre(ms(42.86), ms(26.53), ms(21.87), ms(20.53)));
}

TEST(Das, ComesToTheFixedPointFromBelowToo) {
  batching run{.limits = {.interval = made::seconds(0.005)}};
  EXPECT_THAT(run.follow("das:line=0,band=0", 20).back(), ms(1000 * fixed_point));
}

TEST(Das, ALineThroughTwoSizesLeadsThereAtOnce) {
  batching run{.limits = {.interval = made::seconds(0.1)}};
  EXPECT_THAT(run.follow("das", 5), ElementsAre(ms(42.86), ms(20), ms(20), ms(20), ms(20)));
  EXPECT_TRUE(planner("das").begin()(run.next()).none());  // the fixed point stays
}

TEST(Das, WhatIsTooMuchForAnyIntervalGrowsStepByStep) {
  // 0.8 of the time of any interval for the items alone.
  batching run{.limits = {.interval = made::seconds(0.05)},
               .time_of = [](double n) { return 0.010 + 80e-6 * n; }};
  EXPECT_THAT(run.follow("das", 3), ElementsAre(ms(71.43), ms(95.92), ms(123.9)));
}

TEST(Das, SizesThatHardlyDifferMakeNoLine) {
  const auto decide = planner("das:band=0").begin();
  batching run{.limits = {.items = 1000}, .time_of = [](double) { return 0.030; }};
  EXPECT_FALSE(decide(run.next()).none());
  run = {.limits = {.items = 990}, .time_of = [](double) { return 0.0299; }};
  EXPECT_EQ(decide(run.next()).batches.at(0).limits.items, 428);  // 29.9 / 0.7 ms; the line says 330
}

TEST(Das, ALineThatBeginsBelowZeroLeadsNowhere) {
  const auto decide = planner("das").begin();
  batching run{.limits = {.items = 1000}, .time_of = [](double) { return 0.030; }};
  EXPECT_FALSE(decide(run.next()).none());
  run = {.limits = {.items = 429}, .time_of = [](double) { return 0.012; }};
  EXPECT_EQ(decide(run.next()).batches.at(0).limits.items, 172);  // 12 / 0.7 ms
}

TEST(Das, AWindowMayEndWithinABatch) {
  const auto decide = planner("das").begin();
  batching run{.limits = {.interval = made::seconds(0.1)}, .length = 0.94};  // nine, and most of a tenth
  EXPECT_THAT(decide(run.next()).reason, HasSubstr("takes 30 %"));
}

TEST(Das, TheShareCanBeSet) {
  batching run{.limits = {.interval = made::seconds(0.1)}};
  EXPECT_THAT(run.follow("das:rho=0.4", 8).back(), ms(50));  // 10 / (0.4 - 0.2)
}

TEST(Das, ABatchWithoutAnIntervalIsAsLargeAsWhatComesInIt) {
  batching run{.limits = {.items = 1000}};
  EXPECT_THAT(run.follow("das", 4), ElementsAre(ms(429), ms(200), ms(200), ms(200)));
  EXPECT_EQ(run.limits.interval.count(), 0);
}

TEST(Das, TheLimitOfItemsStaysOutOfTheWay) {
  batching run{.limits = {.items = 5000, .bytes = 1 << 20, .interval = made::seconds(0.1)}};
  EXPECT_THAT(run.follow("das", 4).back(), ms(1000 * fixed_point));
  EXPECT_NEAR(static_cast<double>(run.limits.items), 2 * rate * fixed_point, 4);
  EXPECT_EQ(run.limits.bytes, 1 << 20);
}

TEST(Das, ABatchByBytesAloneStays) {
  batching run{.limits = {.items = 1000}};
  auto w = run.next();
  w.stages[1].batch = {.bytes = 1000};
  EXPECT_TRUE(planner("das").begin()(w).none());
}

TEST(Das, ShrinksWhereLongerIntervalsAreLessEfficient) {
  // A batch takes as long as the square of its size: 10 ms take 6 ms, 20 ms take 24 ms. Steps would run away.
  const auto square = [](double items) { return 0.006 * (items / 100) * (items / 100); };
  batching run{.limits = {.interval = made::seconds(0.018)}, .time_of = square};
  // 19.44 / 0.7 = 27.8; then both are too slow: three quarters of the shorter one.
  EXPECT_THAT(run.follow("das:line=0", 2), ElementsAre(ms(27.77), ms(13.5)));
  const auto all =
      batching{.limits = {.interval = made::seconds(0.018)}, .time_of = square}.follow("das", 30);
  EXPECT_LE(0.6 * all.back() / 10, 0.7);
  EXPECT_THAT(batching(run).follow("das:r=0.5,line=0", 1).size(), 1U);
}

TEST(Das, StaysWithinItsLimits) {
  batching run{.limits = {.interval = made::seconds(0.1)}, .time_of = [](double) { return 1e-6; }};
  EXPECT_EQ(run.follow("das", 3).back(), 1);
  run = {.limits = {.interval = made::seconds(0.1)}, .time_of = [](double items) { return 1e-3 * items; }};
  EXPECT_EQ(run.follow("das:most=500,line=0", 20).back(), 500);
}

TEST(Das, ReplicasShareTheBatches) {
  batching run{.limits = {.interval = made::seconds(0.1)}, .replicas = 2};
  // (5 + 0.1 * interval) / 0.7
  EXPECT_THAT(run.follow("das", 5).back(), ms(5 / 0.6));
}

// Four replicas, each of which makes batches of its own and stores them: a batch takes 10 ms, and 20 µs an
// item.
TEST(Das, EachReplicaOfAFarmHasItsOwnBatches) {
  window w;
  w.length = made::seconds(10);
  auto farm = made::farm("group", {0}, 10 * rate, 0, 20e-6, 4);
  farm.batch = thalweg::batch_limits{.interval = made::seconds(0.1)};
  farm.busy += made::seconds(400 * 0.010);  // 100 batches of each
  w.stages = {made::source(10 * rate), farm};
  const auto wanted = planner("das:line=0").begin()(w);
  ASSERT_EQ(wanted.batches.size(), 1U);
  // (10 + 20 µs * 250) / 0.7 ms
  EXPECT_THAT(1e-6 * static_cast<double>(wanted.batches[0].limits.interval.count()), ms(15 / 0.7));
}

TEST(Das, TheSlowestStageCountsUntilTheNextBatch) {
  batching run{.limits = {.interval = made::seconds(0.1)}, .time_of = [](double) { return 0.007; }};
  const auto interval_with = [&](const auto& change) {
    auto w = run.next();
    change(w);
    const auto wanted = planner("das").begin()(w);
    return wanted.batches.empty() ? 0.0
                                  : 1e-6 * static_cast<double>(wanted.batches[0].limits.interval.count());
  };
  EXPECT_THAT(interval_with([](window&) {}), ms(10));
  EXPECT_THAT(interval_with([](window& w) { w.stages[3].busy = w.stages[2].busy * 2; }), ms(20));
  EXPECT_THAT(interval_with([](window& w) {
                auto next = w.stages[1];
                next.name = "next";
                next.inputs = {2};
                w.stages[3].inputs = {4};
                w.stages[3].busy = w.stages[2].busy * 2;
                w.stages.push_back(next);
              }),
              ms(10));
}

TEST(Das, WaitsForEnoughBatches) {
  const auto decide = planner("das").begin();
  batching run{.limits = {.interval = made::seconds(1)}, .length = 1.5};  // 2 in each, rounded
  EXPECT_TRUE(decide(run.next()).none());
  EXPECT_FALSE(decide(run.next()).none());
  EXPECT_TRUE(decide(run.next()).none());
}

TEST(Das, AWindowWithAChangeEndsWhatWasSeenBefore) {
  const auto decide = planner("das").begin();
  batching run{.limits = {.interval = made::seconds(0.1)}, .length = 0.3};  // 3
  EXPECT_TRUE(decide(run.next()).none());
  run.changed = true;
  EXPECT_TRUE(decide(run.next()).none());
  run.changed = false;
  EXPECT_TRUE(decide(run.next()).none());
  EXPECT_FALSE(decide(run.next()).none());
}

TEST(Das, ASmallChangeIsNotWorthIt) {
  batching run{.limits = {.interval = made::seconds(0.0204)}};
  EXPECT_TRUE(planner("das").begin()(run.next()).none());
  EXPECT_FALSE(planner("das:band=0").begin()(run.next()).none());
}

TEST(Das, SaysWhy) {
  batching run{.limits = {.interval = made::seconds(0.1)}};
  EXPECT_THAT(planner("das").begin()(run.next()).reason,
              HasSubstr("a batch of group takes 30 % of its interval, which is to be 42.9 ms"));
}

}  // namespace
