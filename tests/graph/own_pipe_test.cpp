// Pipes of the user's own: what they drop, hold back and throw, and factories that give none.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace graphs;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class OwnPipes : public under_every_policy {};
FOR_EVERY_POLICY(OwnPipes);

// Keeps only what came last.
struct latest : tw::own_pipe<int> {
  std::mutex m;
  std::optional<int> last;
  bool try_push(int& x) override {
    const std::lock_guard hold(m);
    last = x;
    return true;
  }
  std::optional<int> try_pop() override {
    const std::lock_guard hold(m);
    return std::exchange(last, std::nullopt);
  }
};

TEST_P(OwnPipes, MayDropItemsWhichAreCounted) {
  std::vector<int> seen;
  tw::graph g;
  g.connect(g.add(tw::source(std::views::iota(0, 2'000))).out, g.add(tw::sink(seen, {.name = "keep"})).in,
            {.pipe = tw::made_by<int>([] { return std::make_unique<latest>(); })});
  const auto r = tw::run(g, policy());
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), 1'999);
  EXPECT_EQ(r.stage("keep").dropped() + seen.size(), 2'000U);
}

// Nothing comes out of it at all.
TEST_P(OwnPipes, MayDropAll) {
  struct hole : tw::own_pipe<int> {
    bool try_push(int&) override { return true; }
    std::optional<int> try_pop() override { return {}; }
  };
  int seen = 0;
  tw::graph g;
  auto& s = g.add<splitter>();
  g.connect(g.add(tw::source(std::views::iota(0, 100))).out, s.numbers);
  auto& k = g.configure(g.add<collector>(), {.name = "nothing"});
  g.connect(s.even, k.in, {.pipe = tw::made_by<int>([] { return std::make_unique<hole>(); })});
  g.connect(s.odd, g.add(tw::sink([&](int) { ++seen; })).in);
  const auto r = tw::run(g, policy());
  EXPECT_TRUE(k.seen.empty());
  EXPECT_EQ(r.stage("nothing").dropped(), 50U);
  EXPECT_EQ(seen, 50);
}

// Gives an item only every third time it is asked, so it is asked again and again.
TEST_P(OwnPipes, MayHoldItemsBack) {
  struct slow : tw::own_pipe<int> {
    std::mutex m;
    std::deque<int> items;
    int asked = 0;
    bool try_push(int& x) override {
      const std::lock_guard hold(m);
      items.push_back(x);
      return true;
    }
    std::optional<int> try_pop() override {
      const std::lock_guard hold(m);
      if (items.empty() || ++asked % 3 != 0) return {};
      const int x = items.front();
      items.pop_front();
      return x;
    }
    bool holds_back() override {
      const std::lock_guard hold(m);
      return !items.empty();
    }
  };
  std::vector<int> seen;
  tw::graph g;
  g.connect(g.add(tw::source(std::views::iota(0, 500))).out, g.add(tw::sink(seen)).in,
            {.pipe = tw::made_by<int>([] { return std::make_unique<slow>(); })});
  EXPECT_EQ(tw::run(g, policy()).dropped(), 0U);
  ASSERT_EQ(seen.size(), 500U);
  EXPECT_EQ(seen.back(), 499);
}

// What is dropped in a loop is not in the loop any more: it ends.
TEST_P(OwnPipes, ThatDropInALoopLetItEnd) {
  std::atomic<int> done = 0;
  const tw::connect_options ways[] = {
      {.pipe = tw::made_by<int>([] { return std::make_unique<latest>(); })},
      {.capacity = 1, .when_full = tw::drop_new},
      {.capacity = 1, .when_full = tw::drop_old},
  };
  for (const auto& way : ways) {
    tw::graph g;
    auto& h = g.add<halver>();
    g.connect(g.add(tw::source(std::views::iota(1, 1'000))).out, h.fresh);
    g.connect(h.again, h.back, way);
    done = 0;
    g.connect(h.done, g.add(tw::sink([&](int) { ++done; })).in);
    const auto r = tw::run(g, policy());
    EXPECT_EQ(static_cast<std::uint64_t>(done) + r.dropped(), 999U);
  }
}

struct broken : tw::own_pipe<int> {
  const bool pushing;
  int n = 0;
  explicit broken(bool p) : pushing(p) {}
  bool try_push(int&) override { return pushing ? throw std::domain_error("no way in") : true; }
  std::optional<int> try_pop() override { throw std::domain_error("no way out"); }
};

TEST_P(OwnPipes, WhatTheyThrowNamesTheStageAndTheConnection) {
  for (const bool pushing : {true, false}) {
    tw::graph g;
    auto& c = g.configure(g.add<counter>(100), {.name = "numbers"});
    auto& k = g.configure(g.add<collector>(), {.name = "keep"});
    g.connect(c.out, k.in, {.pipe = tw::made_by<int>([&] { return std::make_unique<broken>(pushing); })});
    const auto found = failure_of([&] { tw::run(g, policy()); });
    EXPECT_EQ(found.stage, pushing ? "numbers" : "keep");
    EXPECT_EQ(found.cause, pushing ? "no way in" : "no way out");
    EXPECT_THAT(found.what, AllOf(HasSubstr("'numbers.out'"), HasSubstr("'keep.in'")));
  }
}

TEST_P(OwnPipes, OfLinesThrowWithTheNamesOfTheirStages) {
  tw::graph g;
  g.connect(g.add(tw::source(std::vector{1, 2}, {.name = "two"})).out,
            g.add(tw::sink([](int) {}, {.name = "none"})).in,
            {.pipe = tw::made_by<int>([] { return std::make_unique<broken>(true); })});
  const auto found = failure_of([&] { tw::run(g, policy()); });
  EXPECT_EQ(found.stage, "two");
  EXPECT_THAT(found.what, AllOf(HasSubstr("'two.out'"), HasSubstr("'none.in'")));
}

TEST_P(OwnPipes, AFactoryThatGivesNoneNamesTheConnection) {
  tw::graph g;
  auto& c = g.configure(g.add<counter>(100), {.name = "numbers"});
  auto& k = g.configure(g.add<collector>(), {.name = "keep"});
  g.connect(c.out, k.in, {.pipe = tw::made_by<int>([] { return std::unique_ptr<tw::own_pipe<int>>(); })});
  EXPECT_THAT(problems_of([&] { tw::run(g, policy()); }),
              ElementsAre(AllOf(HasSubstr("'numbers.out'"), HasSubstr("'keep.in'"), HasSubstr("null"))));
  EXPECT_THAT(problems_of([&] { tw::run(g, policy()); }), testing::SizeIs(1)) << "it is at rest again";
}

TEST_P(OwnPipes, AFactoryThatThrowsNamesTheConnection) {
  tw::graph g;
  auto& c = g.configure(g.add<counter>(100), {.name = "numbers"});
  auto& k = g.configure(g.add<collector>(), {.name = "keep"});
  g.connect(
      c.out, k.in,
      {.pipe = tw::made_by<int>([]() -> std::unique_ptr<latest> { throw std::domain_error("none left"); })});
  const auto found = failure_of([&] { tw::run(g, policy()); });
  EXPECT_EQ(found.stage, "numbers");
  EXPECT_EQ(found.cause, "none left");
  EXPECT_THAT(found.what, AllOf(HasSubstr("'numbers.out'"), HasSubstr("'keep.in'")));
}

}  // namespace
