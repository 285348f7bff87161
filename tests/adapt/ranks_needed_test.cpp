// Over how many ranks a planner spreads what it wants, in windows of runs that do not exist.
#include "../../src/adapt/ranks_needed.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <adapt/made_windows.hpp>
#include <gtest/gtest.h>

namespace {

namespace adaptation = thalweg::adaptation;
using adaptation::rank_memory;
using adaptation::ranks_needed;
using adaptation::window;
using state = adaptation::rank_window::state;

constexpr double each = 0.01;  // seconds inside the operator for an item

// A farm of so many replicas that are always at work, on ranks of four workers.
window on_ranks(int working, int all, int replicas) {
  window w;
  w.length = made::seconds(1);
  const double items = replicas / each;
  w.stages = {made::source(items), made::farm("work", {0}, items, items, each, replicas, 64),
              made::sink(1, items, 1e-4)};
  for (int r = 0; r < all; ++r) {
    adaptation::rank_window one;
    one.rank = r;
    one.workers = 4;
    one.now = r < working ? state::working : state::reserve;
    w.ranks.push_back(one);
  }
  return w;
}

adaptation::changes with_replicas(int n) {
  adaptation::changes wanted;
  wanted.replicas = {{"work", n}};
  return wanted;
}

TEST(RanksNeeded, AreThoseWhoseWorkersHoldTheReplicas) {
  EXPECT_EQ(ranks_needed(on_ranks(3, 3, 1), {}), 1);
  EXPECT_EQ(ranks_needed(on_ranks(3, 3, 4), {}), 1) << "the sink adds little";
  EXPECT_EQ(ranks_needed(on_ranks(3, 3, 5), {}), 2);
  EXPECT_EQ(ranks_needed(on_ranks(3, 3, 9), {}), 3);
  EXPECT_EQ(ranks_needed(on_ranks(3, 3, 50), {}), 3);
  EXPECT_EQ(ranks_needed(on_ranks(1, 3, 1), with_replicas(8)), 2) << "what is wanted counts";
}

TEST(RanksNeeded, SerialStagesThatComputeTakeAWorkerEach) {
  auto w = on_ranks(2, 3, 4);
  w.stages[2].cpu = made::seconds(0.9);
  EXPECT_EQ(ranks_needed(w, {}), 2);
}

TEST(RanksNeeded, ReplicasThatWaitNeedNoWorkers) {
  auto w = on_ranks(1, 3, 12);
  w.stages[1].cpu = w.stages[1].busy / 10;
  EXPECT_EQ(ranks_needed(w, {}), 1);
  w.stages[1].cpu = w.stages[1].busy * 6 / 10;  // they share cores that are too few
  EXPECT_EQ(ranks_needed(w, {}), 3);
}

TEST(RanksNeeded, StayWithinTheBounds) {
  auto w = on_ranks(2, 3, 9);
  w.bounds.most_ranks = 2;
  EXPECT_EQ(ranks_needed(w, {}), 2);
  w = on_ranks(2, 3, 1);
  w.bounds.least_ranks = 2;
  EXPECT_EQ(ranks_needed(w, {}), 2);
  w.bounds.least_ranks = 7;
  EXPECT_EQ(ranks_needed(w, {}), 3) << "there are no more";
}

TEST(RanksNeeded, NothingOnASingleRank) {
  rank_memory memory;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(memory.look(on_ranks(0, 0, 1), {}), std::nullopt);
}

// The ranks after each of so many windows, where this many replicas are at work.
std::vector<int> follow(rank_memory& memory, std::vector<int> replicas, int working, int all = 3) {
  std::vector<int> seen;
  static std::uint64_t number = 0;
  for (const int n : replicas) {
    auto w = on_ranks(working, all, n);
    w.number = ++number;
    working = memory.look(w, {}).value_or(working);
    seen.push_back(working);
  }
  return seen;
}

int windows_until_fewer(rank_memory& memory) {
  int n = 1;
  while (follow(memory, {1}, 2) != std::vector{1}) ++n;
  return n;
}

TEST(RankMemory, GrowsAtOnceAndShrinksOneByOneWhenItWasLongDue) {
  rank_memory memory;
  EXPECT_EQ(follow(memory, {1, 12, 12}, 1), (std::vector{1, 3, 3}));
  const auto seen = follow(memory, std::vector<int>(100, 1), 3);
  const auto two = std::ranges::find(seen, 2), one = std::ranges::find(seen, 1);
  EXPECT_GT(two - seen.begin(), 3);
  EXPECT_GT(one - two, 3);
  EXPECT_EQ(seen.back(), 1);
}

TEST(RankMemory, AMomentWithLittleToDoChangesNothing) {
  rank_memory memory;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(follow(memory, {1, 1, 1, 12}, 3), std::vector(4, 3));
}

TEST(RankMemory, WhatWasNeededSoonAfterIsTakenAwayLater) {
  rank_memory memory;
  const auto first = windows_until_fewer(memory);
  EXPECT_EQ(follow(memory, {5}, 1), std::vector{2});
  EXPECT_EQ(windows_until_fewer(memory), 2 * first);
  EXPECT_EQ(follow(memory, {5}, 1), std::vector{2});
  EXPECT_EQ(windows_until_fewer(memory), 4 * first);
}

TEST(RankMemory, WhatWasNeededMuchLaterIsNotHeldAgainstIt) {
  rank_memory memory;
  const auto first = windows_until_fewer(memory);
  follow(memory, std::vector<int>(200, 1), 1);
  EXPECT_EQ(follow(memory, {5}, 1), std::vector{2});
  EXPECT_EQ(windows_until_fewer(memory), first);
}

}  // namespace
