// The default planner and batches, in virtual time.
#include <thalweg/adapt/adapt.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <adapt/batch_stream.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using made::batch_plan;
using made::batch_stream;
namespace ad = thalweg::adaptation;

struct course {
  std::vector<std::uint64_t> changes;  // windows after which something was changed
  std::vector<std::string> reasons;
  thalweg::observe::histogram latency;  // of the last 100 windows
  std::chrono::nanoseconds interval{0};
  int replicas = 0;
  double used = 0;  // processors, in the last 100 windows

  [[nodiscard]] std::ptrdiff_t changes_after(std::uint64_t window) const {
    return std::ranges::count_if(changes, [=](auto w) { return w > window; });
  }
};

course run(const batch_plan& p, int windows) {
  batch_stream stream(p);
  const auto decide = ad::planner("thalweg").begin();
  course c;
  for (int k = 0; k < windows; ++k) {
    const auto w = stream.next();
    const auto wanted = decide(w);
    if (stream.take(wanted)) {
      c.changes.push_back(w.number);
      c.reasons.push_back(wanted.reason);
    }
    if (k >= windows - 100) {
      c.latency.merge(w.latency);
      c.used += std::chrono::duration<double>(w.cpu).count() / p.window / 100;
    }
    if (std::getenv("SHOW") != nullptr)
      std::cout << w.number << " q99 " << w.latency.quantile(0.99) / 1e6 << " ms, interval "
                << stream.limits().interval.count() / 1e6 << " replicas " << stream.replicas() << " busy "
                << std::chrono::duration<double>(w.stages[2].busy).count() << " queued " << w.stages[2].queued
                << "  " << wanted.reason << "\n";
  }
  c.interval = stream.limits().interval;
  c.replicas = stream.replicas();
  return c;
}

auto limit(std::chrono::nanoseconds t) {
  return thalweg::latency(0.99, t);
}

TEST(ThalwegBatches, AreShortenedUntilTheLatencyIsWithinItsLimit) {
  const auto c = run({.goal = limit(10ms)}, 300);
  EXPECT_LE(c.latency.quantile(0.99), std::chrono::nanoseconds(10ms).count());
  EXPECT_GE(c.interval, 5ms);  // no shorter than that takes
  EXPECT_EQ(c.changes.size(), 1U);
  EXPECT_THAT(c.reasons[0], testing::HasSubstr("99 % of the items take up to 51.0 ms: batches hold them for "
                                               "50.0 ms"));
}

TEST(ThalwegBatches, AreShortenedBeforeReplicasAreAdded) {
  const auto c = run({.replicas = 2, .most = 16, .goal = limit(10ms)}, 300);
  EXPECT_LE(c.latency.quantile(0.99), std::chrono::nanoseconds(10ms).count());
  EXPECT_LE(c.replicas, 2);
}

// 2 ms a batch and 20 µs an item: with one replica no interval below 4 ms is worked off within 0.7 of it.
double affine(double items) {
  return 2e-3 + 20e-6 * items;
}

TEST(ThalwegBatches, AreNotShorterThanTheStageBehindCanDo) {
  const auto c = run({.time_of = affine, .goal = limit(5ms)}, 600);
  EXPECT_GE(c.interval, 4ms);
  EXPECT_LE(c.interval, 10ms);  // but much nearer to the goal
  EXPECT_EQ(c.changes_after(200), 0);
}

TEST(ThalwegBatches, ReplicasMakeShorterOnesPossible) {
  const auto c = run({.time_of = affine, .most = 8, .goal = limit(7ms)}, 1000);
  EXPECT_LE(c.latency.quantile(0.99), std::chrono::nanoseconds(7ms).count());
  EXPECT_EQ(c.changes_after(700), 0);
}

TEST(ThalwegBatches, AreLeftAloneWhileTheLatencyIsWithinItsLimit) {
  EXPECT_THAT(run({.goal = limit(60ms)}, 300).reasons, testing::IsEmpty());
  EXPECT_THAT(run({.goal = limit(500ms)}, 300).reasons, testing::IsEmpty());  // never longer than given
}

TEST(ThalwegBatches, ThatHaveNoIntervalAreLeftAlone) {
  EXPECT_THAT(run({.limits = {.items = 1000}, .goal = limit(10ms)}, 300).reasons, testing::IsEmpty());
}

