// TeeTime's manager of a farm.
#include <thalweg/adapt/planner.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <adapt/made_windows.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using made::asked;
using testing::ElementsAre;
using testing::HasSubstr;
using thalweg::adaptation::planner;
using thalweg::adaptation::window;

constexpr int at_start = 8;  // replicas

// Windows of 50 ms in which a farm takes items at given rates.
class farm_at {
 public:
  explicit farm_at(const std::string& planner_text, int cores = 16)
      : decide_(planner(planner_text).begin()), cores_(cores) {}

  // What it decides: 1, -1 or 0.
  int takes(double rate, int replicas = at_start) { return step(window_of(rate, replicas), replicas); }
  int takes_after_a_change(double rate, int replicas = at_start) {
    auto w = window_of(rate, replicas);
    w.changed = true;
    return step(w, replicas);
  }
  int waits(double rate, int replicas) {
    auto w = window_of(rate, replicas);
    w.stages[1].cpu = w.stages[1].busy / 3;
    return step(w, replicas);
  }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  window window_of(double rate, int replicas) {
    window w;
    w.number = ++number_;
    w.length = made::seconds(0.05);
    w.at = made::seconds(0.05 * static_cast<double>(number_));
    w.cores = cores_;
    const auto n = rate * 0.05;
    w.stages = {made::source(n), made::farm("work", {0}, n, n, 1e-4, replicas, 100), made::sink(1, n, 1e-6)};
    return w;
  }
  int step(const window& w, int replicas) {
    const auto wanted = decide_(w);
    reason_ = wanted.reason;
    return asked(wanted, "work").value_or(replicas) - replicas;
  }

  planner::function decide_;
  int cores_;
  std::uint64_t number_ = 0;
  std::string reason_;
};

// The rate at which it begins to add, and that at which it begins to remove, after these rates.
void expect_prediction(const std::string& planner_text, const std::vector<double>& past, double predicted) {
  for (const auto& [part, action] :
       {std::pair(1.03, 1), std::pair(1.02, 0), std::pair(0.98, 0), std::pair(0.97, -1)}) {
    farm_at farm(planner_text);
    for (const auto rate : past) farm.takes_after_a_change(rate);
    EXPECT_EQ(farm.takes_after_a_change(predicted * part), action) << planner_text << " " << part;
  }
}

