// Planners by name, their settings, and what all of them have in common.
#include <thalweg/adapt/planner.hpp>

#include <cmath>
#include <cstddef>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <adapt/made_windows.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;
using thalweg::adaptation::changes;
using thalweg::adaptation::planner;
using thalweg::adaptation::window;

std::string refused(const std::string& name) {
  try {
    const planner made(name);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(Planner, HasAName) {
  EXPECT_THAT(planner::names(),
              IsSupersetOf({"ds2", "teetime", "teetime-mean", "teetime-weighted", "mpr", "das"}));
  for (const auto& name : planner::names()) EXPECT_EQ(planner(name).name(), name);
  EXPECT_THAT(refused("ds3"), AllOf(HasSubstr("'ds3'"), HasSubstr("ds2 teetime")));
  EXPECT_THAT(refused(""), HasSubstr("there is no planner ''"));
}

TEST(Planner, MayBeElsewhere) {
  EXPECT_EQ(planner("external:tcp:127.0.0.1:0").name(), "external:tcp:127.0.0.1:0");
  auto decide = planner("external:tcp:127.0.0.1:0").begin();
  EXPECT_TRUE(decide({}).none());  // nobody has come
  EXPECT_THAT(refused("external"), HasSubstr("needs the address"));
  EXPECT_THAT(refused("external:"), HasSubstr("needs the address"));
  EXPECT_THAT(refused("external:here"), HasSubstr("'here' is no address for controllers"));
  EXPECT_THAT(refused("ds3"), HasSubstr("or external:ADDRESS"));
}

TEST(Planner, TakesSettings) {
  EXPECT_EQ(planner("teetime:boundary=0.1").name(), "teetime:boundary=0.1");
  // MPR with a goal: 450 of 1000 is below a half.
  auto decide = planner("mpr:goal=1000,period=0.5").begin();
  made::plant run{.can = [](int n) { return 450.0 * n; }, .length = 0.5};
  EXPECT_EQ(made::asked(decide(run.next()), "work"), 5);
}

TEST(Planner, RefusesWrongSettings) {
  EXPECT_THAT(refused("teetime:"), HasSubstr("planner 'teetime': '' is not name=value"));
  EXPECT_THAT(refused("teetime:boundary"), HasSubstr("'boundary' is not name=value"));
  EXPECT_THAT(refused("teetime:history=3,"), HasSubstr("'' is not name=value"));
  EXPECT_THAT(refused("teetime:bound=1"),
              HasSubstr("it has no setting 'bound': there are period boundary history literal"));
  EXPECT_THAT(refused("teetime:boundary=1,boundary=2"), HasSubstr("boundary is given twice"));
  for (const auto* const value : {"much", "", "-1", "101", "nan", "inf", "1e999", "1 ", "0x1"}) {
    EXPECT_THAT(refused(std::string("teetime:boundary=") + value),
                HasSubstr(std::string("'boundary=") + value + "': it must be a number from 0 to 100"));
  }
  EXPECT_THAT(refused("ds2:warm_up=1.5"), HasSubstr("it must be a whole number from 0 to 1000"));
  EXPECT_THAT(refused("mpr:goal=1e13"), HasSubstr("from 0 to 1000000000000"));
}

TEST(Planner, EachRunHasItsOwn) {
  const planner shared("teetime");
  auto one = shared.begin();
  auto other = shared.begin();
  made::plant run{.can = [](int) { return 100.0; }, .length = 0.1};
  EXPECT_FALSE(one(run.next()).none());  // no past yet
  EXPECT_FALSE(other(run.next()).none());
}

// Limits that set_batch takes, and replicas that set_replicas takes, each farm once.
void expect_possible(const changes& c, const window& w) {
  std::set<std::string> named;
  for (const auto& r : c.replicas) {
    const auto* const s = w.find(r.stage);
    ASSERT_NE(s, nullptr) << r.stage;
    EXPECT_TRUE(s->farm()) << r.stage;
    EXPECT_GE(r.replicas, s->least) << r.stage;
    EXPECT_LE(r.replicas, s->most) << r.stage;
    EXPECT_TRUE(named.insert(r.stage).second) << r.stage << " twice";
  }
  for (const auto& b : c.batches) {
    const auto* const s = w.find(b.stage);
    ASSERT_NE(s, nullptr) << b.stage;
    ASSERT_TRUE(s->batch) << b.stage;
    EXPECT_EQ(b.limits.interval.count() > 0, s->batch->interval.count() > 0) << b.stage;
    EXPECT_EQ(b.limits.items > 0, s->batch->items > 0) << b.stage;
    EXPECT_EQ(b.limits.bytes, s->batch->bytes) << b.stage;
  }
  EXPECT_TRUE(std::isfinite(c.predicted));
  EXPECT_EQ(c.reason.empty(), c.none());
  EXPECT_THAT(c.reason, Not(AnyOf(HasSubstr("nan"), HasSubstr("inf"))));
}

// All planners, and some with settings that leave little to wait for.
std::vector<std::string> quick_planners() {
  return {"mpr:period=0.001", "mpr:period=0.001,goal=3000",   "ds2:period=0.001,activation=1,warm_up=0",
          "teetime",          "teetime:literal=1,boundary=0", "teetime-mean:history=1",
          "teetime-weighted", "das:batches=1,band=0",         "das:batches=1,line=0"};
}

TEST(Planner, CopesWithWindowsThatSayNothing) {
  window no_time;
  no_time.stages = {made::source(10), made::farm("work", {0}, 10, 10, 1e-3, 1), made::sink(1, 10, 1e-3)};
  window idle = no_time;
  idle.length = made::seconds(1);
  idle.stages = {made::source(0, 0.0), made::farm("work", {0}, 0, 0, 0, 1), made::sink(1, 0, 0)};
  window serial = idle;
  serial.stages = {made::source(10, 10.0), made::stage("work", {0}, 10, 10, 1e-3), made::sink(1, 10, 1e-3)};
  window backwards = idle;  // a clock that was set back
  backwards.length = made::seconds(-1);
  for (const auto& name : quick_planners()) {
    SCOPED_TRACE(name);
    for (const auto& w : {window(), no_time, serial, backwards}) {
      auto decide = planner(name).begin();
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(decide(w).none());
    }
    auto decide = planner(name).begin();
    for (int i = 0; i < 5; ++i) expect_possible(decide(idle), idle);
  }
}

window random_window(std::mt19937& random, double at) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  window w;
  w.length = made::seconds(below(10) == 0 ? 0 : 0.001 * (1 + below(1000)));
  w.at = made::seconds(at);
  w.cores = 1 + below(8);
  w.changed = below(5) == 0;
  const auto count = [&] { return static_cast<double>(below(3) == 0 ? 0 : below(10'000)); };
  const auto cost = [&] { return below(4) == 0 ? 0 : 1e-6 * below(1000); };
  w.stages.push_back(made::source(count(), below(2) == 0 ? std::optional(count()) : std::nullopt));
  for (std::size_t i = 1; i < 7; ++i) {
    auto s =
        made::farm(std::string(1, static_cast<char>('a' + i)), {}, count(), count(), cost(), 1 + below(8), 8);
    for (int edges = 1 + below(2); edges > 0; --edges) {
      // Also circles.
      s.inputs.push_back(static_cast<std::size_t>(below(static_cast<int>(below(8) == 0 ? 7 : i))));
    }
    s.cpu = s.busy / (1 + below(4));
    if (below(3) == 0) s.replicas = s.most = 1;
    if (below(3) == 0)
      s.batch = {.items = below(2) * 100, .bytes = 1 << 20, .interval = made::seconds(0.01 * below(3))};
    w.stages.push_back(s);
  }
  w.stages.push_back(made::sink(6, count(), cost()));
  return w;
}

TEST(Planner, AsksForWhatIsPossible) {
  for (const auto& name : quick_planners()) {
    SCOPED_TRACE(name);
    std::mt19937 random(1);
    auto decide = planner(name).begin();
    int asked = 0;
    for (int i = 0; i < 500 && !HasFailure(); ++i) {
      const auto w = random_window(random, 0.1 * i);
      const auto c = decide(w);
      asked += c.none() ? 0 : 1;
      // Numbers of replicas jump here, so what an earlier window of the period had is not asked about.
      expect_possible(c, w);
    }
    EXPECT_GT(asked, 5);
  }
}

}  // namespace
