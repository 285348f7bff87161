// The default planner on simulated streams: where it ends, how soon, and what it leaves alone.
#include <thalweg/adapt/adapt.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapt/plant.hpp"

namespace {

namespace ad = tw::adaptation;
using plants::plan;
using plants::plant;

double step_up(double t) {
  return t < 2 ? 100 : 700;
}

// A source, a farm of 10 ms an item (or as given), and a sink.
plan with_farm(plants::stage farm, std::function<double(double)> due) {
  plan p;
  if (farm.name.empty()) farm.name = "farm";
  farm.inputs = {0};
  p.stages = {{.name = "source", .seconds = 1e-5}, farm, {.name = "sink", .inputs = {1}, .seconds = 1e-5}};
  p.due = std::move(due);
  p.cores = 16;
  return p;
}

struct course {
  std::vector<std::vector<int>> replicas;  // of each window, after it, and each stage
  std::vector<std::uint64_t> changes;      // the windows after which something was changed
  std::vector<std::string> reasons;
  double done = 0;  // items a second that entered sinks, in the last 100 windows

  [[nodiscard]] int last(std::size_t stage) const { return replicas.back()[stage]; }
  [[nodiscard]] int most(std::size_t stage) const {
    int n = 0;
    for (const auto& r : replicas) n = std::max(n, r[stage]);
    return n;
  }
  [[nodiscard]] std::ptrdiff_t changes_after(std::uint64_t window) const {
    return std::ranges::count_if(changes, [=](auto w) { return w > window; });
  }
};

course run(const plan& p, int windows) {
  plant stream(p);
  const auto decide = ad::planner("thalweg").begin();
  course c;
  for (int k = 0; k < windows; ++k) {
    const auto& w = stream.next();
    const auto wanted = decide(w);
    if (stream.take(wanted) > 0) {
      c.changes.push_back(w.number);
      c.reasons.push_back(wanted.reason);
    }
    auto& row = c.replicas.emplace_back();
    for (std::size_t i = 0; i < p.stages.size(); ++i) row.push_back(stream.replicas(i));
    if (k >= windows - 100) c.done += stream.done() / 100;
    if (std::getenv("SHOW") != nullptr) {
      std::cout << w.number << " given " << stream.given() << " late " << stream.late();
      for (std::size_t i = 0; i < p.stages.size(); ++i)
        std::cout << " | " << w.stages[i].items() << " q" << w.stages[i].queued << " b"
                  << std::chrono::duration<double>(w.stages[i].busy).count() << " n" << row[i];
      std::cout << "  " << wanted.reason << "\n";
    }
  }
  return c;
}

// Starts with what it needs, so that only what is under test makes it change.
plan with_farm_of(int replicas, plants::stage farm, std::function<double(double)> due) {
  farm.replicas = replicas;
  return with_farm(std::move(farm), std::move(due));
}

auto steady(double rate) {
  return [=](double) { return rate; };
}

TEST(ThalwegPlanner, SettlesSoonAfterAStepOfTheLoadAndThenStays) {
  const auto c = run(with_farm({.seconds = 0.01, .most = 16}, step_up), 625);
  // The load needs 7 replicas, which would have nothing to spare: 8, and one more at most on the way.
  EXPECT_GE(c.last(1), 7);
  EXPECT_LE(c.most(1), 8);
  EXPECT_EQ(c.changes_after(25), 0);
  EXPECT_NEAR(c.done, 700, 1);
}

TEST(ThalwegPlanner, ShrinksSoonAfterTheLoadFellAndThenStays) {
  const auto c =
      run(with_farm_of(8, {.seconds = 0.01, .most = 16}, [](double t) { return t < 2 ? 700 : 150; }), 630);
  EXPECT_EQ(c.last(1), 2);
  EXPECT_EQ(c.changes_after(25), 0);
}

TEST(ThalwegPlanner, StaysAtRestThoughTimesVary) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto p = with_farm({.seconds = 0.01, .most = 16}, step_up);
    p.noise = 0.1;
    p.seed = seed;
    const auto c = run(p, 700);
    // None is the goal: where what is needed lies at the edge between two numbers, noise still moves it.
    EXPECT_LE(c.changes_after(100), 5) << seed;
    EXPECT_GE(c.last(1), 7) << seed;
    EXPECT_LE(c.last(1), 9) << seed;
  }
}