TEST(ThalwegBatches, KeepTheirOtherLimits) {
  batch_stream stream({.goal = limit(10ms)});
  const auto decide = ad::planner("thalweg").begin();
  for (int i = 0; i < 50; ++i) stream.take(decide(stream.next()));
  EXPECT_EQ(stream.limits().items, 1000);
  EXPECT_LT(stream.limits().interval, 50ms);
}

TEST(ThalwegBatches, AreShortenedWhereTheirNumberClosesThem) {
  // 1000 items come in 20 ms.
  const auto c = run({.rate = [](double) { return 50e3; }, .goal = limit(10ms)}, 300);
  EXPECT_LE(c.latency.quantile(0.99), std::chrono::nanoseconds(10ms).count());
}

TEST(ThalwegBatches, AreLongerAgainWhereLessWouldDo) {
  // Batches take long at first, and so leave less time to collect them.
  double now = 0;
  batch_stream stream(
      {.time_of = [&](double) { return now < 5 ? 12e-3 : 1e-3; }, .replicas = 4, .goal = limit(20ms)});
  const auto decide = ad::planner("thalweg").begin();
  auto shortest = stream.limits().interval;
  int changes = 0;
  for (int i = 0; i < 600; ++i) {
    const auto w = stream.next();
    now = std::chrono::duration<double>(w.at).count();
    changes += stream.take(decide(w)) ? 1 : 0;
    shortest = std::min(shortest, stream.limits().interval);
  }
  EXPECT_LT(shortest, 8ms);
  EXPECT_GT(stream.limits().interval, 9ms);
  EXPECT_LT(stream.limits().interval, 18ms);
  EXPECT_LE(changes, 3);
}

TEST(ThalwegBatches, StayAtRestThoughArrivalsVary) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto c = run({.time_of = affine, .most = 8, .goal = limit(15ms), .noise = 1, .seed = seed}, 1000);
    EXPECT_LE(c.latency.quantile(0.99), std::chrono::nanoseconds(15ms).count()) << seed;
    EXPECT_LE(c.changes_after(300), 3) << seed;
  }
}

TEST(ThalwegBatches, WhatDidNotHelpIsTakenBackAndNotTriedAgainSoon) {
  // The latency is in the stage behind, whose time does not depend on batches; they only seem to hold items.
  batch_stream stream({.goal = limit(10ms)});
  const auto decide = ad::planner("thalweg").begin();
  int changes = 0;
  for (int i = 0; i < 400; ++i) {
    auto w = stream.next();
    w.latency.clear();
    w.latency.record(100'000'000, 100);
    changes += stream.take(decide(w)) ? 1 : 0;
  }
  EXPECT_EQ(stream.limits().interval, 50ms);
  EXPECT_LE(changes, 4);
}

TEST(ThalwegBatches, AreLongerWhereTheStageBehindDoesNotKeepUp) {
  // 10 ms a batch is too much for one in 5 ms. Das et al.: 10 / (0.7 - 0.2) ms are enough.
  const auto c =
      run({.limits = {.interval = 5ms}, .time_of = [](double n) { return 10e-3 + 20e-6 * n; }}, 600);
  EXPECT_GE(c.interval, 10ms);
  EXPECT_LE(c.interval, 25ms);
  EXPECT_EQ(c.changes_after(300), 0);
  EXPECT_LT(c.used, 0.95);
}

TEST(ThalwegBatches, AreAsGivenAgainWhenTheLoadHasFallen) {
  const auto c = run({.rate = [](double t) { return t < 30 ? 40e3 : 4e3; },
                      .limits = {.interval = 5ms},
                      .time_of = [](double n) { return 1e-3 + (n > 100 ? 4e-3 : 0) + 1e-6 * n; }},
                     600);
  EXPECT_EQ(c.interval, 5ms);
}

TEST(ThalwegBatches, AreLeftAloneWhereReplicasAreEnough) {
  const auto c = run({.limits = {.interval = 5ms}, .time_of = [](double) { return 10e-3; }, .most = 8}, 600);
  EXPECT_EQ(c.interval, 5ms);
  EXPECT_GE(c.replicas, 2);
}

