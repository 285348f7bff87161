// Windows and reductions of a keyed stream in a farm, whose keys are divided up: held against the serial
// stage.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/events.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using events::event;
using events::listing;
using events::random_events;
using events::stream_kind;
using events::whole;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class KeyedFarm : public under_every_policy {};
FOR_EVERY_POLICY(KeyedFarm);

using listed = tw::keyed<int, tw::windowed<std::vector<std::int64_t>>>;

// What a stage gives for keyed events, by itself and in a farm.
template <class Out, class Stage>
std::vector<Out> by_itself(const std::vector<event>& items, const Stage& stage) {
  std::vector<Out> seen;
  tw::run(tw::source(items) | tw::key_by(&event::key) | stage | tw::sink(seen), tw::sequential{});
  return seen;
}
template <class Out, class Stage>
std::vector<Out> divided(const std::vector<event>& items, const Stage& stage, int replicas,
                         const tw::any_policy& policy) {
  std::vector<Out> seen;
  tw::run(
      tw::source(items) | tw::key_by(&event::key) | tw::farm(stage, {.replicas = replicas}) | tw::sink(seen),
      policy);
  return seen;
}

TEST_P(KeyedFarm, ReduceGivesWhatItGivesByItself) {
  std::mt19937 random(1);
  for (const int keys : {1, 7, 3'000}) {
    const auto items = random_events(random, {20'000, keys, 0, 3});
    const auto stage =
        tw::reduce(std::vector<std::int64_t>{},
                   [](std::vector<std::int64_t>& all, const event& e) { all.push_back(e.value); });
    using out = tw::keyed<int, std::vector<std::int64_t>>;
    const auto want = by_itself<out>(items, stage);
    for (const int replicas : {1, 3}) EXPECT_EQ(divided<out>(items, stage, replicas, policy()), want);
  }
  EXPECT_THAT((divided<tw::keyed<int, int>>({}, tw::reduce(5, [](int n, const event&) { return n + 1; }), 2,
                                            policy())),
              IsEmpty());
}

TEST_P(KeyedFarm, AFailedReductionLeavesTheAccumulatorAsItWas) {
  std::mt19937 random(2);
  const auto items = random_events(random, {5'000, 900, 0, 3});
  // The first item of many keys fails.
  const auto stage = tw::reduce(std::vector<std::int64_t>{},
                                [](std::vector<std::int64_t>& all, const event& e) {
                                  all.push_back(e.value);
                                  if (e.value % 3 == 0) throw std::runtime_error("threes");
                                },
                                {.on_error = tw::skip, .name = "r"});
  using out = tw::keyed<int, std::vector<std::int64_t>>;
  const auto want = by_itself<out>(items, stage);
  std::vector<out> seen;
  const auto report = tw::run(tw::source(items) | tw::key_by(&event::key) |
                                  tw::farm(stage, {.replicas = 3, .name = "f"}) | tw::sink(seen),
                              policy());
  EXPECT_EQ(seen, want);
  std::uint64_t skipped = 0;
  for (const auto& s : report.stages()) skipped += s.skipped();
  EXPECT_EQ(skipped, 1'667U);
  // Tried again, it succeeds.
  const auto again = tw::reduce(std::vector<std::int64_t>{},
                                [failed = false](std::vector<std::int64_t>& all, const event& e) mutable {
                                  all.push_back(e.value);
                                  failed = !failed && e.value % 5 == 0;
                                  if (failed) throw std::runtime_error("fives");
                                },
                                {.on_error = tw::retry(3)});
  EXPECT_EQ(divided<out>(items, again, 3, policy()), by_itself<out>(items, again));
}

TEST_P(KeyedFarm, WindowsByCount) {
  std::mt19937 random(3);
  for (int round = 0; round < 6; ++round) {
    const auto items = random_events(random, {5'000, round % 2 == 0 ? 40 : 2'000, 0, 3});
    const auto size = static_cast<std::int64_t>(1 + random() % 20);
    const auto slide = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(size));
    const auto stage = tw::window(tw::count(size, slide), listing());
    const auto want = by_itself<listed>(items, stage);
    EXPECT_EQ(divided<listed>(items, stage, 1 + round, policy()), want) << size << " by " << slide;
  }
}

// Windows by event time of random streams; returns how many items were late and how many results corrected.
template <class Spec, class Agg>
std::pair<std::size_t, std::size_t> compare(const std::vector<event>& items, Spec spec, Agg agg,
                                            std::chrono::nanoseconds disorder,
                                            std::chrono::nanoseconds lateness, int replicas,
                                            const tw::any_policy& policy) {
  std::vector<event> late;
  const auto stage = tw::window(
      spec, agg,
      tw::event_time(&event::at, {.disorder = disorder, .lateness = lateness, .late = [&](const event& e) {
                                    late.push_back(e);
                                  }}));
  const auto want = by_itself<listed>(items, stage);
  const auto want_late = std::exchange(late, {});
  const auto seen = divided<listed>(items, stage, replicas, policy);
  EXPECT_EQ(seen.size(), want.size());
  for (std::size_t i = 0; i < std::min(seen.size(), want.size()); ++i) {
    EXPECT_EQ(seen[i], want[i]) << "at " << i << ": " << seen[i].key << " until " << seen[i].value.end
                                << ", not " << want[i].key << " until " << want[i].value.end;
    if (seen[i] != want[i]) break;
  }
  EXPECT_EQ(late, want_late);
  std::size_t corrected = 0;
  for (const auto& w : want) corrected += w.value.revision > 0 ? 1 : 0;
  return {late.size(), corrected};
}

TEST_P(KeyedFarm, WindowsByEventTime) {
  std::mt19937 random(4);
  std::size_t late = 0;
  std::size_t corrected = 0;
  const stream_kind kinds[] = {{6'000, 30, 60, 4},      {6'000, 1'000, 200, 2}, {6'000, 5, 30, 20},
                               {6'000, 200, 80, 3, 40}, {3'000, 3'000, 0, 1},   {300, 50, 500, 300, 5}};
  for (const auto& kind : kinds) {
    for (int round = 0; round < 3; ++round) {
      const auto items = random_events(random, kind);
      const auto size = std::chrono::nanoseconds(1 + random() % 100);
      const auto slide =
          std::chrono::nanoseconds(1 + random() % static_cast<unsigned>(std::max<long>(1, size.count())));
      const std::chrono::nanoseconds disorder(random() % static_cast<unsigned>(kind.disorder + 20));
      const std::chrono::nanoseconds lateness(round == 0 ? 0 : random() % 100);
      const int replicas = 1 + static_cast<int>(random() % 5);
      const auto add = [&](std::pair<std::size_t, std::size_t> n) {
        late += n.first;
        corrected += n.second;
      };
      const bool by_parts = random() % 2 == 0;
      switch (random() % 3) {
        case 0:
          if (by_parts) {
            add(compare(items, tw::tumbling(size), listing(), disorder, lateness, replicas, policy()));
          } else {
            add(compare(items, tw::tumbling(size), whole(), disorder, lateness, replicas, policy()));
          }
          break;
        case 1:
          if (size.count() / slide.count() > 30) break;  // very many windows
          add(compare(items, tw::sliding(size, slide), listing(), disorder, lateness, replicas, policy()));
          break;
        default:
          add(compare(items, tw::session(size), listing(), disorder, lateness, replicas, policy()));
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(late, 100U);
  EXPECT_GT(corrected, 100U);
}

TEST_P(KeyedFarm, OneItemMayEndTheWindowsOfAllKeys) {
  // Keys 0..999 once, then one item of key 0, far ahead; keys that get nothing more must hear of it.
  std::vector<event> items;
  for (int i = 0; i < 1'000; ++i) items.push_back({i, 1'000 - i, i});
  items.push_back({0, 1'000'000, 1'000});
  std::vector<std::int64_t> order;
  bool in_time = one_thread();
  std::atomic<int> arrived{0};
  tw::run(tw::source([&, i = std::size_t{0}]() mutable -> std::optional<event> {
            if (i == items.size()) {
              if (!one_thread() && GetParam() != "pool:1")
                in_time = eventually([&] { return arrived == 1'000; });
              return std::nullopt;
            }
            return items[i++];
          }) | tw::key_by(&event::key) |
              tw::farm(tw::window(tw::tumbling(2'000ns), tw::count_of(),
                                  tw::event_time(&event::at, {.disorder = 2'000ns})),
                       {.replicas = 2}) |
              tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) {
                order.push_back(w.key);
                ++arrived;
              }),
          policy());
  EXPECT_TRUE(in_time || GetParam() == "pool:1");
  ASSERT_EQ(order.size(), 1'001U);
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_P(KeyedFarm, WhatFollowsInTheFarmKeepsTheOrder) {
  std::mt19937 random(5);
  const auto items = random_events(random, {5'000, 300, 40, 3});
  const auto line =
      tw::window(tw::sliding(60ns, 20ns), listing(), tw::event_time(&event::at, {.disorder = 30ns})) |
      tw::filter([](const listed& w) { return w.key % 3 != 0; }) |
      tw::flat_map([](const listed& w, tw::emitter<std::int64_t>& out) {
        for (const auto x : w.value.value) out(x);
        out(-w.value.end);
      }) |
      tw::map([](std::int64_t x) { return 2 * x; }, {.on_error = tw::skip});
  const auto want = by_itself<std::int64_t>(items, line);
  EXPECT_GT(want.size(), 5'000U);
  for (const int replicas : {1, 4}) EXPECT_EQ(divided<std::int64_t>(items, line, replicas, policy()), want);
}

TEST_P(KeyedFarm, LateItemsMayBeMoveOnlyAndAreCounted) {
  struct moving {
    int key;
    std::int64_t at;
    std::unique_ptr<int> value;
  };
  std::vector<int> late;
  std::int64_t items = 0;
  const auto report = tw::run(
      tw::source([n = 0]() mutable -> std::optional<moving> {
        if (n == 3'000) return std::nullopt;
        const int i = n++;
        return moving{i % 41, i % 7 == 3 ? 0 : i, std::make_unique<int>(i)};
      }) | tw::key_by(&moving::key) |
          tw::farm(tw::window(tw::tumbling(10ns), tw::count_of(),
                              tw::event_time(&moving::at, {.late = tw::late<tw::keyed<int, moving>>(
                                                               [&, n = 0](const auto& m) mutable {
                                                                 late.push_back(*m.value.value + 0 * ++n);
                                                               })}),
                              {.name = "w"}),
                   {.replicas = 3}) |
          tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) { items += w.value.value; }),
      policy());
  std::vector<int> want;  // the first window ends when item 11 has come
  for (int i = 11; i < 3'000; ++i) {
    if (i % 7 == 3) want.push_back(i);
  }
  EXPECT_EQ(late, want);
  EXPECT_EQ(items + static_cast<std::int64_t>(want.size()), 3'000);
  std::uint64_t skipped = 0;
  for (const auto& s : report.stages()) skipped += s.skipped();
  EXPECT_EQ(skipped, want.size());
}

TEST_P(KeyedFarm, ResizingShowsInNoResult) {
  if (one_thread()) GTEST_SKIP() << "it cannot be resized";
  std::mt19937 random(6);
  const auto items = random_events(random, {60'000, 2'000, 40, 2});
  const auto check = [&]<class Out>(std::type_identity<Out>, const auto& stage) {
    const auto want = by_itself<Out>(items, stage);
    std::vector<Out> seen;
    std::atomic<std::size_t> given{0};
    auto run = tw::launch(tw::source([&, i = std::size_t{0}]() mutable -> std::optional<event> {
                            given = i;
                            return i < items.size() ? std::optional(items[i++]) : std::nullopt;
                          }) | tw::key_by(&event::key) |
                              tw::farm(stage, {.replicas = 1, .name = "f"}) | tw::sink(seen),
                          policy());
    for (int i = 0; given < items.size() && i < 1'000; ++i) {
      run.set_replicas("f", 1 + i % 4);
      std::this_thread::sleep_for(200us);
    }
    run.wait();
    EXPECT_EQ(seen, want);
  };
  check(std::type_identity<tw::keyed<int, std::int64_t>>{},
        tw::reduce(std::int64_t{0}, [](std::int64_t sum, const event& e) { return 3 * sum + e.value; }));
  check(std::type_identity<listed>{},
        tw::window(tw::sliding(40ns, 10ns), listing(), tw::event_time(&event::at, {.disorder = 20ns})));
}

TEST_P(KeyedFarm, RanksReachAnOrderedMerge) {
  std::mt19937 random(7);
  for (int round = 0; round < 3; ++round) {
    const auto items = random_events(random, {4'000, 100, 30, 3});
    const auto through = [&](bool farm, const tw::any_policy& how) {
      std::vector<std::int64_t> seen;
      const auto number = [](const auto& w) { return w.value.value * 1'000 + w.key; };
      const auto windows = tw::window(tw::sliding(40ns, 20ns), tw::sum_of(&event::value),
                                      tw::event_time(&event::at, {.disorder = 15ns, .lateness = 10ns}));
      const auto counts = tw::window(tw::count(5), tw::sum_of(&event::value));
      const auto sums =
          tw::reduce(std::int64_t{0}, [](std::int64_t sum, const event& e) { return sum + e.value; });
      tw::graph g;
      auto& s = g.add<tw::split<event>>(tw::round_robin);
      auto& m = g.add<tw::merge<std::int64_t>>(tw::ordered);
      g.connect(g.add(tw::source(items)).out, s.in);
      const auto branch = [&](auto line) {
        auto b = g.add<event>(std::move(line));
        g.connect(s.branch(), b.in);
        g.connect(b.out, m.input());
      };
      if (farm) {
        branch(tw::key_by(&event::key) | tw::farm(windows, {.replicas = 3}) | tw::map(number));
        branch(tw::key_by(&event::key) | tw::farm(counts, {.replicas = 3}) | tw::map(number));
        branch(tw::key_by(&event::key) | tw::farm(sums, {.replicas = 2}) |
               tw::map([](const tw::keyed<int, std::int64_t>& k) { return k.value + k.key; }));
      } else {
        branch(tw::key_by(&event::key) | windows | tw::map(number));
        branch(tw::key_by(&event::key) | counts | tw::map(number));
        branch(tw::key_by(&event::key) | sums |
               tw::map([](const tw::keyed<int, std::int64_t>& k) { return k.value + k.key; }));
      }
      g.connect(m.out, g.add(tw::sink(seen)).in);
      tw::run(g, how);
      return seen;
    };
    const auto want = through(false, tw::sequential{});
    EXPECT_GT(want.size(), 1'000U);
    EXPECT_EQ(through(true, policy()), want);
  }
}

TEST_P(KeyedFarm, WithoutOrderEachKeyKeepsIts) {
  std::mt19937 random(8);
  const auto items = random_events(random, {20'000, 300, 40, 2});
  const auto check = [&]<class Out>(std::type_identity<Out>, const auto& stage) {
    auto want = by_itself<Out>(items, stage);
    for (const int replicas : {1, 3}) {
      std::vector<Out> seen;
      const auto r = tw::run(tw::source(items) | tw::key_by(&event::key) |
                                 tw::farm(stage, {.replicas = replicas, .unordered = true}) | tw::sink(seen),
                             policy());
      EXPECT_EQ(r.items(), want.size());
      const auto by_key = [](const Out& a, const Out& b) { return a.key < b.key; };
      std::ranges::stable_sort(want, by_key);
      std::ranges::stable_sort(seen, by_key);
      EXPECT_EQ(seen, want) << replicas << " replicas";
    }
  };
  check(std::type_identity<tw::keyed<int, std::int64_t>>{},
        tw::reduce(std::int64_t{0}, [](std::int64_t sum, const event& e) { return 3 * sum + e.value; }));
  check(std::type_identity<listed>{}, tw::window(tw::count(7, 3, {.any_order = true}), listing()));
  check(std::type_identity<listed>{},
        tw::window(tw::sliding(40ns, 10ns), listing(), tw::event_time(&event::at, {.disorder = 20ns})));
}

TEST_P(KeyedFarm, WithoutOrderASlowKeyHoldsUpNoOther) {
  if (one_thread() || GetParam() == "pool:1") GTEST_SKIP() << "one thread does everything";
  std::atomic<int> arrived{0};
  bool in_time = false;
  const auto stage = tw::key_by([](int x) { return x % 50; },
                                [&](int&, int x) {
                                  if (x == 0) in_time = eventually([&] { return arrived >= 8; });
                                  return x;
                                });
  tw::run(tw::source(std::views::iota(0, 50)) | tw::farm(stage, {.replicas = 2, .unordered = true}) |
              tw::sink([&](int) { ++arrived; }),
          policy());
  EXPECT_TRUE(in_time) << "the others' results wait for that of the first item";
  EXPECT_EQ(arrived, 50);
}

TEST_P(KeyedFarm, WithoutOrderMarksStayWithTheirItems) {
  // Due times: latencies are counted from them.
  const auto job = [](auto stage) {
    return tw::paced([n = 0]() mutable { return n < 2'000 ? std::optional(n++) : std::nullopt; }, 1e6) |
           tw::key_by([](int x) { return x % 37; }) |
           tw::farm(std::move(stage), {.replicas = 2, .unordered = true});
  };
  std::int64_t items = 0;
  const auto windows = tw::run(
      job(tw::window(tw::tumbling(10ns), tw::count_of(),
                     tw::event_time([](int x) { return std::int64_t{x}; }))) |
          tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) { items += w.value.value; }),
      policy());
  EXPECT_EQ(items, 2'000);
  EXPECT_EQ(windows.latency().count(), windows.items());
  EXPECT_LT(windows.latency().max(), windows.elapsed());
  // Ranks: what an ordered merge gets of the other branch stays in its order.
  std::vector<int> seen;
  tw::graph g;
  auto& s = g.add<tw::split<int>>(tw::round_robin);
  auto& m = g.add<tw::merge<int>>(tw::ordered);
  auto keyed = g.add(tw::farm(tw::key_by([](int x) { return x % 37; }, [](int&, int x) { return x; }),
                              {.replicas = 2, .unordered = true}));
  g.connect(g.add(tw::source(std::views::iota(0, 10'000))).out, s.in);
  g.connect(s.branch(), keyed.in);
  g.connect(keyed.out, m.input());
  g.connect(s.branch(), m.input());
  g.connect(m.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  ASSERT_EQ(seen.size(), 10'000U);
  std::vector<int> odd;
  std::ranges::copy_if(seen, std::back_inserter(odd), [](int x) { return x % 2 == 1; });
  EXPECT_TRUE(std::ranges::is_sorted(odd));
  std::ranges::sort(seen);
  EXPECT_TRUE(std::ranges::equal(seen, std::views::iota(0, 10'000)));
}

TEST_P(KeyedFarm, BehindAPacedSource) {
  std::int64_t items = 0;
  const auto report = tw::run(
      tw::paced([n = 0]() mutable { return n < 2'000 ? std::optional(n++) : std::nullopt; }, 1e6) |
          tw::key_by([](int x) { return x % 37; }) |
          tw::farm(tw::window(tw::tumbling(10ns), tw::count_of(),
                              tw::event_time([](int x) { return std::int64_t{x}; })),
                   {.replicas = 2}) |
          tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) { items += w.value.value; }),
      policy());
  EXPECT_EQ(items, 2'000);
  EXPECT_EQ(report.latency().count(), report.stages().back().items());
}

TEST_P(KeyedFarm, ByProcessingTimeNothingIsLost) {
  for (const bool sliding : {false, true}) {
    std::int64_t items = 0;
    std::int64_t before = 0;
    tw::run(tw::source([n = 0]() mutable -> std::optional<int> {
              if (n == 600) return {};
              if (n % 100 == 0) std::this_thread::sleep_for(3ms);
              return n++;
            }) | tw::key_by([](int x) { return x % 50; }) |
                tw::farm(tw::window(sliding ? tw::sliding(2ms, 1ms) : tw::tumbling(1ms), tw::count_of()),
                         {.replicas = 3}) |
                tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) {
                  EXPECT_LE(before, w.value.end);
                  before = w.value.end;
                  items += w.value.value;
                }),
            policy());
    EXPECT_EQ(items, sliding ? 1'200 : 600);
  }
}

TEST_P(KeyedFarm, ByProcessingTimeItIsGivenWhileTheSourceStalls) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1")
    GTEST_SKIP() << "its one worker, which would execute the sink, is in the source";
  for (const bool session : {false, true}) {
    std::atomic<std::int64_t> arrived{0};
    bool in_time = true;
    auto job = [&](auto spec) {
      return tw::source([&, n = 0]() mutable -> std::optional<int> {
               if (n == 30 || n == 50) in_time = in_time && eventually([&] { return arrived == n; });
               return n < 60 ? std::optional(n++) : std::nullopt;
             }) |
             tw::key_by([](int x) { return x % 20; }) |
             tw::farm(tw::window(spec, tw::count_of()), {.replicas = 2}) |
             tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) { arrived += w.value.value; });
    };
    if (session) {
      tw::run(job(tw::session(3ms)), policy());
    } else {
      tw::run(job(tw::tumbling(3ms)), policy());
    }
    EXPECT_TRUE(in_time) << "windows must end though no item comes";
    EXPECT_EQ(arrived, 60);
  }
}

TEST_P(KeyedFarm, EachPartHasTheTimersOfTheStagesBehind) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1")
    GTEST_SKIP() << "its one worker, which would execute the sink, is in the source";
  const auto count = tw::key_by([](int x) { return x % 20; }, [](int&, int x) { return x; });
  for (const bool busy : {false, true}) {
    // Busy: items of one key come all the time, those of the others once.
    std::atomic<int> arrived{0};
    bool in_time = true;
    tw::run(
        tw::source([&, n = 0, more = 0]() mutable -> std::optional<int> {
          if (n == 20 || n == 40) {  // item 0 does not arrive
            if (!busy) (void)eventually([&] { return arrived == n - 1; });
            if (busy && arrived < n - 1 && ++more < 10'000'000) return 0;
            in_time = in_time && arrived == n - 1;
          }
          return n < 60 ? std::optional(n++) : std::nullopt;
        }) |
            tw::farm(count | tw::filter([](int x) { return x != 0; }) | tw::batch(1'000, 2ms) |
                         tw::map([](const std::vector<int>& all) { return static_cast<int>(all.size()); }),
                     {.replicas = 2, .unordered = true, .name = "f"}) |
            tw::sink([&](int n) { arrived += n; }),
        policy());
    EXPECT_TRUE(in_time) << "groups must come though no item does";
    EXPECT_EQ(arrived, 59);
  }
}

TEST_P(KeyedFarm, TimersAndWindowsByProcessingTimeInOneFarm) {
  std::int64_t items = 0;
  tw::run(tw::paced([n = 0]() mutable { return n < 3'000 ? std::optional(n++) : std::nullopt; }, 2e5) |
              tw::key_by([](int x) { return x % 50; }) |
              tw::farm(tw::window(tw::tumbling(1ms, {.any_order = true}), tw::count_of()) | tw::batch(7, 1ms),
                       {.replicas = 2, .unordered = true}) |
              tw::sink([&](const std::vector<tw::keyed<int, tw::windowed<std::int64_t>>>& all) {
                for (const auto& w : all) items += w.value.value;
              }),
          policy());
  EXPECT_EQ(items, 3'000);
}

TEST_P(KeyedFarm, FailuresNameTheStage) {
  std::vector<event> items;
  for (int i = 0; i < 2'000; ++i) items.push_back({i % 7, i, i});
  const auto failure = [&](auto stage) {
    return failure_of([&] {
      tw::run(tw::source(items) | tw::key_by(&event::key) | tw::farm(stage, {.replicas = 2}) |
                  tw::sink([](const tw::keyed<int, tw::windowed<std::int64_t>>&) {}),
              policy());
    });
  };
  const auto of_time =
      failure(tw::window(tw::tumbling(10ns), tw::count_of(), tw::event_time([](const event& e) {
                           return e.value == 1'500 ? throw std::runtime_error("time") : e.at;
                         }),
                         {.name = "w"}));
  EXPECT_EQ(of_time.stage, "w");
  EXPECT_EQ(of_time.cause, "time");
  const auto of_late =
      failure(tw::window(tw::tumbling(10ns), tw::count_of(),
                         tw::event_time([](const event& e) { return e.value == 1'500 ? 0 : e.at; },
                                        {.late = [](const event&) { throw std::runtime_error("late"); }}),
                         {.name = "w"}));
  EXPECT_EQ(of_late.stage, "w");
  EXPECT_EQ(of_late.cause, "late");
  const auto of_sum = failure(tw::window(tw::count(50),
                                         [](std::span<const event> all) {
                                           return all.back().value > 1'000 ? throw std::runtime_error("sum")
                                                                           : all.back().value;
                                         },
                                         {.name = "w"}));
  EXPECT_EQ(of_sum.stage, "w");
  EXPECT_EQ(of_sum.cause, "sum");
}

TEST_P(KeyedFarm, ASinkMayBeInTheFarm) {
  std::atomic<std::int64_t> items{0};
  tw::run(tw::source(std::views::iota(0, 3'000)) | tw::key_by([](int x) { return x % 100; }) |
              tw::farm(tw::window(tw::tumbling(10ns), tw::count_of(),
                                  tw::event_time([](int x) { return std::int64_t{x}; })) |
                           tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) {
                             items += w.value.value;
                           }),
                       {.replicas = 2}),
          policy());
  EXPECT_EQ(items, 3'000);
}

// --- what is refused ---

TEST(KeyedFarmProblems, WithoutKeysOrCopies) {
  const auto refused = ElementsAre(HasSubstr("its state must see all items"));
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector<event>{{}}) |
                        tw::farm(tw::window(tw::tumbling(1s), tw::count_of(), tw::event_time(&event::at))) |
                        tw::sink([](const tw::windowed<std::int64_t>&) {}));
              }),
              refused);
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector<event>{{}}) | tw::key_by(&event::key) |
                        tw::farm(tw::window(
                            tw::tumbling(1s), tw::count_of(),
                            tw::event_time([n = std::int64_t{0}](const event&) mutable { return ++n; }))) |
                        tw::sink([](const tw::keyed<int, tw::windowed<std::int64_t>>&) {}));
              }),
              refused);
}

TEST(KeyedFarmProblems, BehindTheFirstStage) {
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector<event>{{}}) |
                        tw::farm(tw::key_by(&event::key) |
                                 tw::reduce(0, [](int n, const event&) { return n + 1; }, {.name = "r"})) |
                        tw::sink([](const tw::keyed<int, int>&) {}));
              }),
              ElementsAre(AllOf(HasSubstr("r'"), HasSubstr("must be the first stage"))));
}

}  // namespace
