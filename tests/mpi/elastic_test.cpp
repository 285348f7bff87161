// Farms that are given more replicas and fewer on several ranks, while the stream runs.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "mpi/ranks.hpp"
#include "mpi/refusal.hpp"
#include "mpi/watched.hpp"
#include "support/watchdog.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

auto numbers(long n) {
  return tw::source(
      [i = 0L, n]() mutable -> std::optional<long> {
        if (i == n) return std::nullopt;
        return i++;
      },
      {.name = "count"});
}

auto stamp(int replicas, std::chrono::microseconds takes, const char* name = "stamp") {
  return tw::farm(
      [takes](long x) {
        if (takes.count() > 0) std::this_thread::sleep_for(takes);
        return done_by{x, ranks::policy().rank()};
      },
      {.replicas = replicas, .name = name});
}

TEST(Elastic, ReplicasComeToAllRanksAndGoAgain) {
  watched w;
  auto e = tw::launch(
      tw::source([i = 0L]() mutable -> std::optional<long> { return i++; }) | stamp(1, 200us) | w.sink(),
      ranks::policy());
  std::size_t grown = 0, shrunk = 0;
  if (ranks::root()) {
    w.wait_for_more(100);
    e.set_replicas("stamp", std::max(1, ranks::count() - 1));
    w.wait_for_more(300);  // what had been sent before is through
    grown = w.count.load();
    w.wait_for_more(1'000);
    e.set_replicas("stamp", 1);
    w.wait_for_more(300);
    shrunk = w.count.load();
    w.wait_for_more(300);
    e.stop();
  }
  const auto r = e.wait();
  if (!ranks::root()) return;
  EXPECT_TRUE(w.in_order());
  const auto others = static_cast<std::size_t>(std::max(1, ranks::count() - 1));
  EXPECT_EQ(w.ranks(0, 100).size(), 1U);
  EXPECT_EQ(w.ranks(grown, grown + 1'000).size(), others);
  EXPECT_EQ(w.ranks(shrunk, w.seen.size()).size(), 1U);
  if (ranks::count() <= 2) return;
  EXPECT_EQ(r.stage("stamp").replicas(), 1);
  ASSERT_EQ(r.resizes().size(), 2U);
  EXPECT_EQ(r.resizes()[0].to, ranks::count() - 1);
  EXPECT_EQ(r.resizes()[1].to, 1);
}

TEST(Elastic, ARunThatAdaptsItselfDecidesForAllRanks) {
  watched w;
  std::atomic<std::size_t> windows{0};
  auto all = [&](const tw::adaptation::window& seen) {
    ++windows;
    tw::adaptation::changes wanted;
    const auto* const s = seen.find("stamp");
    if (s != nullptr && s->farm() && seen.number == 2)
      wanted.replicas.push_back({"stamp", std::max(1, ranks::count() - 1)});
    wanted.reason = "all ranks are there";
    return wanted;
  };
  auto e = tw::launch(
      tw::source([i = 0L]() mutable -> std::optional<long> { return i++; }) | stamp(1, 200us) | w.sink(),
      ranks::policy(), {.adapt = tw::adapt{.every = 20ms, .planner = all}});
  std::size_t grown = 0;
  if (ranks::root()) {
    while (windows < 3) w.wait_for_more(10);
    w.wait_for_more(300);  // what had been sent before is through
    grown = w.count.load();
    w.wait_for_more(1'000);
    e.stop();
  }
  const auto r = e.wait();
  if (!ranks::root()) {
    EXPECT_EQ(windows, 0U) << "rank 0 decides";
    return;
  }
  EXPECT_TRUE(w.in_order());
  const auto others = static_cast<std::size_t>(std::max(1, ranks::count() - 1));
  EXPECT_EQ(w.ranks(grown, grown + 1'000).size(), others);
  if (ranks::count() <= 2) return;
  ASSERT_EQ(r.decisions().size(), 1U);
  EXPECT_EQ(r.decisions()[0].what, "stamp: 1 to " + std::to_string(others) + " replicas");
  EXPECT_EQ(r.stage("stamp").replicas(), static_cast<int>(others));
}

TEST(Elastic, RanksInReserveWaitUntilTheyAreNeeded) {
  if (ranks::count() < 3) GTEST_SKIP() << "needs three ranks";
  watched w;
  auto e = tw::launch(tw::source([i = 0L]() mutable -> std::optional<long> { return i++; }) |
                          tw::farm(
                              [](long x) {
                                std::this_thread::sleep_for(100us);
                                return done_by{x, ranks::policy().rank()};
                              },
                              {.name = "stamp"}) |
                          w.sink(),
                      ranks::policy({.reserve = 1}));
  const int last = ranks::count() - 1;
  std::size_t before = 0;
  if (ranks::root()) {
    w.wait_for_more(300);
    before = w.count.load();
    e.set_replicas("stamp", 64);
    w.wait_for_more(3'000);
    e.stop();
  }
  e.wait();
  if (!ranks::root()) return;
  EXPECT_TRUE(w.in_order());
  EXPECT_FALSE(w.ranks(0, before).contains(last));
  EXPECT_TRUE(w.ranks(before, w.seen.size()).contains(last));
}

TEST(Elastic, SeveralFarmsAtOnceByAnyRankInAnyOrder) {
  const long n = 20'000;
  watched w;
  auto e = tw::launch(numbers(n) | tw::farm([](long x) { return x * 2; }, {.replicas = 2, .name = "twice"}) |
                          tw::farm([](long x) { return x / 2; }, {.replicas = 1, .name = "half"}) |
                          stamp(2, 0us) | w.sink(),
                      ranks::policy());
  std::minstd_rand random(static_cast<unsigned>(ranks::policy().rank() + 1));
  for (int i = 0; i < 20 && !e.done(); ++i) {
    const auto some = [&] { return 1 + static_cast<int>(random() % 7); };
    e.set_replicas({{"twice", some()}, {"half", some()}, {"stamp", some()}});
    std::this_thread::sleep_for(1ms);
  }
  e.wait();
  if (ranks::root()) {
    EXPECT_TRUE(w.in_order());
    EXPECT_EQ(w.seen.size(), static_cast<std::size_t>(n));
  }
}

// Where one rank divides the items up: see moving_test.cpp.
template <class Job> void expect_the_same_with_any_number_of_replicas(Job job, int most) {
  std::vector<long> wanted, seen;
  tw::run(job(wanted), tw::sequential{});
  auto e = tw::launch(job(seen), ranks::policy({.local = tw::pool{.workers = 2}}));
  std::minstd_rand random(static_cast<unsigned>(ranks::policy().rank() + 1));
  for (int i = 0; i < 20 && !e.done(); ++i) {
    e.set_replicas("work", i == 0 ? 1'000 : 1 + static_cast<int>(random() % 9));
    std::this_thread::sleep_for(1ms);
  }
  const auto r = e.wait();
  if (!ranks::root()) return;
  EXPECT_EQ(seen, wanted);
  if (ranks::count() < 3) return;  // one rank has the whole farm
  for (const auto& change : r.resizes()) {
    EXPECT_GE(change.to, 1);
    EXPECT_LE(change.to, most) << "so many parts there are not";
  }
}

TEST(Elastic, FarmsWhoseKeysAreDividedUp) {
  expect_the_same_with_any_number_of_replicas(
      [](std::vector<long>& seen) {
        return tw::source(std::views::iota(0L, 5'000L)) |
               tw::farm(tw::key_by([](const long& x) { return x % 101; },
                                   [](long& sum, const long& x) {
                                     std::this_thread::sleep_for(1us);
                                     return sum += x;
                                   }),
                        {.replicas = 4, .name = "work"}) |
               tw::sink(seen);
      },
      256);
}

TEST(Elastic, FarmsThatAreDealtTo) {
  expect_the_same_with_any_number_of_replicas(
      [](std::vector<long>& seen) {
        return tw::source(std::views::iota(0L, 5'000L)) |
               tw::farm(
                   [](const long& x) {
                     std::this_thread::sleep_for(1us);
                     return 3 * x;
                   },
                   {.replicas = 4, .name = "work", .schedule = tw::round_robin}) |
               tw::sink(seen);
      },
      256);
}

// Nothing is under way: all that is known of how far the stream has come is what the end has told.
TEST(Elastic, AStreamThatStandsStillGoesOnAfterwards) {
  const auto limited =
      watchdog::watch(60s, [] { return std::string("a farm shrinks while the stream stands still"); });
  constexpr std::size_t before = 50;
  watched w;
  std::atomic<std::size_t> most{before};
  std::atomic<bool> over{false};
  // One at a time, so that each is a run of its own.
  auto e = tw::launch(
      tw::source([&, i = 0L]() mutable -> std::optional<long> {
        while (!over && (w.count < static_cast<std::size_t>(i) || static_cast<std::size_t>(i) == most))
          std::this_thread::sleep_for(100us);
        return over ? std::nullopt : std::optional(i++);
      }) | stamp(64, 0us) |
          w.sink(),
      ranks::policy({.local = tw::pool{.workers = 3}}));
  if (ranks::root()) {
    w.wait_for(before);
    e.set_replicas("stamp", 1);
    std::this_thread::sleep_for(20ms);
    most = 2 * before;
    w.wait_for(2 * before);
    over = true;
  }
  e.wait();
  if (!ranks::root()) return;
  EXPECT_TRUE(w.in_order());
  EXPECT_EQ(w.seen.size(), 2 * before);
}

// Of several that send to a rank whose share shrinks, none loses what it may send.
TEST(Elastic, AShareThatShrinksBetweenFarms) {
  if (ranks::count() < 4) GTEST_SKIP() << "needs four ranks";
  const auto limited = watchdog::watch(60s, [] { return std::string("shares shrink between farms"); });
  watched w;
  std::atomic<std::size_t> most{0};
  std::atomic<bool> over{false};
  auto e = tw::launch(tw::source([&, i = 0L]() mutable -> std::optional<long> {
                        while (!over && static_cast<std::size_t>(i) == most)
                          std::this_thread::sleep_for(50us);
                        return over ? std::nullopt : std::optional(i++);
                      }) | tw::farm([](long x) { return x; }, {.name = "first"}) |
                          stamp(4, 0us) | w.sink(),
                      ranks::policy({.local = tw::pool{.workers = 3},
                                     .place = {{"first", {1, 2}}, {"stamp", {3, 3, 3, 3}}}}));
  if (ranks::root()) {
    std::minstd_rand random(1);
    for (int round = 0; round < 60; ++round) {
      const auto burst = 1 + random() % 5;
      most += burst;
      w.wait_for(most);
      e.set_replicas("stamp", 1 + (round % 2) * 3);
      std::this_thread::sleep_for(2ms);
    }
    over = true;
  }
  e.wait();
  if (ranks::root()) {
    EXPECT_TRUE(w.in_order());
  }
}

// Who sends has fewer workers than who receives: what each of them would allow is not the same.
TEST(Elastic, AFarmThatShrinksOnARankWithMoreWorkers) {
  if (ranks::count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto limited = watchdog::watch(60s, [] { return std::string("a rank with more workers"); });
  watched w;
  std::vector<int> there(16, 1);
  auto e = tw::launch(
      tw::source([i = 0L]() mutable -> std::optional<long> { return i++; }) | stamp(16, 100us) | w.sink(),
      ranks::policy({.local = tw::pool{.workers = ranks::root() ? 1 : 8}, .place = {{"stamp", there}}}));
  if (ranks::root()) {
    w.wait_for_more(200);
    for (const int n : {4, 1, 16, 2}) {
      e.set_replicas("stamp", n);
      w.wait_for_more(500);
    }
    e.stop();
  }
  e.wait();
  if (ranks::root()) {
    EXPECT_TRUE(w.in_order());
  }
}

// A farm of several stages has one number of replicas, whichever of them is named.
TEST(Elastic, RanksThatNameDifferentStagesOfAFarmAgree) {
  const int me = ranks::policy().rank();
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> over{false};
    auto e = tw::launch(tw::source([&, i = 0L]() mutable -> std::optional<long> {
                          std::this_thread::sleep_for(100us);
                          return over ? std::nullopt : std::optional(i++);
                        }) |
                            tw::farm(tw::map([](long x) { return x; }, {.name = "a"}) |
                                         tw::map([](long x) { return x; }, {.name = "b"}),
                                     {.replicas = 1, .name = "work"}) |
                            tw::sink([](long) {}),
                        ranks::policy({.local = tw::pool{.workers = 3}}));
    MPI_Barrier(MPI_COMM_WORLD);
    e.set_replicas(me % 2 == 0 ? "work/a" : "work/b", 2 + me);
    const auto all_agree = [](const tw::report& r) {
      const int last = r.resizes().empty() ? 0 : r.resizes().back().to;
      int least = 0, most = 0;
      MPI_Allreduce(&last, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      MPI_Allreduce(&last, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      return least > 1 && least == most;
    };
    // What is under way to somebody may take long on a busy machine.
    for (int agreed = 0, looks = 0; agreed < 5 && looks < 500; ++looks) {
      std::this_thread::sleep_for(10ms);
      agreed = all_agree(e.stats()) ? agreed + 1 : 0;
    }
    over = true;
    EXPECT_TRUE(all_agree(e.wait()));
  }
}

TEST(Elastic, WhatCannotBeChangedIsSaid) {
  std::vector<long> seen;
  auto e = tw::launch(numbers(10) | tw::farm([](long x) { return x; }, {.name = "pass"}) | tw::sink(seen),
                      ranks::policy());
  EXPECT_THROW(e.set_replicas("count", 2), tw::error);
  EXPECT_THAT(refusal([&] { e.set_replicas("count_", 2); }), testing::HasSubstr("did you mean 'count'?"));
  EXPECT_THROW(e.set_replicas("pass", 0), tw::error);
  e.wait();
  e.set_replicas("pass", 7);
  EXPECT_TRUE(e.stats().resizes().empty()) << "the run had ended";
  EXPECT_NE(e.stats().stage("pass").replicas(), 7);
  EXPECT_THROW(tw::run(numbers(1) | tw::sink(seen), ranks::policy({.reserve = -1})), tw::error);
}

}  // namespace