TEST(ThalwegBatches, AreLeftAloneWithoutAGoalOfLatency) {
  EXPECT_THAT(run({}, 300).reasons, testing::IsEmpty());
  EXPECT_THAT(run({.goal = thalweg::throughput()}, 300).reasons, testing::IsEmpty());
}

// Streams of all kinds: they come to rest, and what can be done is done.
TEST(ThalwegBatches, OfAnyStreamComeToRest) {
  int met = 0, possible = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 dice(seed);
    const auto between = [&](double least, double most) {
      return least * std::pow(most / least, std::uniform_real_distribution<double>(0, 1)(dice));
    };
    const auto rate = between(200, 4000), fixed = between(1e-4, 3e-3), interval = between(5e-3, 0.05),
               within = between(5e-3, 0.1), work = between(0.01, 2);
    const auto each = work / rate;
    const auto most = static_cast<int>(work > 0.4 ? 16 : between(1, 16));
    const bool for_latency = seed % 3 != 0;
    const batch_plan p{
        .rate = [=](double) { return rate; },
        .limits = {.items = 5000, .interval = made::seconds(interval)},
        .time_of = [=](double n) { return fixed + each * n; },
        .most = most,
        .goal = for_latency ? thalweg::latency(0.9, made::seconds(within)) : thalweg::keep_up(),
        .noise = between(0.1, 1),
        .seed = seed};
    const auto c = run(p, 1000);
    EXPECT_LE(c.changes_after(500), 2) << seed;
    if (for_latency) {
      EXPECT_LE(c.interval, made::seconds(interval)) << seed;
    }
    // With the shortest interval that half of the replicas work off in half of it.
    const auto half = std::max(1.0, most / 2.0);
    const auto shortest = fixed / half / (0.5 - std::min(0.499, work / half));
    if (for_latency && 1.5 * (shortest + fixed + each * rate * shortest) < within) {
      ++possible;
      met += c.latency.quantile(0.9) <= made::seconds(within).count() ? 1 : 0;
    }
  }
  EXPECT_EQ(met, possible);
  EXPECT_GT(possible, 20);
}

// Runs of items: a stage that the others of a run wait for, in a job without batches.
ad::window with_runs(std::uint64_t number, std::chrono::nanoseconds held, std::chrono::nanoseconds length) {
  constexpr double rate = 100'000;
  ad::window w;
  w.number = number;
  w.length = 100ms;
  w.at = static_cast<std::int64_t>(number) * w.length;
  w.cores = 16;
  w.goal = limit(300us);
  w.run_length = length;
  w.stages = {made::source(rate / 10, rate), made::stage("a", {0}, rate / 10, rate / 10, 2e-6),
              made::stage("b", {1}, rate / 10, rate / 10, 2e-6), made::sink(2, rate / 10, 1e-7)};
  for (auto& s : w.stages) {
    s.runs = static_cast<std::uint64_t>(std::max<std::int64_t>(1, s.busy / held));
  }
  w.latency.record(2 * held.count() + 20'000, 10'000);
  w.cpu = 50ms;
  return w;
}

TEST(ThalwegRuns, AreShorterUntilTheLatencyIsWithinItsLimit) {
  const auto decide = ad::planner("thalweg").begin();
  std::chrono::nanoseconds asked = 0ns;
  int changes = 0;
  for (std::uint64_t i = 1; i < 300; ++i) {
    const auto held = asked == 0ns ? 400us : asked;
    const auto wanted = decide(with_runs(i, held, asked));
    if (!wanted.run_length) continue;
    ++changes;
    asked = *wanted.run_length;
    EXPECT_TRUE(wanted.batches.empty());
  }
  EXPECT_GE(asked, 50us);
  EXPECT_LE(asked, 140us);
  EXPECT_EQ(changes, 1);
}

TEST(ThalwegRuns, AreLeftAloneWhereTheyCannotBeChangedOrAreNotWhatCosts) {
  const auto decide = ad::planner("thalweg").begin();
  const auto again = ad::planner("thalweg").begin();
  for (std::uint64_t i = 1; i < 100; ++i) {
    auto w = with_runs(i, 400us, 0ns);
    w.run_length.reset();
    EXPECT_TRUE(decide(w).none());
    w = with_runs(i, 10us, 0ns);
    w.latency.record(100'000'000, 1'000'000);
    EXPECT_FALSE(again(w).run_length);
  }
}

}  // namespace
