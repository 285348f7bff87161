// What the default planner decides batches by: their cost, what a window shows of them, the parts of a
// latency.
#include <cmath>

#include <adapt/made_windows.hpp>
#include <gtest/gtest.h>

#include "../../src/adapt/batch_choice.hpp"
#include "../../src/adapt/batch_cost.hpp"
#include "../../src/adapt/batch_seen.hpp"
#include "../../src/adapt/waiting.hpp"

namespace {

using namespace std::chrono_literals;
namespace ad = thalweg::adaptation;

TEST(BatchCost, IsTheLineThroughWhatWasSeen) {
  ad::batch_cost cost;
  for (const auto n : {100.0, 200.0, 50.0, 300.0}) cost.saw(n, 2e-3 + 20e-6 * n);
  EXPECT_NEAR(cost.fixed(), 2e-3, 1e-9);
  EXPECT_NEAR(cost.per_item(), 20e-6, 1e-11);
  EXPECT_NEAR(cost.at(1000), 22e-3, 1e-9);
}

TEST(BatchCost, IsTheSameForAllSizesUntilSomeDiffer) {
  ad::batch_cost cost;
  EXPECT_FALSE(cost.known());
  for (const auto n : {100.0, 101.0, 99.0}) cost.saw(n, 1e-3 * n / 100);
  EXPECT_NEAR(cost.at(10), 1e-3, 1e-5);
}

TEST(BatchCost, NeitherPartIsNegative) {
  ad::batch_cost falling, steep;
  for (const auto n : {100.0, 200.0}) falling.saw(n, 1 / n);
  EXPECT_EQ(falling.per_item(), 0);
  for (const auto n : {100.0, 200.0}) steep.saw(n, n * n);
  EXPECT_EQ(steep.fixed(), 0);
  EXPECT_GE(steep.at(1), 0);
}

TEST(BatchCost, FollowsItemsThatBecomeLonger) {
  ad::batch_cost cost;
  for (int i = 0; i < 50; ++i) cost.saw(100 + 100 * (i % 2), 1e-3);
  for (int i = 0; i < 50; ++i) cost.saw(100 + 100 * (i % 2), 1e-5 * (100 + 100 * (i % 2)));
  EXPECT_NEAR(cost.at(50), 0.5e-3, 0.1e-3);
}

// 10 000 items a second, in batches of 50 ms, for a second.
ad::window with_batches(int replicas_of_the_batch) {
  ad::window w;
  w.length = 1s;
  auto group = made::stage("group", {0}, 10'000, 20 * replicas_of_the_batch, 0);
  group.batch = thalweg::batch_limits{.interval = 50ms};
  group.replicas = group.most = replicas_of_the_batch;
  w.stages = {made::source(10'000), group,
              made::farm("store", {1}, 20 * replicas_of_the_batch, 20 * replicas_of_the_batch, 10e-3, 2),
              made::sink(2, 20 * replicas_of_the_batch, 1e-6)};
  return w;
}

TEST(BatchesSeen, OfASerialStage) {
  const auto seen = ad::look_at_batches(with_batches(1), 1);
  EXPECT_NEAR(seen.interval, 0.05, 1e-9);
  EXPECT_NEAR(seen.items, 500, 1e-6);
  EXPECT_NEAR(seen.time(), 5e-3, 1e-9);  // two replicas share them
}

TEST(BatchesSeen, EachReplicaOfAFarmHasItsOwn) {
  const auto seen = ad::look_at_batches(with_batches(4), 1);
  EXPECT_NEAR(seen.interval, 0.05, 0.001);
  EXPECT_NEAR(seen.items, 125, 2);
  EXPECT_NEAR(seen.time(), 20e-3, 1e-3);  // in each interval four come to two replicas
}

TEST(BatchesSeen, AFarmMayWorkOnItsOwnBatches) {
  auto w = with_batches(4);
  w.stages[1].items_out = 0;  // it ends there
  w.stages[1].busy = 800ms;   // 80 batches
  w.stages.resize(2);
  const auto seen = ad::look_at_batches(w, 1);
  EXPECT_NEAR(seen.interval, 0.05, 0.001);
  EXPECT_NEAR(seen.time(), 10e-3, 1e-3);
}

TEST(BatchChoice, LongerOnesOnlyWhereNoReplicaCanHelp) {
  auto w = with_batches(1);
  w.cores = 4;
  w.stages[2].busy = 20 * 120ms;  // for two replicas, 50 ms after each other
  ad::timed_batch group{1, 50ms, {}};
  group.learn(w);
  EXPECT_TRUE(ad::falls_behind(w, {group}));
  EXPECT_TRUE(ad::enough_to_keep_up(w, {group}).none());
  w.stages[2].most = 2;
  const auto wanted = ad::enough_to_keep_up(w, {group});
  ASSERT_EQ(wanted.intervals.size(), 1U);
  EXPECT_NEAR(std::chrono::duration<double>(wanted.intervals[0].to).count(), 0.060 / 0.7, 0.01);
  w.stages[2].most = 16;
  w.cpu = 3900ms;  // and no processor is left
  EXPECT_FALSE(ad::enough_to_keep_up(w, {group}).none());
}

TEST(Waiting, IsWhatIsKnownOfOneServer) {
  EXPECT_NEAR(ad::waiting_for(1e-3, 0.5, 1), 1e-3, 1e-9);  // M/M/1: u / (1 - u)
  EXPECT_LT(ad::waiting_for(1e-3, 0.5, 4), ad::waiting_for(1e-3, 0.5, 1));
  EXPECT_LT(ad::waiting_for(1e-3, 2, 1), 1);  // and stays finite
}

TEST(Waiting, TheLatencyHasItsParts) {
  auto w = with_batches(1);
  w.stages[2].queued = 0.2;  // of 20 a second: 10 ms
  const auto parts = ad::predicted_latency(ad::times_of(w), 0.99);
  EXPECT_NEAR(parts.batches, 50e-3, 1e-6);
  EXPECT_NEAR(parts.service, 10e-3, 1e-4);
  EXPECT_EQ(parts.runs, 0);
  EXPECT_GT(parts.waiting, 0);
  EXPECT_NEAR(parts.all(), parts.batches + parts.service + parts.waiting, 1e-12);
}

TEST(Waiting, ItemsWaitForTheOthersOfTheirRun) {
  ad::window w;
  w.length = 1s;
  w.stages = {made::source(1000), made::stage("a", {0}, 1000, 1000, 1e-4), made::sink(1, 1000, 1e-6)};
  w.stages[1].runs = 100;
  EXPECT_NEAR(ad::predicted_latency(ad::times_of(w), 0.5).runs, 0.9e-3, 1e-6);
}

TEST(Waiting, TheLongestPathCounts) {
  ad::window w;
  w.length = 1s;
  w.stages = {made::source(100), made::stage("short", {0}, 100, 100, 1e-4),
              made::stage("long", {0}, 100, 100, 2e-3), made::sink(1, 200, 1e-3)};
  w.stages[3].inputs = {2, 1};
  EXPECT_NEAR(ad::predicted_latency(ad::times_of(w), 0.5).service, 3e-3, 1e-5);
}

}  // namespace
