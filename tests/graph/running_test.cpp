// What may be done to a graph, and to its stages, while it runs: next to nothing, and it says so.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace graphs;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class Running : public under_every_policy {};
FOR_EVERY_POLICY(Running);

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const tw::error& e) {
    return e.what();
  }
  return "";
}

struct giver : tw::stage {
  tw::out<int> out{this, "out"};
  void on_run() override { out.send(1); }
};

struct endless_graph {
  tw::graph g;
  giver& a;
  tw::split<int>& s;
  tw::merge<int>& m;
  std::atomic<long> seen{0};
  endless_graph()
      : a(g.configure(g.add<giver>(), {.name = "giver"})),
        s(g.add<tw::split<int>>()),
        m(g.add<tw::merge<int>>()) {
    g.connect(a.out, s.in);
    g.connect(s.branch(), m.input());
    g.connect(m.out, g.add(tw::sink([&](int) { ++seen; })).in);
  }
};

TEST_P(Running, NothingIsAddedConnectedOrConfigured) {
  endless_graph all;
  auto& g = all.g;
  auto line = g.add(tw::map([](int x) { return x; }));
  g.connect(g.add(tw::source(std::vector{1})).out, line.in);
  g.connect(line.out, g.add(tw::sink([](int) {})).in);
  auto e = tw::launch(g, policy());
  EXPECT_TRUE(one_thread() || eventually([&] { return all.seen > 1'000; }));
  const auto refused = AllOf(HasSubstr("while it runs"), HasSubstr("wait()"), HasSubstr("tap()"));
  EXPECT_THAT(error_of([&] { g.add<giver>(); }), refused);
  EXPECT_THAT(error_of([&] { g.add(std::make_unique<collector>()); }), refused);
  EXPECT_THAT(error_of([&] { g.add(tw::sink([](int) {})); }), refused);
  EXPECT_THAT(error_of([&] { g.configure(all.a, {.name = "other"}); }), refused);
  EXPECT_THAT(error_of([&] { g.connect(all.a.out, line.in); }), refused);
  EXPECT_THAT(error_of([&] { g.connect("giver.out", "split-1.in"); }), refused);
  EXPECT_THAT(error_of([&] { (void)all.s.branch(); }), AllOf(HasSubstr("'branch-1'"), HasSubstr("tap()")));
  EXPECT_THAT(error_of([&] { (void)all.m.input(); }), AllOf(HasSubstr("'merge-2'"), HasSubstr("feed()")));
  EXPECT_EQ(g.size(), 7U);
  EXPECT_EQ(all.a.name(), "giver");
  e.stop();
  e.wait();
  EXPECT_NO_THROW(g.configure(all.a, {.name = "other"})) << "it is over";
  EXPECT_NO_THROW((void)all.s.branch());
  EXPECT_EQ(all.s.branches(), 2U);
}

TEST_P(Running, NobodyElseSendsOrTakes) {
  struct taker : tw::stage {
    tw::in<int> in{this, "in"};
    std::atomic<long> n{0};
    void on_run() override {
      for (; in.available(); ++n) in.take();
    }
  };
  tw::graph g;
  auto& a = g.configure(g.add<giver>(), {.name = "giver"});
  auto& t = g.configure(g.add<taker>(), {.name = "taker"});
  g.connect(a.out, t.in);
  auto e = tw::launch(g, policy());
  EXPECT_TRUE(one_thread() || eventually([&] { return t.n > 1'000; }));
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(error_of([&] { a.out.send(3); }),
                AllOf(HasSubstr("'out'"), HasSubstr("'giver'"), HasSubstr("feed()")));
    EXPECT_THAT(error_of([&] { t.in.take(); }), AllOf(HasSubstr("'in'"), HasSubstr("'taker'")));
  }
  e.stop();
  e.wait();
  EXPECT_THAT(error_of([&] { a.out.send(3); }), HasSubstr("'giver'"));
}

TEST_P(Running, AGraphThatGoesAwayCancelsItsRunAndWaits) {
  auto calls = std::make_shared<std::atomic<long>>(0);
  auto e = [&] {
    endless_graph all;
    auto& more = all.g.add<giver>();
    all.g.connect(more.out, all.g.add(tw::sink([calls](int) { ++*calls; })).in);
    auto made = tw::launch(all.g, policy());
    EXPECT_TRUE(one_thread() || eventually([&] { return *calls > 100; }));
    return made;
  }();
  EXPECT_TRUE(e.done());
  const long before = *calls;
  e.stop();
  (void)e.stats();
  EXPECT_FALSE(e.wait().policy().empty());
  EXPECT_EQ(*calls, before) << "nothing is called any more";
}

TEST_P(Running, AGraphThatIsAssignedToCancelsItsRun) {
  tw::graph g;
  auto& a = g.add<giver>();
  g.connect(a.out, g.add(tw::sink([](int) {})).in);
  auto e = tw::launch(g, policy());
  g = tw::graph();
  EXPECT_TRUE(e.done());
  EXPECT_EQ(g.size(), 0U);
}

TEST_P(Running, AGraphThatIsMovedGoesOn) {
  std::atomic<long> seen = 0;
  tw::graph g;
  auto numbers = g.add(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }));
  g.connect(numbers.out, g.add(tw::sink([&](int) { ++seen; })).in);
  auto e = tw::launch(g, policy());
  tw::graph h = std::move(g);
  const long before = seen;
  EXPECT_TRUE(one_thread() || eventually([&] { return seen > before + 1'000; }));
  EXPECT_FALSE(e.done() && !one_thread());
  EXPECT_THAT(error_of([&] { h.add<giver>(); }), HasSubstr("while it runs"));
  e.stop();
  e.wait();
  // The handles of before are those of the graph that it has become.
  tw::graph other;
  EXPECT_EQ(h.size(), 2U);
  EXPECT_THAT(error_of([&] { g.add<giver>(); }), HasSubstr("moved from"));  // NOLINT(bugprone-use-after-move)
}

TEST(RunningGraphs, ThatCouldNotRunAreAtRest) {
  tw::graph g;
  auto& a = g.add<giver>();
  EXPECT_FALSE(problems_of([&] { tw::run(g); }).empty());
  auto& k = g.add<collector>();
  g.connect(a.out, k.in);
  auto e = tw::launch(g);
  e.stop();
  e.wait();
}

}  // namespace
