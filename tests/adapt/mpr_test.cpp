// The loop that comes with MPR.
#include <thalweg/adapt/planner.hpp>

#include <optional>
#include <string>
#include <vector>

#include <adapt/made_windows.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using thalweg::adaptation::planner;
using thalweg::adaptation::window;

// A second in which the farm gave so many items.
window with_rate(double rate, int replicas, std::optional<double> due = {}, int most = 48) {
  window w;
  w.length = made::seconds(1);
  w.stages = {made::source(rate, due), made::farm("work", {0}, rate, rate, 1e-3, replicas, most),
              made::sink(1, rate, 1e-6)};
  return w;
}

// The step for this part of the goal, in hundredths of a percent.
int step(int ratio, int replicas = 10) {
  auto decide = planner("mpr:goal=10000").begin();
  return made::asked(decide(with_rate(ratio, replicas)), "work").value_or(replicas) - replicas;
}

TEST(Mpr, StepsByTheRatioOfThroughputToGoal) {
  EXPECT_EQ(step(0), 4);
  EXPECT_EQ(step(4999), 4);
  EXPECT_EQ(step(5000), 2);
  EXPECT_EQ(step(7499), 2);
  EXPECT_EQ(step(7500), 1);
  EXPECT_EQ(step(9374), 1);
  for (const auto dead : {9375, 10'000, 12'500}) EXPECT_EQ(step(dead), 0) << dead;
  EXPECT_EQ(step(12'501), -1);
  EXPECT_EQ(step(15'000), -1);
  EXPECT_EQ(step(15'001), -2);
  EXPECT_EQ(step(20'000), -2);
  EXPECT_EQ(step(20'001), -4);
}

TEST(Mpr, NeverReachesTheMost) {
  EXPECT_EQ(step(0, 43), 4);  // 47
  EXPECT_EQ(step(0, 44), 0);  // not in part, either
  EXPECT_EQ(step(6000, 46), 0);
  EXPECT_EQ(step(9000, 46), 1);
  EXPECT_EQ(step(9000, 47), 0);
}

TEST(Mpr, KeepsOneReplica) {
  EXPECT_EQ(step(30'000, 5), -4);
  EXPECT_EQ(step(30'000, 4), 0);
  EXPECT_EQ(step(16'000, 2), 0);
  EXPECT_EQ(step(13'000, 2), -1);
  EXPECT_EQ(step(13'000, 1), 0);
}

TEST(Mpr, KeepsTheLeastThatIsAllowed) {
  auto decide = planner("mpr:goal=10000").begin();
  auto w = with_rate(30'000, 6);
  w.stages[1].least = 3;
  EXPECT_TRUE(decide(w).none());
}

TEST(Mpr, TheGoalIsWhatIsDueIfNoOtherIsGiven) {
  auto decide = planner("mpr").begin();
  EXPECT_EQ(made::asked(decide(with_rate(400, 2, 1000.0)), "work"), 6);
  EXPECT_TRUE(decide(with_rate(400, 2)).none());
  EXPECT_TRUE(decide(with_rate(400, 2, 0.0)).none());
}

TEST(Mpr, MeasuresASecond) {
  auto decide = planner("mpr:goal=1000").begin();
  made::plant run{.can = [](int n) { return 600.0 * n; }, .length = 0.1};
  EXPECT_THAT(run.follow(decide, 22),
              ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1, 1));
}

TEST(Mpr, TakesPausesOutOfTheSecond) {
  auto decide = planner("mpr:goal=1000").begin();
  auto empty = with_rate(0, 1);
  empty.length = {};
  EXPECT_TRUE(decide(empty).none());
  auto half = with_rate(300, 1);
  half.length = made::seconds(0.5);
  EXPECT_TRUE(decide(half).none());
  EXPECT_EQ(made::asked(decide(half), "work"), 3);  // 600 in a second
}

TEST(Mpr, NeverComesToRestIfOneReplicaIsWorthMoreThanItsDeadBand) {
  const std::vector<double> can{0, 700, 1300, 1450};
  made::plant run{.can = [&](int n) { return can.at(static_cast<std::size_t>(n)); }};
  EXPECT_THAT(run.follow(planner("mpr:goal=1000").begin(), 9), ElementsAre(3, 2, 1, 3, 2, 1, 3, 2, 1));
}

TEST(Mpr, ComesToRestInsideItsDeadBand) {
  made::plant run{.can = [](int n) { return 240.0 * n; }};
  EXPECT_THAT(run.follow(planner("mpr:goal=1000").begin(), 4), ElementsAre(5, 5, 5, 5));
}

TEST(Mpr, HoldsEachFarmToTheGoal) {
  auto decide = planner("mpr:goal=1000").begin();
  window w;
  w.length = made::seconds(1);
  w.stages = {made::source(600), made::farm("first", {0}, 600, 600, 1e-3, 2),
              made::farm("second", {1}, 600, 400, 1e-3, 3), made::sink(2, 400, 1e-6)};
  const auto wanted = decide(w);
  EXPECT_EQ(made::asked(wanted, "first"), 4);
  EXPECT_EQ(made::asked(wanted, "second"), 7);
  EXPECT_THAT(wanted.reason, HasSubstr("the throughput of first is 60 % of the goal"));
}

}  // namespace