TEST(ThalwegPlanner, EndsWhereItBeganBehindALock) {
  const auto c =
      run(with_farm({.seconds = 0.01, .computing = 0.1, .serial = 1, .most = 16}, steady(400)), 600);
  EXPECT_EQ(c.last(1), 1);
  EXPECT_EQ(c.changes_after(120), 0);
  EXPECT_NEAR(c.done, 100, 2);
  EXPECT_THAT(c.reasons, testing::Contains(testing::HasSubstr("taken back")));
}

TEST(ThalwegPlanner, EndsWhereItBeganBeforeASlowStage) {
  for (const auto capacity : {std::size_t{0}, std::size_t{32}}) {
    auto p = with_farm({.seconds = 0.01, .capacity = capacity, .most = 16}, steady(400));
    p.stages[2].seconds = 1.0 / 90;  // the sink
    p.stages[2].capacity = capacity;
    const auto c = run(p, 600);
    EXPECT_LE(c.most(1), 2) << capacity;
    EXPECT_EQ(c.changes_after(120), 0) << capacity;
  }
}

TEST(ThalwegPlanner, EndsWhereItBeganBehindASlowStage) {
  auto p = with_farm({.seconds = 0.01, .capacity = 32, .most = 16}, steady(400));
  p.stages.insert(p.stages.begin() + 1, {.name = "slow", .inputs = {0}, .seconds = 1.0 / 90, .capacity = 32});
  p.stages[2].inputs = {1};
  p.stages[3].inputs = {2};
  const auto c = run(p, 600);
  EXPECT_LE(c.most(2), 2);
  EXPECT_EQ(c.changes_after(120), 0);
}

TEST(ThalwegPlanner, AFarmThatWaitsGrowsBeyondTheCores) {
  auto p = with_farm({.seconds = 0.01, .computing = 0.05, .most = 64}, steady(2000));
  p.cores = 2;
  const auto c = run(p, 600);
  EXPECT_GE(c.last(1), 20);
  EXPECT_LE(c.most(1), 23);
  EXPECT_NEAR(c.done, 2000, 2);
}

TEST(ThalwegPlanner, AFarmThatComputesNeverGrowsBeyondTheCores) {
  for (const bool paced : {true, false}) {
    auto p = with_farm({.seconds = 0.01, .capacity = 64, .most = 64}, {});
    if (paced) p.due = steady(2000);
    p.cores = 4;
    const auto c = run(p, 600);
    EXPECT_LE(c.most(1), 4) << paced;
    EXPECT_GE(c.last(1), 3) << paced;
    EXPECT_EQ(c.changes_after(400), 0) << paced;
  }
}

TEST(ThalwegPlanner, ALatencyGoalTakesMoreReplicasThanTheRate) {
  auto p = with_farm({.seconds = 0.01, .most = 32, .varies = 2}, steady(750));
  p.latencies = true;
  p.goal = tw::latency(0.99, std::chrono::milliseconds(16));
  const auto c = run(p, 600);
  EXPECT_GT(c.last(1), 9);
  EXPECT_LE(c.last(1), 16);
  EXPECT_EQ(c.changes_after(300), 0);
}

TEST(ThalwegPlanner, ALatencyThatNoReplicaShortensCostsNone) {
  auto p = with_farm({.seconds = 0.01, .most = 32}, steady(750));
  p.latencies = true;
  p.goal = tw::latency(0.99, std::chrono::milliseconds(5));
  const auto c = run(p, 600);
  EXPECT_LE(c.last(1), 10);
  EXPECT_EQ(c.changes_after(300), 0);
}

TEST(ThalwegPlanner, KeepsReplicasAtWorkForTheShareOfAGoal) {
  auto p = with_farm({.seconds = 0.01, .most = 32}, steady(500));
  p.goal = tw::utilisation(0.5);
  EXPECT_THAT(run(p, 600).last(1), testing::AllOf(testing::Ge(10), testing::Le(11)));
}

