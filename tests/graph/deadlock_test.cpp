// Where nothing can ever move again, the run ends with an error that says who waits for what. (Full edges in
// front of stages that choose grow instead: walk_test.cpp.)
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"
#include "support/watchdog.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

/// Wants one of each input; but what it sends is all that could come back.
struct pairs : tw::stage {
  tw::in<int> fresh{this, "fresh"}, back{this, "back"};
  tw::out<int> again{this, "again"};
  void on_run() override {
    while (fresh.available() && back.available()) {
      (void)back.take();
      again.send(fresh.take());
    }
  }
};

template <class Source> void build(tw::graph& g, Source source) {
  auto& s = g.add<pairs>();
  g.configure(s, {.name = "pairs"});
  g.connect(g.add(tw::source(std::move(source))).out, s.fresh);
  g.connect(s.again, s.back);
}

class Deadlock : public under_every_policy {
  const watchdog::watch limited_{60s, [] { return std::string("a deadlock"); }};
};
FOR_EVERY_POLICY(Deadlock);

TEST_P(Deadlock, OfALoopThatWaitsForItselfIsAnError) {
  tw::graph g;
  build(g, std::vector{1, 2, 3});
  const auto [stage, replica, cause, what] = failure_of([&] { tw::run(g, policy()); });
  EXPECT_EQ(stage, "pairs");
  EXPECT_THAT(what, HasSubstr("'pairs' has items at 'fresh', but waits for items at 'back'"));
}

// The source has more, but no room for it.
TEST_P(Deadlock, OfALoopInFrontOfWhichAnEndlessSourceWaitsIsAnError) {
  tw::graph g;
  build(g, [n = 0]() mutable { return std::optional(n++); });
  const auto [stage, replica, cause, what] = failure_of([&] { tw::run(g, policy()); });
  EXPECT_EQ(stage, "pairs");
  EXPECT_THAT(what, HasSubstr("nothing can move any more"));
  EXPECT_THAT(what, HasSubstr("at 'fresh', but waits for items at 'back'"));
}

TEST_P(Deadlock, IsNoneWhileAFeedIsOpen) {
  std::vector<int> seen;
  tw::graph g;
  auto& m = g.add<tw::merge<int>>();
  g.connect(g.add(tw::source(std::vector{1})).out, m.input());
  auto feed = m.feed();
  g.connect(m.out, g.add(tw::sink(seen)).in);
  auto e = tw::launch(g, policy());
  std::this_thread::sleep_for(200ms);
  feed.send(2);
  feed.close();
  e.wait();
  EXPECT_THAT(seen, testing::UnorderedElementsAre(1, 2));
}

// A source that may still give: then somebody is told, once.
TEST_P(Deadlock, OfALoopWhileASourceIsAliveIsLoggedOnce) {
  if (one_thread() || GetParam() == "pool:1") GTEST_SKIP() << "its only thread waits in the source";
  std::mutex m;
  std::vector<std::string> lines;
  tw::observe::set_log_handler([&](tw::observe::severity, std::string_view, std::string_view line) {
    const std::lock_guard hold(m);
    lines.emplace_back(line);
  });
  std::atomic<bool> over{false};
  tw::graph g;
  build(g, [&, n = 0]() mutable -> std::optional<int> {
    if (n > 0) {
      while (!over) std::this_thread::sleep_for(1ms);
      return std::nullopt;
    }
    return ++n;
  });
  auto e = tw::launch(g, policy());
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard hold(m);
    return !lines.empty();
  }));
  std::this_thread::sleep_for(100ms);
  over = true;
  EXPECT_THAT(failure_of([&] { e.wait(); }).what, HasSubstr("nothing can move any more"));
  tw::observe::set_log_handler(nullptr);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines.front(), HasSubstr("'pairs' has items at 'fresh', but waits for items at 'back'"));
}

}  // namespace
