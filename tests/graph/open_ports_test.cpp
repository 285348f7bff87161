// Ports that are opened and closed while a graph runs: taps of splits and tees, feeds of merges.
#include <thalweg/thalweg.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"
#include "support/scale.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

class OpenPorts : public under_every_policy {};
FOR_EVERY_POLICY(OpenPorts);

auto numbers(std::atomic<int>& given) {
  return tw::source([&given]() -> std::optional<int> { return given++; });
}

std::vector<int> first(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> rest_of(tw::tap<int>& tap) {
  std::vector<int> all;
  while (auto x = tap.receive()) all.push_back(*x);
  return all;
}

// A stream of all numbers through a tee or split, which one branch takes.
template <class Stage> struct stream {
  template <class... A> explicit stream(A&&... args) : node(g.add<Stage>(std::forward<A>(args)...)) {
    g.connect(g.add(numbers(given)).out, node.in);
    g.connect(node.branch(), g.add(tw::sink(seen)).in);
  }
  tw::graph g;
  Stage& node;
  std::atomic<int> given{0};
  std::vector<int> seen;
};

TEST_P(OpenPorts, ATapGetsWhatComesWhileItIsOpen) {
  stream<tw::tee<int>> s;
  auto e = tw::launch(s.g, policy());
  for (int round = 0; round < scaled(20); ++round) {
    auto tap = s.node.tap({.capacity = 1 + 20 * round});
    auto last = tap.receive();
    ASSERT_TRUE(last);
    for (int i = 0; i < 500; ++i) {
      const auto next = tap.receive();
      ASSERT_EQ(next, *last + 1) << "nothing is lost and nothing reordered";
      last = next;
    }
  }
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(s.seen, first(static_cast<int>(r.items()))) << "the branch gets everything";
}

TEST_P(OpenPorts, WhatASplitDealsToTapsAndBranchesIsEverything) {
  for (const auto& how :
       {tw::schedule(tw::round_robin), tw::schedule(tw::on_demand),
        tw::route<int>([](int x, std::size_t n) { return static_cast<std::size_t>(x) % n; })}) {
    stream<tw::split<int>> s(how);
    auto e = tw::launch(s.g, policy());
    std::vector<int> tapped;
    for (int round = 0; round < 5; ++round) {
      auto tap = s.node.tap({.capacity = 50});
      auto other = s.node.tap();
      // Whichever has something: a full tap stops the split, so nobody may wait for the other one.
      std::array<int, 2> got{};
      while (got[0] < 200 || got[1] < 200) {
        for (const std::size_t i : {0U, 1U}) {
          if (const auto x = (i == 0 ? tap : other).try_receive()) {
            tapped.push_back(*x);
            ++got[i];
          }
        }
      }
    }
    auto last = s.node.tap();
    e.stop();
    for (const int x : rest_of(last)) tapped.push_back(x);
    const auto r = e.wait();
    // What waited in a tap that was closed is dropped, and counted; all else is there once.
    std::set<int> all(s.seen.begin(), s.seen.end());
    ASSERT_EQ(all.size(), s.seen.size());
    for (const int x : tapped) ASSERT_TRUE(all.insert(x).second) << x << " came twice";
    EXPECT_GE(tapped.size(), 2'000U);
    const auto in = r.stage("split-0").items_in();
    EXPECT_EQ(all.size() + r.stage("split-0").dropped(), in);
  }
}

// Guards against taps that can only be given back with what waits in them.
TEST_P(OpenPorts, ATapThatIsFinishedLosesNothing) {
  stream<tw::split<int>> s(tw::round_robin);
  auto e = tw::launch(s.g, policy());
  std::vector<int> tapped;
  for (int round = 0; round < scaled(20); ++round) {
    auto tap = s.node.tap({.capacity = 50});
    auto other = s.node.tap({.capacity = 1'000'000});
    for (int i = 0; i < 5; ++i) tapped.push_back(*tap.receive());
    tap.finish();
    for (const int x : rest_of(tap)) tapped.push_back(x);
    EXPECT_TRUE(tap.ended());
    // As a source of another run.
    auto reader = tw::launch(tw::source(other) | tw::sink([&](int x) { tapped.push_back(x); }));
    other.finish();
    reader.wait();
  }
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(r.dropped(), 0U);
  EXPECT_EQ(s.seen.size() + tapped.size(), r.stage("split-0").items_in());
  std::set<int> all(s.seen.begin(), s.seen.end());
  all.insert(tapped.begin(), tapped.end());
  EXPECT_EQ(all.size(), s.seen.size() + tapped.size());
}

TEST_P(OpenPorts, TheStreamEndsForTapsToo) {
  tw::graph g;
  auto& tee = g.add<tw::tee<int>>();
  g.connect(g.add(tw::source(std::views::iota(0, 5'000))).out, tee.in);
  g.connect(tee.branch(), g.add(tw::sink([](int) {})).in);
  for (int run = 0; run < 2; ++run) {
    auto tap = tee.tap({.capacity = 100});
    auto e = tw::launch(g, policy());
    EXPECT_EQ(rest_of(tap), first(5'000)) << "opened before the run: everything, then the end";
    EXPECT_TRUE(tap.ended());
    e.wait();
    EXPECT_EQ(tap.receive(), std::nullopt);
  }
}

TEST_P(OpenPorts, WhateverEndsTheRunEndsItsTaps) {
  for (const bool throws : {false, true}) {
    tw::graph g;
    auto& tee = g.add<tw::tee<int>>();
    std::atomic<bool> now{false};
    g.connect(g.add(tw::source([] { return std::optional(1); })).out, tee.in);
    g.connect(tee.branch(), g.add(tw::sink([&](int) {
                               if (now) throw std::runtime_error("no more");
                             })).in);
    auto tap = tee.tap();
    auto& all = g.add<tw::merge<int>>();
    g.connect(g.add(tw::source([] { return std::optional(1); })).out, all.input());
    g.connect(all.out, g.add(tw::sink([](int) {})).in);
    auto feed = all.feed();
    auto e = tw::launch(g, policy());
    ASSERT_TRUE(tap.receive());
    ASSERT_TRUE(feed.send(1));
    std::thread reader([&] { (void)rest_of(tap); });
    std::thread writer([&] {
      while (feed.send(1)) {
      }
    });
    if (throws) {
      now = true;
      EXPECT_THROW(e.wait(), tw::stage_error);
    } else {
      e.cancel();
      e.wait();
    }
    reader.join();
    writer.join();
    EXPECT_TRUE(feed.closed());
  }
}

TEST_P(OpenPorts, AFullTapHoldsUpTheStream) {
  stream<tw::tee<int>> s;
  auto tap = s.node.tap({.capacity = 10});
  auto e = tw::launch(s.g, policy());
  ASSERT_TRUE(tap.receive());
  int before = -1;
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(20ms);
    return std::exchange(before, s.given.load()) == s.given;
  })) << "it goes on";
  const int held = s.given;
  std::this_thread::sleep_for(40ms);
  EXPECT_LE(s.given - held, 10'000) << "what fits into pipes, no more";
  tap.close();
  EXPECT_TRUE(eventually([&] { return s.given > held + 100'000; })) << "closed, it holds up nobody";
  e.stop();
  const auto r = e.wait();
  EXPECT_LT(r.stage("tee-0").busy(), r.elapsed() - 30ms) << "waiting for somebody outside is not work";
}

TEST_P(OpenPorts, StopEndsTheRunThoughNobodyReadsATap) {
  const auto held = [](auto& s, int capacity) {
    auto tap = s.node.tap({.capacity = capacity});
    auto e = tw::launch(s.g, policy());
    EXPECT_TRUE(eventually([&] { return s.given > capacity; }));
    std::this_thread::sleep_for(5ms);  // by now the stage waits for room in the tap
    e.stop();
    e.wait();
    return tap;
  };
  {
    stream<tw::tee<int>> s;
    auto tap = held(s, 10);
    EXPECT_EQ(rest_of(tap), first(s.given)) << "all that the source gave, also what found the tap full";
    EXPECT_EQ(s.seen, first(s.given));
  }
  stream<tw::split<int>> s;
  auto tap = held(s, 1);
  EXPECT_EQ(rest_of(tap).size() + s.seen.size(), static_cast<std::size_t>(s.given));
}

TEST_P(OpenPorts, WhatATapDropsIsCounted) {
  for (const auto full : {tw::drop_new, tw::drop_old}) {
    tw::graph g;
    auto& tee = g.add<tw::tee<int>>();
    g.connect(g.add(tw::source(std::views::iota(0, 1'000))).out, tee.in);
    g.connect(tee.branch(), g.add(tw::sink([](int) {})).in);
    auto tap = tee.tap({.capacity = 10, .when_full = full});
    const auto r = tw::run(g, policy());
    EXPECT_EQ(tap.dropped(), 990U);
    EXPECT_EQ(r.stage("tee-0").dropped(), 990U);
    EXPECT_EQ(r.stage("tee-0").items_out(), 1'010U);
    const auto got = rest_of(tap);
    ASSERT_EQ(got.size(), 10U);
    EXPECT_EQ(got.front(), full == tw::drop_new ? 0 : 990);
  }
}

TEST_P(OpenPorts, ATapEndsWithItsStageNotWithTheRun) {
  tw::graph g;
  auto& tee = g.add<tw::tee<int>>();
  auto& all = g.add<tw::merge<int>>();
  long n = 0;
  g.connect(g.add(tw::source(std::views::iota(0, 100))).out, tee.in);
  g.connect(tee.branch(), all.input());
  g.connect(all.out, g.add(tw::sink([&](int) { ++n; })).in);
  // Each waits for the end of the other, if a tap ends only with the run.
  auto between = tw::source(tee.tap()) | tw::map([](int x) { return -x; }) | tw::sink(all.feed());
  auto e = tw::launch(g, policy());
  auto middle = tw::launch(std::move(between), policy());
  e.wait();
  middle.wait();
  EXPECT_EQ(n, 200);
}

TEST_P(OpenPorts, WhatWasSentToBranchesIsNotHeldUpByAFullTap) {
  tw::graph g;
  auto& tee = g.configure(g.add<tw::tee<int>>(), {.blocking = true});
  std::atomic<int> given{0}, seen{0};
  g.connect(g.add(numbers(given)).out, tee.in);
  g.connect(tee.branch(), g.add(tw::sink([&](int x) { seen = x; })).in);
  auto tap = tee.tap({.capacity = 100});
  auto e = tw::launch(g, policy());
  if (!one_thread()) {
    EXPECT_TRUE(eventually([&] { return seen >= 99; }));
  }
  tap.close();
  e.stop();
  e.wait();
}

TEST_P(OpenPorts, AClosedTapGivesNothing) {
  tw::graph g;
  auto& tee = g.add<tw::tee<int>>();
  g.connect(g.add(tw::source(std::views::iota(0, 100))).out, tee.in);
  g.connect(tee.branch(), g.add(tw::sink([](int) {})).in);
  auto tap = tee.tap();
  tw::run(g, policy());
  EXPECT_EQ(tap.receive(), 0);
  tap.close();
  EXPECT_EQ(tap.receive(), std::nullopt);
}

// --- feeds ---

// A merge of a source of the graph and whatever is fed.
template <class... How> struct sum_of {
  explicit sum_of(std::vector<int> own, How... how) : all(g.add<tw::merge<int>>(how...)) {
    g.connect(g.add(tw::source(std::move(own))).out, all.input());
    g.connect(all.out, g.add(tw::sink(seen)).in);
  }
  tw::graph g;
  tw::merge<int>& all;
  std::vector<int> seen;
};
template <class... How> sum_of(std::vector<int>, How...) -> sum_of<How...>;

TEST_P(OpenPorts, AMergeEndsWhenItsFeedsHave) {
  sum_of s({-1, -2, -3});
  auto feed = s.all.feed({.capacity = 10});
  auto e = tw::launch(s.g, policy());
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(feed.send(i));
  std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(e.done());
  {
    auto other = s.all.feed();
    EXPECT_TRUE(other.send(1'000));
  }  // closed
  feed.close();
  EXPECT_FALSE(feed.send(1));
  const auto r = e.wait();
  EXPECT_EQ(r.items(), 1'004U);
  EXPECT_EQ(r.stage("merge-0").items_in(), 1'004U);
  std::vector<int> fed;
  for (const int x : s.seen) {
    if (x >= 0 && x < 1'000) fed.push_back(x);
  }
  EXPECT_EQ(fed, first(1'000));
  EXPECT_FALSE(s.all.feed().closed()) << "for the next run";
}

TEST_P(OpenPorts, FeedsTakePartInWhateverTheMergeDoes) {
  {
    sum_of s({1, 4, 7, 8}, [](const int& a, const int& b) { return a < b; });
    auto feed = s.all.feed();
    for (const int x : {2, 3, 9}) feed.send(x);
    feed.close();
    tw::run(s.g, policy());
    EXPECT_THAT(s.seen, ElementsAre(1, 2, 3, 4, 7, 8, 9));
  }
  sum_of s({1, 2, 3, 4}, tw::in_turn);
  auto feed = s.all.feed();
  for (const int x : {10, 20}) feed.send(x);
  feed.close();
  tw::run(s.g, policy());
  EXPECT_THAT(s.seen, ElementsAre(1, 10, 2, 20, 3, 4));
}

TEST_P(OpenPorts, StopClosesFeedsAndLosesNothing) {
  sum_of s({});
  auto feed = s.all.feed({.capacity = 7});
  auto e = tw::launch(s.g, policy());
  std::atomic<int> sent{0};
  std::thread writer([&] {
    while (feed.send(sent)) ++sent;
  });
  ASSERT_TRUE(eventually([&] { return sent > 1'000; }));
  e.stop();
  e.wait();
  writer.join();
  EXPECT_EQ(s.seen, first(sent));
}

TEST_P(OpenPorts, AFeedThatComesAfterStopIsClosed) {
  // It may come at any moment of the end: a stage may have closed its feeds and not yet looked which are
  // left.
  for (int round = 0; round < scaled(100); ++round) {
    sum_of s({});
    const auto first = s.all.feed();
    auto e = tw::launch(s.g, policy());
    e.stop();
    const auto late = s.all.feed();
    e.wait();
    EXPECT_TRUE(first.closed());
  }
}

TEST_P(OpenPorts, WhoWaitsForAFeedHoldsUpTheOthers) {
  for (const bool in_turn : {true, false}) {
    std::atomic<int> given{0};
    tw::graph g;
    auto& all = in_turn ? g.add<tw::merge<int>>(tw::in_turn)
                        : g.add<tw::merge<int>>([](const int& a, const int& b) { return a < b; });
    g.connect(g.add(numbers(given)).out, all.input(), {.capacity = 10});
    g.connect(all.out, g.add(tw::sink([](int) {})).in);
    const auto silent = all.feed();
    auto e = tw::launch(g, policy());
    std::this_thread::sleep_for(50ms);
    EXPECT_LE(given, 100);
    e.stop();
    e.wait();
  }
}

TEST_P(OpenPorts, APausedRunTakesNothingFromOutside) {
  sum_of s({});
  std::atomic<int> arrived{0};
  tw::graph g;
  auto& all = g.add<tw::merge<int>>();
  g.connect(g.add(tw::source(std::vector<int>{})).out, all.input());
  g.connect(all.out, g.add(tw::sink([&](int) { ++arrived; })).in);
  auto feed = all.feed();
  auto e = tw::launch(g, policy());
  ASSERT_TRUE(feed.send(1));
  ASSERT_TRUE(eventually([&] { return arrived == 1; }));
  e.pause();
  std::this_thread::sleep_for(5ms);
  ASSERT_TRUE(feed.send(2));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(arrived, 1);
  e.resume();
  EXPECT_TRUE(eventually([&] { return arrived == 2; }));
  feed.close();
  e.wait();
}

TEST_P(OpenPorts, AnotherRunLiesBetweenTwoPortsOfThisOne) {
  stream<tw::tee<int>> s;
  sum_of sum({});
  auto between = tw::source(s.node.tap()) | tw::farm([](int x) { return 2 * x; }, {.replicas = 2}) |
                 tw::sink(sum.all.feed());
  auto e = tw::launch(s.g, policy());
  auto into = tw::launch(sum.g, policy());
  auto middle = tw::launch(std::move(between), policy());
  ASSERT_TRUE(eventually([&] { return middle.stats().items() > 2'000; }));
  e.stop();
  e.wait();
  const auto r = middle.wait();  // its source has ended
  into.stop();
  into.wait();
  ASSERT_EQ(sum.seen.size(), r.items());
  for (std::size_t i = 1; i < sum.seen.size(); ++i) ASSERT_EQ(sum.seen[i], sum.seen[i - 1] + 2);
}

TEST_P(OpenPorts, ComeAndGoAllTheTime) {
  stream<tw::tee<int>> s;
  sum_of sum({});
  const auto open = sum.all.feed();
  auto e = tw::launch(s.g, policy());
  auto into = tw::launch(sum.g, policy());
  std::atomic<long> sent{0};
  std::vector<std::thread> crowd;
  for (unsigned seed = 0; seed < 3; ++seed) {
    crowd.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int round = 0; round < scaled(60); ++round) {
        auto tap = s.node.tap({.capacity = 1 + static_cast<int>(random() % 30)});
        auto feed = sum.all.feed({.capacity = 1 + static_cast<int>(random() % 30)});
        std::optional<int> last;
        for (auto n = random() % 100; n > 0; --n) {
          const auto x = tap.receive();
          if (!x || (last && *x != *last + 1)) ADD_FAILURE() << "a gap";
          last = x;
          sent += feed.send(*x) ? 1 : 0;
        }
        if (random() % 2 == 0) feed.close();
      }
    });
  }
  for (auto& t : crowd) t.join();
  e.stop();
  e.wait();
  into.stop();
  EXPECT_EQ(static_cast<long>(into.wait().items()), sent);
}

TEST_P(OpenPorts, AGraphCanBeShownWhileItRuns) {
  stream<tw::tee<int>> s;
  auto& all = s.g.add<tw::merge<int>>();
  s.g.connect(s.g.add(tw::source(std::vector<int>{})).out, all.input());
  s.g.connect(all.out, s.g.add(tw::sink([](int) {})).in);
  const auto quiet = tw::to_dot(s.g);
  EXPECT_THAT(quiet, Not(HasSubstr("dashed")));
  auto feed = all.feed();
  auto e = tw::launch(s.g, policy());
  std::atomic<bool> over{false};
  std::thread crowd([&] {
    while (!over) {
      auto tap = s.node.tap({.when_full = tw::drop_new});
      (void)tap.receive();
    }
  });
  for (int i = 0; i < scaled(50); ++i) {
    const auto dot = tw::to_dot(s.g);
    ASSERT_THAT(dot, testing::AllOf(HasSubstr("s1 -> s0"), HasSubstr("label=feed")));
    ASSERT_THAT(tw::to_json(s.g), HasSubstr("\"feeds\":1"));
  }
  over = true;
  crowd.join();
  {
    auto tap = s.node.tap({.when_full = tw::drop_new});
    auto other = s.node.tap({.when_full = tw::drop_new});
    EXPECT_THAT(tw::to_json(s.g), HasSubstr("\"taps\":2"));
    EXPECT_THAT(tw::to_dot(s.g), HasSubstr("s0 -> s0tap1 [style=dashed]"));
  }
  feed.close();
  EXPECT_EQ(tw::to_dot(s.g), quiet) << "closed, they are gone";
  e.stop();
  e.wait();
  EXPECT_EQ(tw::to_dot(s.g), quiet);
}

// --- mistakes ---

template <class F> std::string message_of(F&& f) {
  try {
    f();
  } catch (const tw::error& e) {
    return e.what();
  }
  return "no error";
}

TEST(OpenPortMistakes, AnOrderedMergeHasNoFeeds) {
  tw::merge<int> m(tw::ordered);
  EXPECT_THAT(message_of([&] { (void)m.feed(); }), HasSubstr("ordered"));
}

TEST(OpenPortMistakes, ACapacityIsAtLeastOne) {
  tw::tee<int> t;
  EXPECT_THAT(message_of([&] { (void)t.tap({.capacity = 0}); }),
              HasSubstr(".capacity must be at least 1, not 0"));
  tw::merge<int> m;
  EXPECT_THAT(message_of([&] { (void)m.feed({.capacity = -3}); }), HasSubstr("not -3"));
}

TEST(OpenPortMistakes, AMergeInALoopHasNoFeeds) {
  tw::graph g;
  auto& m = g.add<tw::merge<int>>();
  auto& s = g.add<tw::split<int>>(tw::where<int>([](const int& x) { return x > 0; }));
  auto less = g.add(tw::map([](int x) { return x - 1; }));
  g.connect(g.add(tw::source(std::vector{3})).out, m.input());
  g.connect(m.out, s.in);
  g.connect(s.branch(), less.in);
  g.connect(less.out, m.input());
  g.connect(s.branch(), g.add(tw::sink([](int) {})).in);
  {
    auto feed = m.feed();
    EXPECT_THAT(problems_of([&] { tw::run(g); }), ElementsAre(HasSubstr("merge-0' is in a loop")));
  }
  EXPECT_THAT(message_of([&] { (void)m.feed(); }), HasSubstr("merge-0' is in a loop"));
  tw::run(g);
}

TEST(OpenPortMistakes, PortsMayOutliveTheirStage) {
  std::optional<tw::tap<int>> tap;
  std::optional<tw::feed<int>> feed;
  {
    tw::graph g;
    tap = g.add<tw::tee<int>>().tap();
    feed = g.add<tw::merge<int>>().feed();
  }
  EXPECT_EQ(tap->receive(), std::nullopt);
  EXPECT_FALSE(feed->send(1));
}

}  // namespace
