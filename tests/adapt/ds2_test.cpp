// DS2: true rates, in the order of the stream.
#include <thalweg/adapt/planner.hpp>

#include <optional>
#include <string>
#include <vector>

#include <adapt/made_windows.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using made::asked;
using testing::ElementsAre;
using testing::Optional;
using thalweg::adaptation::changes;
using thalweg::adaptation::planner;
using thalweg::adaptation::stage_window;
using thalweg::adaptation::window;

window second_of(std::vector<stage_window> stages) {
  window w;
  w.length = made::seconds(1);
  w.stages = std::move(stages);
  return w;
}

// What it decides at once from one window.
changes decision(const window& w, const std::string& more = "") {
  return planner("ds2:activation=1" + more).begin()(w);
}

// 1000 items a second are due, of which a farm with one replica takes 100.
window late(int replicas = 1, double each = 0.01) {
  return second_of({made::source(100, 1000.0), made::farm("work", {0}, 100, 100, each, replicas),
                    made::sink(1, 100, 1e-5)});
}

TEST(Ds2, AsksForWhatIsDueByWhatOneReplicaCanDo) {
  EXPECT_EQ(asked(decision(late()), "work"), 10);
  EXPECT_EQ(asked(decision(late(7)), "work"), 10);
  EXPECT_EQ(asked(decision(late(1, 0.0031)), "work"), 4);  // 3.1
  EXPECT_EQ(asked(decision(late(7, 0.0031), ",ratio=10"), "work"), 4);
}

TEST(Ds2, DoesNotRoundUpAWholeNumber) {
  for (int n = 2; n <= 16; ++n) EXPECT_EQ(asked(decision(late(1, n / 1000.0)), "work"), n) << n;
}

TEST(Ds2, StaysWithinTheBounds) {
  EXPECT_EQ(asked(decision(late(1, 1.0)), "work"), 16);
  auto w = late(8, 1e-4);
  w.stages[1].least = 3;
  w.stages[0].items_out = w.stages[1].items_in = 1000;
  EXPECT_EQ(asked(decision(w), "work"), 3);
}

TEST(Ds2, GoesInTheOrderOfTheStream) {
  // 1000 /s into `cut` (0.01 s each), which makes two of one; 2000 /s into `pack` (0.002 s each).
  const auto w = second_of({made::source(50, 1000.0), made::farm("cut", {0}, 50, 100, 0.01, 1),
                            made::farm("pack", {1}, 100, 100, 0.002, 1), made::sink(2, 100, 1e-6)});
  EXPECT_EQ(asked(decision(w), "cut"), 10);
  EXPECT_EQ(asked(decision(w), "pack"), 4);
  // The same, but listed the other way round.
  const auto turned = second_of({made::farm("pack", {1}, 100, 100, 0.002, 1),
                                 made::farm("cut", {2}, 50, 100, 0.01, 1), made::source(50, 1000.0)});
  EXPECT_EQ(asked(decision(turned), "cut"), 10);
  EXPECT_EQ(asked(decision(turned), "pack"), 4);
}

TEST(Ds2, SaysWhatItExpects) {
  EXPECT_DOUBLE_EQ(decision(late()).predicted, 1000);
  EXPECT_DOUBLE_EQ(decision(late(1, 0.032)).predicted, 500);  // 32 are needed, and 16 allowed
}

TEST(Ds2, ASplitSharesATeeDoesNot) {
  const auto w = [](double left, double right) {
    return second_of({made::source(100, 1000.0), made::farm("left", {0}, left, left, 0.01, 1),
                      made::farm("right", {0}, right, right, 0.004, 1)});
  };
  EXPECT_EQ(asked(decision(w(75, 25)), "left"), 8);   // 7.5
  EXPECT_FALSE(asked(decision(w(75, 25)), "right"));  // 1
  EXPECT_EQ(asked(decision(w(100, 100)), "left"), 10);
  EXPECT_EQ(asked(decision(w(100, 100)), "right"), 4);
}

TEST(Ds2, WhatWaitsInFrontOfTheOnlyConsumerIsNoSplit) {
  auto w = late();
  w.stages[0].items_out = 400;  // of which it took 100
  EXPECT_EQ(asked(decision(w), "work"), 10);
}

TEST(Ds2, SeveralSourcesAddUp) {
  auto more = made::source(50, 500.0);
  more.name = "more";
  EXPECT_EQ(
      asked(decision(second_of({made::source(30, 300.0), more, made::farm("work", {0, 1}, 80, 80, 0.01, 1)})),
            "work"),
      8);
}

TEST(Ds2, ASourceWithoutAScheduleIsAsFastAsTheSlowestSerialStage) {
  const auto w = [](double out) {
    return second_of(
        {made::source(250), made::farm("work", {0}, 250, out, 0.004, 1), made::sink(1, out, 0.001)});
  };
  EXPECT_EQ(asked(decision(w(250)), "work"), 4);  // 1000 /s, as the sink can do
  EXPECT_EQ(asked(decision(w(500)), "work"), 2);  // two items at the sink for each of the source
  auto slow_source = w(250);
  slow_source.stages[0].busy = made::seconds(250 / 600.0);
  EXPECT_EQ(asked(decision(slow_source), "work"), 3);  // 600 /s
}

TEST(Ds2, WithoutASerialStageThatWasTimedItKnowsNoSpeed) {
  EXPECT_TRUE(decision(second_of({made::source(250), made::farm("work", {0}, 250, 250, 0.004, 4)})).none());
}

