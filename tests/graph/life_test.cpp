#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using namespace graphs;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

class Life : public under_every_policy {};
FOR_EVERY_POLICY(Life);

// --- hooks and ends ---

struct watched : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  std::string calls;
  void on_start() override { calls = "start "; }
  void on_item(tw::in<int>&, int x) {
    if (x == 0) calls += "first ";
    if (x == 999) calls += "last ";
    out.send(x);
  }
  void on_end() override {
    calls += "end";
    out.send(-1);
  }
};

TEST_P(Life, AGraphRunsAgainWhileItsLastExecutionIsHeld) {
  int n = 0;
  tw::graph g;
  auto& split = g.add<splitter>();
  g.connect(g.add(tw::source(std::views::iota(0, 10))).out, split.numbers);
  g.connect(split.even, g.add(tw::sink([&](int) { ++n; })).in);
  g.connect(split.odd, g.add(tw::sink([](int) {})).in);
  auto first = tw::launch(g, policy());
  first.wait();
  auto second = tw::launch(g, policy());
  second.wait();
  EXPECT_EQ(n, 10);
  EXPECT_EQ(first.wait().items(), 10U);
}

TEST_P(Life, HooksAreCalledOnceBeforeTheFirstAndBehindTheLastItem) {
  tw::graph g;
  auto& c = g.add<counter>(1'000);
  auto& a = g.add<watched>();
  auto& b = g.add<watched>();
  auto& k = g.add<collector>();
  g.connect(c.out, a.in);
  g.connect(a.out, b.in);
  g.connect(b.out, k.in);
  for (int i = 0; i < 2; ++i) {
    tw::run(g, policy());
    EXPECT_EQ(a.calls, "start first last end");
    EXPECT_EQ(b.calls, "start first last end");
    ASSERT_THAT(k.seen, SizeIs(1'002));
    EXPECT_EQ(k.seen[1'000], -1);
    EXPECT_EQ(k.seen[1'001], -1);
  }
}

TEST_P(Life, HooksAreCalledWithoutItems) {
  tw::graph g;
  auto& c = g.add<counter>(0);
  auto& a = g.add<watched>();
  auto& k = g.add<collector>();
  g.connect(c.out, a.in);
  g.connect(a.out, k.in);
  tw::run(g, policy());
  EXPECT_EQ(a.calls, "start end");
  EXPECT_THAT(k.seen, ElementsAre(-1));
}

TEST_P(Life, AStageThatEndsEarlyNeitherHoldsUpItsSendersNorSeesTheRest) {
  struct first_ten : tw::stage {
    tw::in<int> in{this, "in"};
    tw::out<int> out{this, "out"};
    int n = 0;
    int ends = 0;
    void on_start() override { n = ends = 0; }
    void on_item(tw::in<int>&, int x) {
      if (n == 10) return;  // of the run of items in hand
      out.send(x);
      if (++n == 10) end();
    }
    void on_end() override { ++ends; }
  };
  tw::graph g;
  auto& c = g.add<counter>(100'000);
  auto& f = g.add<first_ten>();
  auto& k = g.add<collector>();
  g.connect(c.out, f.in, {.capacity = 4});
  g.connect(f.out, k.in);
  tw::run(g, policy());
  EXPECT_THAT(k.seen, SizeIs(10));
  EXPECT_EQ(f.ends, 1);
  EXPECT_EQ(c.n, 100'000) << "the source has sent all";
}

TEST_P(Life, WhatComesToAStageThatHasEndedDoesNotStopTheOtherBranch) {
  tw::graph g;
  auto& c = g.add<counter>(50'000);
  auto& t = g.add<tw::tee<int>>();
  auto& add = g.add<adder>();
  auto& k = g.add<collector>();
  auto& sums = g.add<collector>();
  auto& few = g.add<counter>(10);
  g.connect(c.out, t.in);
  g.connect(t.branch(), k.in);
  g.connect(t.branch(), add.a, {.capacity = 2});
  g.connect(few.out, add.b);
  g.connect(add.sum, sums.in);
  tw::run(g, policy());
  EXPECT_THAT(k.seen, SizeIs(50'000));
  EXPECT_THAT(sums.seen, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18));
}

// --- stop, cancel, pause ---

struct ticking : tw::stage {
  tw::out<int> out{this, "out"};
  std::atomic<int> n = 0;
  void on_run() override { out.send(n++); }
};

TEST_P(Life, StopEndsSourcesAndDrainsTheRest) {
  tw::graph g;
  auto& a = g.add<ticking>();
  auto& b = g.add<ticking>();
  auto& k = g.add<collector>();
  auto& l = g.add<collector>();
  g.connect(a.out, k.in);
  g.connect(b.out, l.in);
  auto e = tw::launch(g, policy());
  EXPECT_TRUE(eventually([&] { return a.n > 1'000 && b.n > 1'000; }));
  e.stop();
  e.wait();
  EXPECT_EQ(k.seen.size(), static_cast<std::size_t>(a.n));
  EXPECT_EQ(l.seen.size(), static_cast<std::size_t>(b.n));
}

// One call of it would never end by itself.
TEST_P(Life, StopEndsASourceThatSendsInALoop) {
  struct endless final : tw::stage {
    tw::out<int> out{this, "out"};
    std::atomic<int> sent{0};
    void on_run() override {
      for (;;) out.send(sent++);
    }
  };
  tw::graph g;
  auto& a = g.add<endless>();
  auto& k = g.add<collector>();
  g.connect(a.out, k.in);
  auto e = tw::launch(g, policy());
  EXPECT_TRUE(eventually([&] { return a.sent > 1'000; }));
  e.pause();
  std::this_thread::sleep_for(10ms);
  e.resume();
  const int before = a.sent;
  EXPECT_TRUE(eventually([&] { return a.sent > before + 1'000; }));
  e.stop();
  e.wait();
  EXPECT_EQ(k.seen.size(), static_cast<std::size_t>(a.sent));
}

// It is asked again and again, but not all the time.
TEST_P(Life, ASourceThatHasNothingToSendLeavesTheProcessorToOthers) {
  struct quiet final : tw::stage {
    tw::out<int> out{this, "out"};
    std::atomic<long> calls{0};
    std::atomic<bool> some{false};
    void on_run() override {
      ++calls;
      if (!some) return;
      out.send(1);
      end();
    }
  };
  tw::graph g;
  auto& a = g.add<quiet>();
  auto& k = g.add<collector>();
  g.connect(a.out, k.in);
  const auto begin = std::chrono::steady_clock::now();
  auto e = tw::launch(g, policy());
  EXPECT_TRUE(eventually([&] { return a.calls > 30; }));
  const long calls = a.calls;
  const std::chrono::duration<double, std::milli> lasted = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(calls, 10 + static_cast<long>(lasted.count()));
  a.some = true;
  e.wait();
  EXPECT_EQ(k.seen.size(), 1U);
}

TEST_P(Life, CancelEndsAtOnceAlsoWhereASenderWaitsForRoom) {
  tw::graph g;
  auto& a = g.add<ticking>();
  std::atomic<bool> waiting = false;
  g.connect(a.out, g.add(tw::sink([&](int, std::stop_token t) {
                      waiting = true;
                      while (!t.stop_requested()) std::this_thread::sleep_for(100us);
                    })).in,
            {.capacity = 3});
  auto e = tw::launch(g, policy());
  EXPECT_TRUE(eventually([&] { return waiting.load(); }));
  e.cancel();
  e.wait();
}

TEST_P(Life, NothingIsSentWhilePausedAndNothingIsLost) {
  tw::graph g;
  auto& a = g.add<ticking>();
  auto& k = g.add<collector>();
  g.connect(a.out, k.in);
  auto e = tw::launch(g, policy());
  EXPECT_TRUE(eventually([&] { return a.n > 100; }));
  e.pause();
  int before = -1;
  EXPECT_TRUE(eventually([&] {
    const int now = a.n;
    std::this_thread::sleep_for(5ms);
    return std::exchange(before, now) == now;
  }));
  e.resume();
  EXPECT_TRUE(eventually([&] { return a.n > before + 100; }));
  e.stop();
  EXPECT_GE(e.wait().paused(), 1ms);
  std::vector<int> all(static_cast<std::size_t>(a.n));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(k.seen, all);
}

// What is on its way while the source is held goes through, also where an edge has to grow for that: on one
// thread it is executed in the middle of the source's call.
TEST_P(Life, WhatIsOnItsWayDuringAPauseFindsRoom) {
  struct sides : tw::stage {
    tw::in<int> in{this, "in"};
    tw::out<int> left{this, "left"}, right{this, "right"};
    void on_item(tw::in<int>&, int x) {
      for (int i = 0; i < 100; ++i) left.send(x);
      right.send(x);
    }
  };
  struct right_first : tw::stage {
    tw::in<int> left{this, "left"}, right{this, "right"};
    int from_left = 0, from_right = 0;
    void on_run() override {
      while (right.available()) (void)right.take(), ++from_right;
      while (right.ended() && left.available()) (void)left.take(), ++from_left;
      if (right.ended() && left.ended()) end();
    }
  };
  tw::graph g;
  std::atomic<tw::execution*> run = nullptr;
  auto& s = g.add<sides>();
  auto& r = g.add<right_first>();
  g.connect(g.add(tw::source([&run](tw::emitter<int>& out) {
               for (int i = 0; i < 50; ++i) {
                 if (i == 20) {
                   while (run == nullptr) std::this_thread::yield();
                   run.load()->pause();
                 }
                 out(i);
               }
             })).out,
            s.in);
  g.connect(s.left, r.left, {.capacity = 8});
  g.connect(s.right, r.right, {.capacity = 8});
  auto e = tw::launch(g, policy());
  run = &e;
  std::this_thread::sleep_for(50ms);
  e.resume();
  e.wait();
  EXPECT_EQ(r.from_left, 5'000);
  EXPECT_EQ(r.from_right, 50);
}

// --- loops ---

TEST_P(Life, ALoopEndsByItself) {
  std::vector<int> seen;
  tw::graph g;
  auto& h = g.add<halver>();
  g.connect(g.add(tw::source(std::views::iota(0, 20'000))).out, h.fresh);
  g.connect(h.again, h.back);
  g.connect(h.done, g.add(tw::sink(seen)).in);
  for (int round = 0; round < 3; ++round) {
    seen.clear();
    tw::run(g, policy());
    std::vector<int> expected;
    for (int x = 0; x < 20'000; ++x) {
      int y = x;
      while (y % 2 == 0 && y > 0) y /= 2;
      expected.push_back(y);
    }
    std::ranges::sort(expected);
    std::ranges::sort(seen);
    ASSERT_EQ(seen, expected);
  }
}

TEST_P(Life, ALoopWithNothingInItEnds) {
  std::vector<int> seen;
  tw::graph g;
  auto& h = g.add<halver>();
  g.connect(g.add(tw::source(std::vector<int>{})).out, h.fresh);
  g.connect(h.again, h.back);
  g.connect(h.done, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  EXPECT_THAT(seen, SizeIs(0));
}

TEST_P(Life, AFarmInALoopAndTwoLoopsInARow) {
  std::vector<int> seen;
  tw::graph g;
  auto& h = g.add<halver>();
  auto& i = g.add<halver>();
  auto work = g.add(tw::farm([](int x) { return x; }, {.replicas = 3}));
  g.connect(g.add(tw::source(std::views::iota(1, 3'001))).out, h.fresh);
  g.connect(h.again, work.in);
  g.connect(work.out, h.back);
  g.connect(h.done, g.add(tw::map([](int x) { return 4 * x; }, {.name = "back"})).in);
  g.connect("back.out", i.name() + ".fresh");
  g.connect(i.again, i.back);
  g.connect(i.done, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  ASSERT_THAT(seen, SizeIs(3'000));
  EXPECT_TRUE(std::ranges::all_of(seen, [](int x) { return x % 2 == 1; }));
  std::int64_t sum = std::accumulate(seen.begin(), seen.end(), std::int64_t{0});
  std::int64_t expected = 0;
  for (int x = 1; x <= 3'000; ++x) {
    int y = x;
    while (y % 2 == 0) y /= 2;
    expected += y;
  }
  EXPECT_EQ(sum, expected);
}

// Sends back two for each one.
struct doubling : tw::stage {
  tw::in<int> fresh{this, "fresh"}, back{this, "back"};
  tw::out<int> again{this, "again"}, done{this, "done", tw::optional_port};
  void on_item(tw::in<int>&, int x) {
    again.send(x);
    again.send(x);
  }
};

TEST_P(Life, ALoopThatGrowsWithoutEndIsAnError) {
  tw::graph g;
  auto& d = g.configure(g.add<doubling>(), {.name = "rabbits"});
  g.connect(g.add(tw::source(std::vector{1})).out, d.fresh);
  g.connect(d.again, d.back, {.loop_limit = 5'000});
  try {
    tw::run(g, policy());
    FAIL() << "it ended";
  } catch (const tw::loop_overflow& e) {
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("rabbits"), HasSubstr("5000")));
  }
}

TEST_P(Life, AnErrorInALoopComesOut) {
  tw::graph g;
  std::vector<int> seen;
  auto& h = g.add<halver>();
  auto check =
      g.add(tw::map([](int x) { return x == 3 ? throw std::runtime_error("three") : x; }, {.name = "check"}));
  g.connect(g.add(tw::source(std::views::iota(1, 100))).out, h.fresh);
  g.connect(h.again, check.in);
  g.connect(check.out, h.back);
  g.connect(h.done, g.add(tw::sink(seen)).in);
  const auto found = failure_of([&] { tw::run(g, policy()); });
  EXPECT_EQ(found.stage, "check");
  EXPECT_EQ(found.cause, "three");
}

TEST_P(Life, EndHooksInALoopMaySendOutOfIt) {
  struct loop_stage : tw::stage {
    tw::in<int> fresh{this, "fresh"}, back{this, "back"};
    tw::out<int> again{this, "again"}, done{this, "done"};
    int n = 0;
    void on_start() override { n = 0; }
    void on_item(tw::in<int>&, int x) {
      ++n;
      x % 2 == 0 ? again.send(x / 2) : done.send(x);
    }
    void on_end() override { done.send(-n); }
  };
  std::vector<int> seen;
  tw::graph g;
  auto& h = g.add<loop_stage>();
  g.connect(g.add(tw::source(std::vector{8, 3})).out, h.fresh);
  g.connect(h.again, h.back);
  g.connect(h.done, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_EQ(seen.back(), -5);
}

TEST_P(Life, StopAndCancelEndLoops) {
  for (const bool cancel : {false, true}) {
    tw::graph g;
    std::atomic<int> done = 0;
    auto& h = g.add<halver>();
    g.connect(g.add(endless()).out, h.fresh);
    g.connect(h.again, h.back);
    g.connect(h.done, g.add(tw::sink([&](int) { ++done; })).in);
    auto e = tw::launch(g, policy());
    EXPECT_TRUE(eventually([&] { return done > 1'000; }));
    cancel ? e.cancel() : e.stop();
    e.wait();
  }
}

TEST(LifeUnderSequential, ReplicasCannotChange) {
  int left = 1'000;
  tw::graph g;
  auto forward = g.add(tw::farm([](int x) { return x; }, {.replicas = 2, .name = "f"}));
  g.connect(g.add(tw::source([&]() -> std::optional<int> {
               return left-- > 0 ? std::optional(left) : std::nullopt;
             })).out,
            forward.in, {.capacity = 4});
  g.connect(forward.out, g.add(tw::sink([](int) {})).in);
  auto e = tw::launch(g, tw::sequential{});
  EXPECT_THROW(e.set_replicas("f", 3), tw::error);
  e.wait();
}

}  // namespace