TEST(ThalwegPlanner, KeepsToItsBounds) {
  auto p = with_farm({.seconds = 0.01, .most = 32}, steady(1000));
  p.bounds.most_replicas = 5;
  EXPECT_EQ(run(p, 300).last(1), 5);
  p.bounds = {};
  p.bounds.most_processors = 3;
  EXPECT_LE(run(p, 300).most(1), 3);
  p.bounds = {};
  p.bounds.least_replicas = 4;
  p.due = steady(50);
  EXPECT_EQ(run(p, 300).last(1), 4);
}

TEST(ThalwegPlanner, SizesSeveralFarmsAtOnce) {
  auto p = with_farm({.seconds = 0.004, .most = 16}, step_up);
  p.stages.insert(p.stages.begin() + 2, {.name = "second", .inputs = {1}, .seconds = 0.008, .most = 16});
  p.stages[3].inputs = {2};
  const auto c = run(p, 625);
  EXPECT_EQ(c.last(1), 4);
  EXPECT_EQ(c.last(2), 7);
  EXPECT_EQ(c.changes_after(25), 0);
}

TEST(ThalwegPlanner, ClocksThatLieAreCorrectedByWhatIsSeen) {
  for (const auto lie : {0.5, 2.0}) {
    const auto c = run(with_farm({.seconds = 0.01, .most = 16, .busy_lie = lie}, step_up), 625);
    EXPECT_NEAR(c.last(1), 8, 1) << lie;
    EXPECT_NEAR(c.done, 700, 1) << lie;
  }
}

// A farm that always has items, and of which more than two replicas do no more: a lock.
ad::window behind_a_lock(std::uint64_t number, int replicas, std::chrono::milliseconds each) {
  constexpr std::chrono::milliseconds length{100};
  const auto items = static_cast<std::uint64_t>(std::min(replicas, 2) * (length / each));
  ad::stage_window source, farm, sink;
  source.name = "source";
  source.source = true;
  farm.name = "farm";
  farm.inputs = {0};
  farm.replicas = replicas;
  farm.most = 16;
  farm.busy = replicas * length;
  farm.cpu = std::min(replicas, 2) * length;
  farm.queued = farm.capacity = 64;
  sink.name = "sink";
  sink.sink = true;
  sink.inputs = {1};
  source.items_out = farm.items_in = farm.items_out = sink.items_in = items;
  source.busy = source.cpu = sink.busy = sink.cpu = std::chrono::microseconds(20 * items);
  ad::window w;
  w.number = number;
  w.at = number * length;
  w.length = length;
  w.cores = w.workers = 8;
  w.goal = tw::throughput();
  w.stages = {source, farm, sink};
  return w;
}

TEST(ThalwegPlanner, JudgesTheChangeThatItMakesWhenItemsBecameLonger) {
  using namespace std::chrono_literals;
  const auto decide = ad::planner("thalweg").begin();
  int replicas = 2, most = 2, least = 2;
  bool changed = false;
  for (std::uint64_t n = 1; n <= 300; ++n) {
    auto w = behind_a_lock(n, replicas, n > 60 ? 3ms : 1ms);
    w.changed = std::exchange(changed, false);
    for (const auto& r : decide(w).replicas) {
      replicas = r.replicas;
      changed = true;
    }
    if (n > 60) most = std::max(most, replicas), least = std::min(least, replicas);
  }
  EXPECT_LE(most, 3);
  EXPECT_EQ(least, 2) << "a useless growth that is not taken back makes it look for fewer";
  EXPECT_EQ(replicas, 2);
}

TEST(ThalwegPlanner, FollowsItemsThatBecomeLonger) {
  const auto cost = [](double t) { return t < 5 ? 1.0 : 2.0; };
  const auto c = run(with_farm_of(4, {.seconds = 0.01, .most = 16, .cost = cost}, steady(350)), 600);
  EXPECT_EQ(c.last(1), 8);
  EXPECT_EQ(c.changes_after(60), 0);
}

}  // namespace
