// Farms that have a coordinator: those whose keys are divided up, those that deal their items out, and those
// in loops. Over any ranks they give what one thread gives.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"
#include "mpi/ranks.hpp"
#include "mpi/same.hpp"
#include "support/events.hpp"
#include "support/eventually.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using events::event;
using ranks::expect_same;

namespace {

constexpr long many = 5'000;

// The stage "work" on all ranks, that of the source and the sink among them; on some, unevenly; and wherever
// it goes by itself.
std::vector<tw::mpi> ways() {
  std::vector<int> all, some{ranks::count() - 1};
  for (int r = 0; r < ranks::count(); ++r) {
    all.push_back(r);
    for (int i = 0; i < r; ++i) some.push_back(r);
  }
  return {ranks::policy({.local = tw::pool{.workers = 2}, .place = {{"work", all}}}),
          ranks::policy({.local = tw::sequential{}, .place = {{"work", some}}}),
          ranks::policy({.local = tw::threads{}, .grouping = 1, .batch_bytes = 512}), ranks::policy()};
}

template <class Item = long> void expect_same_everywhere(auto job_of) {
  for (const auto& how : ways()) {
    expect_same<Item>(job_of, how);
  }
}

const tw::options work{.replicas = 5, .name = "work"};

auto sums() {
  return tw::key_by([](const long& x) { return x * x % 1'009; },
                    [](long& sum, const long& x) { return sum += x; });
}

TEST(Keys, StateOfEachKey) {
  expect_same_everywhere([](std::vector<long>& seen) {
    return tw::source(std::views::iota(0L, many)) | tw::farm(sums(), work) | tw::sink(seen);
  });
}

TEST(Keys, BetweenFarms) {
  expect_same_everywhere([](std::vector<long>& seen) {
    return tw::source(std::views::iota(0L, many)) | tw::farm([](const long& x) { return x + 1; }) |
           tw::farm(sums(), work) | tw::farm(tw::filter([](const long& x) { return x % 3 != 0; })) |
           tw::farm(sums()) | tw::sink(seen);
  });
}

// What follows in the same farm is executed with it, whatever it makes of an item.
TEST(Keys, WhatFollowsInTheFarm) {
  expect_same_everywhere([](std::vector<long>& seen) {
    return tw::source(std::views::iota(0L, many)) |
           tw::farm(sums() | tw::flat_map([](const long& x, tw::emitter<long>& out) {
                      for (long i = 0; i < x % 4; ++i) out(x + i);
                    }) | tw::filter([](const long& x) { return x % 5 != 0; }),
                    work) |
           tw::sink(seen);
  });
}

// Texts as keys, and results that come at the end only, in the order in which the keys appeared.
TEST(Keys, AResultForEachAtTheEnd) {
  using counted = tw::keyed<std::string, long>;
  expect_same_everywhere<counted>([](std::vector<counted>& seen) {
    return tw::source(std::views::iota(0L, many)) |
           tw::key_by([](const long& x) { return "key " + std::to_string(x * 7'919 % 701); }) |
           tw::farm(tw::reduce(0L, [](long n, const long&) { return n + 1; }), work) | tw::sink(seen);
  });
}

TEST(Keys, OfNothing) {
  expect_same_everywhere([](std::vector<long>& seen) {
    return tw::source(std::vector<long>{}) | tw::farm(sums(), work) | tw::sink(seen);
  });
}

using listed = tw::keyed<int, tw::windowed<std::vector<std::int64_t>>>;

TEST(Keys, WindowsByCount) {
  std::mt19937 random(1);
  const auto items = events::random_events(random, {6'000, 60, 0, 3});
  expect_same_everywhere<listed>([&](std::vector<listed>& seen) {
    return tw::source(items) | tw::key_by(&event::key) |
           tw::farm(tw::window(tw::count(10, 3), events::listing()), work) | tw::sink(seen);
  });
}

// Time is that of the whole stream: items of one key end the windows of others, on whichever rank they are.
// What comes too late is told where the stream is divided up.
TEST(Keys, WindowsByEventTime) {
  std::mt19937 random(2);
  for (const int jumps : {0, 40}) {
    const auto items = events::random_events(random, {6'000, 200, 80, 3, jumps});
    std::list<std::vector<std::int64_t>> late;
    expect_same_everywhere<listed>([&](std::vector<listed>& seen) {
      auto& these = late.emplace_back();
      return tw::source(items) | tw::key_by(&event::key) |
             tw::farm(
                 tw::window(tw::sliding(20ns, 10ns), events::listing(),
                            tw::event_time(&event::at,
                                           {.disorder = 10ns,
                                            .lateness = 5ns,
                                            .late = [&these](const event& e) { these.push_back(e.value); }})),
                 work) |
             tw::sink(seen);
    });
    if (!ranks::root()) continue;
    EXPECT_GT(late.front().size(), 50U);
    for (const auto& l : late) EXPECT_TRUE(l.empty() || l == late.front());  // empty: it is on another rank
  }
}

// Now and then a clock is wrong by years: on whichever rank its key is, the others do not believe it.
TEST(Keys, WindowsByEventTimeWhoseClocksAreWrong) {
  std::mt19937 random(3);
  auto items = events::random_events(random, {6'000, 200, 80, 3, 0});
  for (std::size_t i = 500; i < items.size(); i += 700)
    items[i].at += std::int64_t{100} * 1'000'000 * 1'000'000'000;
  std::list<std::vector<std::int64_t>> late;
  expect_same_everywhere<listed>([&](std::vector<listed>& seen) {
    auto& these = late.emplace_back();
    return tw::source(items) | tw::key_by(&event::key) |
           tw::farm(tw::window(tw::tumbling(20ns), events::listing(),
                               tw::event_time(&event::at,
                                              {.disorder = 100ns,
                                               .late = [&these](const event& e) { these.push_back(e.value); },
                                               .max_ahead = 1us})),
                    work) |
           tw::sink(seen);
  });
  if (!ranks::root()) return;
  EXPECT_GE(late.front().size(), items.size() / 700);
  for (const auto& l : late) EXPECT_TRUE(l.empty() || l == late.front());  // empty: it is on another rank
}

// Gives so many numbers, and ends when all that became of them has come to the sink, which is where the
// source is: only that time has passed can have made it. (With one thread for everything nobody could bring
// it there.)
auto stalling_source(long numbers, const tw::mpi& how, const std::atomic<long>& came, bool& in_time) {
  const bool alone = how.options().local && how.options().local->name() == "sequential";
  return tw::source(
      [=, &came, &in_time, n = 0L]() mutable -> std::optional<long> {
        if (n < numbers) return n++;
        in_time = alone || eventually([&] { return came == numbers; });
        return std::nullopt;
      },
      {.blocking = true});
}

TEST(Keys, WindowsByProcessingTime) {
  for (const auto& how : ways()) {
    std::atomic<long> counted{0};
    bool in_time = false;
    tw::run(
        stalling_source(2'000, how, counted, in_time) | tw::key_by([](const long& x) { return x % 50; }) |
            tw::farm(tw::window(tw::tumbling(5ms), tw::count_of()), work) |
            tw::sink([&](const tw::keyed<long, tw::windowed<std::int64_t>>& w) { counted += w.value.value; }),
        how);
    EXPECT_TRUE(in_time || !ranks::root());
    EXPECT_EQ(counted, ranks::root() ? 2'000 : 0);
  }
}

TEST(Keys, WithoutOrderEachKeyKeepsIts) {
  for (const auto& how : ways()) {
    std::vector<long> seen;
    tw::run(tw::source(std::views::iota(0L, many)) |
                tw::farm(tw::key_by([](const long& x) { return x % 100; },
                                    [](long& n, const long& x) { return 1'000 * (x % 100) + n++; }),
                         {.replicas = 4, .unordered = true, .name = "work"}) |
                tw::sink(seen),
            how);
    if (!ranks::root()) continue;
    ASSERT_EQ(seen.size(), std::size_t{many});
    std::map<long, long> next;
    for (const long x : seen) ASSERT_EQ(x % 1'000, next[x / 1'000]++);
  }
}

// Ranks that an ordered merge asks for, and due times of a paced source, go with the items.
TEST(Keys, BetweenASplitAndAnOrderedMerge) {
  tw::let_travel<long>();
  for (const bool unordered : {false, true}) {
    for (const auto& how : ways()) {
      std::vector<long> seen;
      tw::graph g;
      auto& split = g.add<tw::split<long>>(tw::where<long>([](const long& x) { return x % 3 == 0; }));
      auto& merge = g.add<tw::merge<long>>(tw::ordered);
      const auto same =
          tw::key_by([](const long& x) { return x % 11; }, [](long&, const long& x) { return x; });
      auto one = g.add(tw::farm(same, {.replicas = 3, .unordered = unordered, .name = "work"}));
      auto other = g.add(tw::farm([](const long& x) { return x; }, {.replicas = 2}));
      g.connect(
          g.add(tw::paced([n = 0L]() mutable { return n < many ? std::optional(n++) : std::nullopt; }, 1e6))
              .out,
          split.in);
      g.connect(split.branch(0), one.in);
      g.connect(split.branch(1), other.in);
      g.connect(one.out, merge.input());
      g.connect(other.out, merge.input());
      g.connect(merge.out, g.add(tw::sink(seen)).in);
      const auto r = tw::run(g, how);
      if (!ranks::root()) continue;
      ASSERT_EQ(seen.size(), std::size_t{many});
      EXPECT_TRUE(unordered || std::ranges::is_sorted(seen));
      EXPECT_EQ(r.latency().count(), static_cast<std::uint64_t>(many));
    }
  }
}

TEST(Keys, AFailureNamesTheStage) {
  for (const auto& how : ways()) {
    try {
      tw::run(tw::source(std::views::iota(0L, many)) |
                  tw::farm(tw::key_by([](const long& x) { return x % 100; },
                                      [](long&, const long& x) {
                                        if (x == 2'500) throw std::domain_error("half of them");
                                        return x;
                                      }),
                           work) |
                  tw::sink([](long) {}),
              how);
      ADD_FAILURE() << "it has not thrown";
    } catch (const tw::stage_error& e) {
      EXPECT_EQ(e.stage(), "work");
    }
  }
}

// --- farms that deal their items out ---

// Which replica it is cannot be seen, but how many items it has had.
struct nth {
  long n = 0;
  long operator()(const long&) { return n++; }
};

// Each item goes to the replica to which it would go if all of them were on one rank.
void expect_dealt(const tw::schedule& schedule, auto which) {
  if (ranks::count() == 1) GTEST_SKIP() << "how many replicas there are is the local policy's affair";
  for (const auto& how : ways()) {
    std::vector<long> seen;
    tw::run(tw::source(std::views::iota(0L, many)) |
                tw::farm(tw::per_replica([] { return nth{}; }),
                         {.replicas = 5, .name = "work", .schedule = schedule}) |
                tw::sink(seen),
            how);
    if (!ranks::root()) continue;
    const auto& places = how.options().place;
    const auto replicas = places.empty() ? std::size_t{5} : places.front().ranks.size();
    std::vector<long> wanted, had(replicas);
    for (long x = 0; x < many; ++x) wanted.push_back(had[which(x, replicas)]++);
    EXPECT_EQ(seen, wanted);
  }
}

TEST(Dealt, InTurn) {
  expect_dealt(tw::round_robin, [](long x, std::size_t n) { return static_cast<std::size_t>(x) % n; });
}

TEST(Dealt, AsAFunctionSays) {
  const auto which = [](const long& x, std::size_t n) { return static_cast<std::size_t>(x * x) % n; };
  expect_dealt(tw::route(which), which);
}

// --- loops ---

// What a loop of the halver makes of 1 to `most`, sorted.
std::vector<int> halved(int most) {
  std::vector<int> all;
  for (int x = 1; x <= most; ++x) {
    int y = x;
    while (y % 2 == 0) y /= 2;
    all.push_back(y);
  }
  std::ranges::sort(all);
  return all;
}

void expect_halved_by_a_loop(const tw::options& of_the_farm, const tw::mpi& how) {
  tw::let_travel<int>();
  std::vector<int> seen;
  tw::graph g;
  auto& h = g.add<graphs::halver>();
  auto farm = g.add(tw::farm([](int x) { return x; }, of_the_farm));
  g.connect(g.add(tw::source(std::views::iota(1, 2'001))).out, h.fresh);
  g.connect(h.again, farm.in);
  g.connect(farm.out, h.back);
  g.connect(h.done, g.add(tw::sink(seen)).in);
  tw::run(g, how);
  if (!ranks::root()) return;
  std::ranges::sort(seen);
  EXPECT_EQ(seen, halved(2'000));
}

TEST(Loop, AFarmOnOtherRanksInALoop) {
  for (const auto& how : ways()) expect_halved_by_a_loop(work, how);
}

TEST(Loop, AFarmThatDealsItsItemsOutOnOneOtherRank) {
  expect_halved_by_a_loop({.replicas = 3, .name = "work", .schedule = tw::round_robin},
                          ranks::policy({.place = {{"work", {ranks::count() - 1}}}}));
}

// The loop ends when nothing comes any more, also if that is for another rank to say.
TEST(Loop, WhoseItemsComeFromAnotherRank) {
  tw::let_travel<int>();
  std::vector<int> seen;
  tw::graph g;
  auto& h = g.add<graphs::halver>();
  g.connect(g.add(tw::source(std::views::iota(1, 2'001), {.name = "count"})).out, h.fresh);
  g.connect(h.again, h.back);
  g.connect(h.done, g.add(tw::sink(seen)).in);
  tw::run(g, ranks::policy({.place = {{"count", {ranks::count() - 1}}}}));
  if (!ranks::root()) return;
  std::ranges::sort(seen);
  EXPECT_EQ(seen, halved(2'000));
}

// --- timers ---

// A batch is closed by its interval, although nothing more comes.
TEST(Timers, InFarmsOnOtherRanks) {
  for (const bool dealt : {false, true}) {
    for (const auto& how : ways()) {
      std::atomic<long> items{0};
      bool in_time = false;
      tw::options opts{.replicas = 5, .unordered = true, .name = "work"};
      if (dealt) opts.schedule = tw::round_robin;
      tw::run(stalling_source(100, how, items, in_time) |
                  tw::farm(tw::batch({.items = 1'000, .interval = 10ms}), opts) |
                  tw::sink([&](const std::vector<long>& all) { items += static_cast<long>(all.size()); }),
              how);
      EXPECT_TRUE(in_time || !ranks::root());
      EXPECT_EQ(items, ranks::root() ? 100 : 0);
    }
  }
}

}  // namespace