TEST(Teetime, PredictsByALineThroughThePast) {
  // Evaluated now, one window after the last.
  expect_prediction("teetime", {10'000}, 10'000);
  expect_prediction("teetime", {10'000, 12'000}, 14'000);
  expect_prediction("teetime", {10'000, 12'000, 11'000, 13'000, 14'000}, 14'700);
  // Of seven windows the last five.
  expect_prediction("teetime", {90'000, 90'000, 10'000, 12'000, 11'000, 13'000, 14'000}, 14'700);
}

TEST(Teetime, PredictsByTheMean) {
  expect_prediction("teetime-mean", {10'000}, 10'000);
  expect_prediction("teetime-mean", {10'000, 12'000, 11'000, 13'000, 14'000}, 12'000);
  expect_prediction("teetime-mean:history=3", {90'000, 11'000, 13'000, 15'000}, 13'000);
}

TEST(Teetime, PredictsByAMeanInWhichNewerWindowsCountMore) {
  expect_prediction("teetime-weighted", {10'000}, 10'000);
  // (1 * 10 + 2 * 12 + 3 * 11 + 4 * 13 + 5 * 14) / 15 = 12.6
  expect_prediction("teetime-weighted", {10'000, 12'000, 11'000, 13'000, 14'000}, 12'600);
}

TEST(Teetime, AddsWithoutAPast) {
  farm_at farm("teetime");
  EXPECT_EQ(farm.takes(0), 1);
  EXPECT_THAT(farm.reason(), HasSubstr("work has no past yet"));
}

TEST(Teetime, AddsWhenNothingIsPredicted) {
  farm_at farm("teetime");
  farm.takes(0);
  EXPECT_EQ(farm.takes(0), 1);
  EXPECT_EQ(farm.takes(1000), 1);
  farm_at falling("teetime");  // a line that crosses zero
  falling.takes(10'000);
  falling.takes(1000);
  EXPECT_EQ(falling.takes(1000), 1);
}

TEST(Teetime, TheBoundaryCanBeSet) {
  farm_at farm("teetime-mean:boundary=0.2");
  farm.takes_after_a_change(1000);
  EXPECT_EQ(farm.takes_after_a_change(1180), 0);
  EXPECT_EQ(farm.takes_after_a_change(1400), 1);
}

TEST(Teetime, RemovesAnAdditionThatDidNotHelp) {
  farm_at farm("teetime-mean");
  EXPECT_EQ(farm.takes(1000), 1);
  EXPECT_EQ(farm.takes_after_a_change(1000), 0);  // that window shows two states
  EXPECT_EQ(farm.takes(1020), -1);
  EXPECT_THAT(farm.reason(), HasSubstr("work takes 102 % of what it took before the last addition"));
}

TEST(Teetime, KeepsAnAdditionThatHelped) {
  farm_at farm("teetime-mean:boundary=0.1");
  EXPECT_EQ(farm.takes(1000), 1);
  EXPECT_EQ(farm.takes_after_a_change(1060), 0);
  EXPECT_EQ(farm.takes(1120), 0);
  // It is judged once.
  EXPECT_EQ(farm.takes(1000), 0);
}

TEST(Teetime, ARemovalIsNotJudged) {
  farm_at farm("teetime-mean");
  EXPECT_EQ(farm.takes(1000), 1);
  EXPECT_EQ(farm.takes(900), -1);
  EXPECT_EQ(farm.takes(950), 0);
}

TEST(Teetime, TheLiteralRuleJudgesByThePrediction) {
  // The addition brings a quarter more, but not at once.
  const std::string mean = "teetime-mean:boundary=0.2";
  for (const auto& [text, action] : {std::pair(mean + ",literal=1", -1), std::pair(mean, 0)}) {
    farm_at farm(text);
    EXPECT_EQ(farm.takes(1000), 1);
    EXPECT_EQ(farm.takes_after_a_change(1150), action) << text;
    EXPECT_EQ(farm.takes(1250), 0) << text;
  }
  // What is a little less than predicted is left alone.
  farm_at farm("teetime-mean:literal=1");
  EXPECT_EQ(farm.takes(10'000), 1);
  EXPECT_EQ(farm.takes(9900), 0);
  EXPECT_EQ(farm.takes(9960), -1);
}

TEST(Teetime, KeepsOneReplica) {
  farm_at farm("teetime");
  farm.takes(1000, 1);
  EXPECT_EQ(farm.takes(500, 1), 0);
}

TEST(Teetime, AFarmThatComputesGetsNoMoreReplicasThanCores) {
  farm_at farm("teetime", 4);
  EXPECT_EQ(farm.takes(1000, 3), 1);
  EXPECT_EQ(farm.takes(2000, 4), 0);
  EXPECT_EQ(farm.takes(9000, 90), 0);
}

TEST(Teetime, AFarmThatWaitsGetsFourTimesAsMany) {
  farm_at farm("teetime", 4);
  EXPECT_EQ(farm.waits(1000, 4), 1);
  EXPECT_EQ(farm.waits(2000, 15), 1);
  EXPECT_EQ(farm.waits(9000, 16), 0);
}

TEST(Teetime, EachFarmIsByItself) {
  auto decide = planner("teetime-mean").begin();
  const auto w = [](double first, double second) {
    window seen;
    seen.length = made::seconds(0.05);
    seen.cores = 16;
    seen.stages = {made::source(first), made::farm("first", {0}, first, first, 1e-4, 3),
                   made::farm("second", {1}, second, second, 1e-4, 3)};
    return seen;
  };
  EXPECT_EQ(decide(w(100, 100)).replicas.size(), 2U);
  const auto wanted = decide(w(110, 90));
  EXPECT_EQ(asked(wanted, "first"), 4);
  EXPECT_EQ(asked(wanted, "second"), 2);
}

TEST(Teetime, MeasuresFiftyMilliseconds) {
  auto decide = planner("teetime").begin();
  made::plant run{.can = [](int n) { return 1000.0 * n; }, .length = 0.01};
  EXPECT_THAT(run.follow(decide, 6), ElementsAre(1, 1, 1, 1, 2, 2));
}

// Replicas after each window; the farm is best with six.
std::vector<int> replicas(const std::string& planner_text, int windows) {
  made::plant run{.can = [](int n) { return 1000.0 * std::min(n, 6); }, .length = 0.05};
  return run.follow(planner(planner_text).begin(), windows);
}

// How often the number changes in the last hundred windows.
int changes_at_last(const std::string& planner_text) {
  const auto all = replicas(planner_text, 300);
  int n = 0;
  for (auto i = all.size() - 100; i < all.size(); ++i) n += all[i] != all[i - 1] ? 1 : 0;
  return n;
}

TEST(Teetime, TheLiteralRuleNeverComesToRestWhereTheOtherOneDoes) {
  EXPECT_GT(changes_at_last("teetime:boundary=0.2,literal=1"), 50);
  EXPECT_EQ(changes_at_last("teetime:boundary=0.2"), 0);
  EXPECT_EQ(replicas("teetime:boundary=0.2", 100).back(), 5);
}

TEST(Teetime, WithALineAndASmallBoundaryNeitherComesToRest) {
  // Growth that ends is less than the line predicts: it takes away what had helped, and begins anew.
  for (const auto* const text : {"teetime", "teetime:literal=1"}) {
    EXPECT_GT(changes_at_last(text), 50) << text;
    auto all = replicas(text, 300);
    all.erase(all.begin(), all.end() - 100);
    EXPECT_EQ(*std::min_element(all.begin(), all.end()), 1) << text;
    EXPECT_EQ(*std::max_element(all.begin(), all.end()), 6) << text;
  }
}

TEST(Teetime, WithAMeanItComesToRestWithTooMany) {
  EXPECT_EQ(changes_at_last("teetime-mean"), 0);
  EXPECT_EQ(replicas("teetime-mean", 300).back(), 10);
  EXPECT_EQ(replicas("teetime-mean:boundary=0.2", 300).back(), 8);
  EXPECT_EQ(changes_at_last("teetime-weighted"), 0);
  EXPECT_EQ(replicas("teetime-weighted", 300).back(), 9);
}

TEST(Teetime, EndsWithOneReplicaIfMoreDoNotHelp) {
  for (const auto* const text : {"teetime", "teetime:literal=1", "teetime-mean"}) {
    made::plant run{.can = [](int) { return 1000.0; }, .length = 0.05, .marks = true};
    EXPECT_EQ(run.follow(planner(text).begin(), 50).back(), 1) << text;
  }
}

}  // namespace