TEST(Ds2, APacedSourceTakesItsPartOfASerialStage) {
  // The sink can do 1000 /s, of which 400 are due from a paced source; 600 are left.
  auto paced = made::source(400, 400.0);
  paced.name = "paced";
  EXPECT_EQ(asked(decision(second_of({made::source(100), paced, made::farm("work", {0}, 100, 100, 0.01, 1),
                                      made::farm("other", {1}, 400, 400, 0.001, 1),
                                      [] {
                                        auto s = made::sink(2, 500, 0.001);
                                        s.inputs.push_back(3);
                                        return s;
                                      }()})),
                  "work"),
            6);
}

TEST(Ds2, WhatIsNotKnownStays) {
  const auto w = second_of({made::source(100, 1000.0), made::farm("filter", {0}, 100, 0, 0.01, 1),
                            made::farm("idle", {1}, 0, 0, 0, 5), made::farm("behind", {2}, 0, 0, 0, 5)});
  EXPECT_EQ(asked(decision(w), "filter"), 10);
  EXPECT_FALSE(asked(decision(w), "idle"));
  EXPECT_FALSE(asked(decision(w), "behind"));
  const auto circle = second_of({made::source(100, 1000.0), made::farm("in", {0, 2}, 100, 100, 0.01, 1),
                                 made::farm("back", {1}, 100, 50, 0.01, 1)});
  EXPECT_TRUE(decision(circle).none());
}

TEST(Ds2, NothingDueTakesTheLeast) {
  const auto w = second_of({made::source(10, 0.0), made::farm("work", {0}, 10, 10, 0.01, 5)});
  EXPECT_EQ(asked(decision(w), "work"), 1);
}

TEST(Ds2, ActsWhenTwoPeriodsAgree) {
  auto decide = planner("ds2").begin();
  EXPECT_TRUE(decide(late()).none());
  EXPECT_TRUE(decide(late(1, 0.008)).none());
  EXPECT_TRUE(decide(late(1, 0.009)).none());
  EXPECT_EQ(asked(decide(late(1, 0.009)), "work"), 9);
}

TEST(Ds2, WarmsUpAfterAChange) {
  auto decide = planner("ds2:activation=1").begin();
  auto changed = late();
  changed.changed = true;
  EXPECT_TRUE(decide(changed).none());
  EXPECT_FALSE(decide(late()).none());
  EXPECT_TRUE(decide(late(10, 0.02)).none());  // whether or not the change fell into it
  EXPECT_FALSE(decide(late(10, 0.02)).none());
  EXPECT_TRUE(decide(changed).none());  // a window with the change is that of the warm-up
  EXPECT_FALSE(decide(late()).none());
}

TEST(Ds2, MeasuresItsPeriod) {
  auto decide = planner("ds2:activation=1,period=1").begin();
  auto w = late();
  w.length = made::seconds(0.25);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(decide(w).none());
  EXPECT_EQ(asked(decide(w), "work"), 10);
}

TEST(Ds2, AddsWhatTheSourceIsBehindIfItBelievesToHaveEnough) {
  // By its true rate four are enough, but the source gives 800 of 1000.
  const auto w = second_of({made::source(800, 1000.0), made::farm("work", {0}, 800, 800, 0.004, 4)});
  EXPECT_EQ(asked(decision(w), "work"), 5);
  EXPECT_TRUE(decision(w, ",ratio=1.25").none());
}

TEST(Ds2, AddsAFactor) {
  EXPECT_EQ(asked(decision(late(1, 0.006), ",factor=0.5"), "work"), 9);
}

TEST(Ds2, LeavesAFewTooManyIfToldSo) {
  const auto w = second_of({made::source(1000, 1000.0), made::farm("work", {0}, 1000, 1000, 0.003, 4)});
  EXPECT_EQ(asked(decision(w), "work"), 3);
  EXPECT_TRUE(decision(w, ",slack=1").none());
}

// The decisions, until it has made none for twenty windows.
std::vector<int> decisions(made::plant run) {
  auto decide = planner("ds2").begin();
  std::vector<int> all;
  for (int quiet = 0; quiet < 20; ++quiet) {
    if (const auto n = asked(decide(run.next()), "work")) {
      run.replicas = *n;
      all.push_back(*n);
      quiet = 0;
    }
  }
  return all;
}

TEST(Ds2, NeedsThreeDecisions) {
  EXPECT_THAT(decisions({.can = [](int n) { return 100.0 * n; }, .due = 1000}), ElementsAre(10));
  EXPECT_THAT(decisions({.can = [](int n) { return 100.0 * n; }, .due = 1000, .replicas = 16}),
              ElementsAre(10));
  // Replicas that are in each other's way: 12 can do 984 /s, 13 can do 1048.
  const auto contention = [](int n) { return 100.0 * n / (1 + 0.02 * (n - 1)); };
  EXPECT_THAT(decisions({.can = contention, .due = 1000}), ElementsAre(10, 12, 13));
  EXPECT_THAT(decisions({.can = contention, .due = 1000, .replicas = 16}), ElementsAre(13));
}

TEST(Ds2, GrowsWithoutEndWhatDoesNotScale) {
  // All replicas together do 100 /s: it believes each time that more will do.
  EXPECT_THAT(decisions({.can = [](int) { return 100.0; }, .due = 200}), ElementsAre(2, 4, 8, 16));
}

}  // namespace
