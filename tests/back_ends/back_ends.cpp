// The policies tbb and omp: what holds under every policy holds under them.
#include <thalweg/run/omp.hpp>
#include <thalweg/run/tbb.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

class BackEnds : public testing::TestWithParam<std::string> {
 protected:
  static tw::any_policy policy() { return tw::policy_from(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(policy, BackEnds, testing::Values("tbb", "tbb:1", "tbb:4", "omp", "omp:1", "omp:4"),
                         [](const auto& info) {
                           auto name = info.param;
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

std::vector<int> up_to(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST_P(BackEnds, ALineWithFarmsKeepsItsOrder) {
  std::vector<int> seen;
  const auto r = tw::run(tw::source(std::views::iota(0, 20'000)) |
                             tw::farm([](int x) { return x + 1; }, {.replicas = 3}) |
                             tw::filter([](int x) { return x % 3 == 0; }) |
                             tw::farm([](int x) { return x - 1; }, {.replicas = 2}) | tw::sink(seen),
                         policy());
  std::vector<int> want;
  for (int x = 1; x <= 20'000; ++x) {
    if (x % 3 == 0) want.push_back(x - 1);
  }
  EXPECT_EQ(seen, want);
  EXPECT_EQ(r.policy(), GetParam());
}

TEST_P(BackEnds, AGraphOfBranchesIsPutTogetherInOrder) {
  std::vector<int> seen;
  tw::graph g;
  auto& split = g.add<tw::split<int>>();
  auto& merge = g.add<tw::merge<int>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0, 10'000))).out, split.in);
  for (int i = 0; i < 4; ++i) {
    auto branch = g.add(tw::map([](int x) { return x; }));
    g.connect(split.branch(), branch.in);
    g.connect(branch.out, merge.input());
  }
  g.connect(merge.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  EXPECT_EQ(seen, up_to(10'000));
}

struct halve : tw::stage {
  tw::in<int> fresh{this, "fresh"}, back{this, "back"};
  tw::out<int> again{this, "again"}, done{this, "done"};
  void on_item(tw::in<int>&, int x) { x > 0 && x % 2 == 0 ? again.send(x / 2) : done.send(x); }
};

TEST_P(BackEnds, LoopsEnd) {
  int items = 0;
  tw::graph g;
  auto& h = g.add<halve>();
  g.connect(g.add(tw::source(std::views::iota(0, 5'000))).out, h.fresh);
  g.connect(h.again, h.back);
  g.connect(h.done, g.add(tw::sink([&](int x) {
                       EXPECT_TRUE(x == 0 || x % 2 == 1);
                       ++items;
                     })).in);
  tw::run(g, policy());
  EXPECT_EQ(items, 5'000);
}

TEST_P(BackEnds, KeysAreDividedUp) {
  const auto stage = tw::key_by([](int x) { return x % 97; }, [](long& sum, int x) { return sum += x; });
  std::vector<long> want, seen;
  tw::run(tw::source(std::views::iota(0, 10'000)) | stage | tw::sink(want), tw::sequential{});
  tw::run(tw::source(std::views::iota(0, 10'000)) | tw::farm(stage, {.replicas = 3}) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, want);
}

TEST_P(BackEnds, AnEmitterMaySendMoreThanThereIsRoomFor) {
  std::vector<int> seen;
  tw::run(tw::source<int>([](tw::emitter<int>& out) {
            for (int i = 0; i < 2'000; ++i) out(i);
          }) |
              tw::flat_map<int>(
                  [](int x, tw::emitter<int>& out) {
                    for (int i = 0; i < 3; ++i) out(3 * x + i);
                  },
                  {.capacity = 4}) |
              tw::sink(seen, {.capacity = 4}),
          policy());
  EXPECT_EQ(seen, up_to(6'000));
}

TEST_P(BackEnds, ErrorsComeOutWithTheStagesName) {
  try {
    tw::run(tw::source(std::views::iota(0, 1'000)) |
                tw::farm([](int x) { return x == 500 ? throw std::runtime_error("five hundred") : x; },
                         {.replicas = 2, .name = "picky"}) |
                tw::sink([](int) {}),
            policy());
    FAIL() << "the error was lost";
  } catch (const tw::stage_error& e) {
    EXPECT_EQ(e.stage(), "picky");
  }
}

TEST_P(BackEnds, LaunchStopCancelAndPause) {
  std::atomic<int> seen{0};
  const auto job = [&] {
    return tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
           tw::sink([&](int) { ++seen; });
  };
  auto e = tw::launch(job(), policy());
  ASSERT_TRUE(eventually([&] { return seen > 1'000; }));
  e.pause();
  std::this_thread::sleep_for(2ms);
  EXPECT_FALSE(e.done()) << "nobody works, but it is not over";
  e.resume();
  const int before = seen;
  ASSERT_TRUE(eventually([&] { return seen > before; }));
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(r.items(), static_cast<std::uint64_t>(seen.load()));
  auto c = tw::launch(job(), policy());
  c.cancel();
  c.wait();
  EXPECT_TRUE(c.done());
}

TEST_P(BackEnds, AGraphThatWaitsForItsFeedIsNotOver) {
  for (const bool cancel : {false, true}) {
    int sum = 0;
    tw::graph g;
    auto& all = g.add<tw::merge<int>>();
    g.connect(g.add(tw::source(std::vector{1, 2})).out, all.input());
    g.connect(all.out, g.add(tw::sink([&](int x) { sum += x; })).in);
    auto feed = all.feed();
    auto e = tw::launch(g, policy());
    std::this_thread::sleep_for(2ms);
    EXPECT_FALSE(e.done());
    EXPECT_TRUE(feed.send(4));
    cancel ? e.cancel() : feed.close();
    const auto r = e.wait();
    if (!cancel) {
      EXPECT_EQ(sum, 7);
      EXPECT_EQ(r.items(), 3U);
    }
    EXPECT_TRUE(feed.closed());
  }
}

TEST_P(BackEnds, ReplicasMayChange) {
  int seen = 0;
  auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> {
                        return n < 200'000 ? std::optional(n++) : std::nullopt;
                      }) | tw::farm([](int x) { return x; }, {.replicas = 1, .name = "f"}) |
                          tw::sink([&](int x) {
                            EXPECT_EQ(x, seen);
                            ++seen;
                          }),
                      policy());
  for (int i = 0; i < 5; ++i) e.set_replicas("f", 1 + i % 4);
  e.wait();
  EXPECT_EQ(seen, 200'000);
}

TEST_P(BackEnds, BatchesWithAnIntervalAndBlockingStagesHaveThreadsOfTheirOwn) {
  std::vector<std::size_t> sizes;
  int n = 0;
  tw::run(tw::source(
              [&]() -> std::optional<int> {
                if (n == 3) std::this_thread::sleep_for(50ms);
                return n < 6 ? std::optional(n++) : std::nullopt;
              },
              {.blocking = true}) |
              tw::batch(100, 5ms) | tw::sink([&](const std::vector<int>& v) { sizes.push_back(v.size()); }),
          policy());
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), 6U);
  EXPECT_GE(sizes.size(), 2U) << "the first group did not wait for the slow source";
}

// A merge that a source of the graph and a feed go into.
struct fed {
  fed() {
    g.connect(
        g.add(tw::source([n = 0]() mutable { return n < 100 ? std::optional(--n) : std::nullopt; })).out,
        all.input());
    g.connect(all.out, g.add(tw::sink([this](int x) { sum += x > 0 ? 1 : 0; })).in);
  }
  tw::graph g;
  tw::merge<int>& all = g.add<tw::merge<int>>();
  int sum = 0;
};

TEST_P(BackEnds, ARunEndsWhileAFeedRings) {
  for (const bool stop : {true, false}) {
    for (int round = 0; round < 5; ++round) {
      auto graph = std::make_unique<fed>();
      auto feed = graph->all.feed({.capacity = 3});
      std::atomic<int> sent{0};
      auto e = std::make_unique<tw::execution>(tw::launch(graph->g, policy()));
      std::thread writer([&] {
        while (feed.send(1)) ++sent;
      });
      ASSERT_TRUE(eventually([&] { return sent > 10 * round; }));
      stop ? e->stop() : e->cancel();
      e->wait();
      if (stop) {
        writer.join();  // send says that the feed is closed
        EXPECT_EQ(graph->sum, sent);
      } else {
        e.reset();
        graph.reset();  // with the stage that the bell belongs to, while the writer may still ring it
        writer.join();
      }
      EXPECT_FALSE(feed.send(1));
    }
  }
}

TEST_P(BackEnds, ARunEndsThoughAFeedAndATapAreHeld) {
  for (const bool stop : {true, false}) {
    fed graph;
    auto& tee = graph.g.add<tw::tee<int>>();
    std::atomic<int> given{0};
    graph.g.connect(graph.g.add(tw::source([&]() -> std::optional<int> { return given++; })).out, tee.in);
    graph.g.connect(tee.branch(), graph.g.add(tw::sink([](int) {})).in);
    auto feed = graph.all.feed();
    auto tap = tee.tap({.capacity = 2});
    auto e = tw::launch(graph.g, policy());
    ASSERT_TRUE(feed.send(1));
    ASSERT_TRUE(eventually([&] { return given > 2; }));
    stop ? e.stop() : e.cancel();
    e.wait();
    EXPECT_TRUE(feed.closed());
    feed.close();
    int taken = 0;
    while (tap.receive()) ++taken;
    if (stop) {
      EXPECT_EQ(graph.sum, 1);
      EXPECT_EQ(taken, given);
    }
  }
}

TEST_P(BackEnds, RunsFollowEachOther) {
  for (int i = 0; i < 20; ++i) {
    int sum = 0;
    tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([&](int x) { sum += x; }), policy());
    ASSERT_EQ(sum, 6);
  }
}

TEST(BackEndNames, AreKnownOnceTheirHeadersAreIncluded) {
  EXPECT_EQ(tw::any_policy(tw::tbb{.threads = 3}).name(), "tbb:3");
  EXPECT_EQ(tw::any_policy(tw::omp{}).name(), "omp");
  EXPECT_THROW((void)tw::policy_from("tbb:0"), tw::error);
  try {
    (void)tw::policy_from("cilk");
    FAIL();
  } catch (const tw::error& e) {
    EXPECT_THAT(e.what(), HasSubstr("tbb:N"));
    EXPECT_THAT(e.what(), HasSubstr("omp"));
  }
}

TEST(OpenMp, ATeamOfOneInsideARegionIsEnough) {
  std::atomic<int> sum{0};
#pragma omp parallel num_threads(2)
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::farm([](int x) { return x; }, {.replicas = 2}) |
              tw::sink([&](int x) { sum += x; }),
          tw::omp{.threads = 2});
  EXPECT_EQ(sum % 6, 0);
  EXPECT_GE(sum, 6);
}

}  // namespace
