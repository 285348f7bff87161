// Event time: what of the times is believed, and what becomes of windows while nothing comes.
#include <thalweg/test.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class EventTime : public under_every_policy {
 protected:
  // Whether something can happen while a source waits in its call.
  static bool goes_on_beside_the_source() { return !one_thread() && GetParam() != "pool:1"; }
};
FOR_EVERY_POLICY(EventTime);

using listed = tw::keyed<int, tw::windowed<std::vector<std::int64_t>>>;

// Some items have times that are far ahead, also several in a row.
std::vector<event> with_wild_times(std::mt19937& random, std::vector<event> items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (random() % 40 != 0) continue;
    const auto ahead = std::int64_t{1} << (14 + random() % 46);
    for (auto n = random() % 3 + 1; n > 0 && i < items.size(); --n) items[i++].at += ahead;
  }
  return items;
}

// By the simplest means: which of them are not believed.
std::pair<std::vector<event>, std::vector<event>> judged(const std::vector<event>& items, std::int64_t most) {
  std::pair<std::vector<event>, std::vector<event>> found;
  std::optional<std::int64_t> latest;
  for (const auto& e : items) {
    const bool wild = latest && e.at - *latest > most;
    if (!wild && (!latest || e.at > *latest)) latest = e.at;
    (wild ? found.second : found.first).push_back(e);
  }
  return found;
}

template <class Spec>
void compare_with_plain_windows(const std::vector<event>& items, Spec spec, int replicas,
                                std::chrono::nanoseconds lateness, const tw::any_policy& policy) {
  constexpr std::int64_t most_ahead = 5'000;
  const auto [believed, wild] = judged(items, most_ahead);
  EXPECT_FALSE(wild.empty());
  std::vector<event> late;
  const auto note = [&](const event& e) { late.push_back(e); };
  std::vector<listed> want;
  tw::run(tw::source(believed) | tw::key_by(&event::key) |
              tw::window(spec, listing(),
                         tw::event_time(&event::at, {.disorder = 20ns, .lateness = lateness, .late = note})) |
              tw::sink(want),
          tw::sequential{});
  auto want_late = std::exchange(late, {});
  want_late.insert(want_late.end(), wild.begin(), wild.end());
  std::sort(want_late.begin(), want_late.end(),
            [](const event& a, const event& b) { return a.value < b.value; });

  const auto stage =
      tw::window(spec, listing(),
                 tw::event_time(&event::at, {.disorder = 20ns,
                                             .lateness = lateness,
                                             .late = note,
                                             .max_ahead = std::chrono::nanoseconds(most_ahead)}),
                 {.name = "w"});
  std::vector<listed> seen;
  const auto r = tw::run(tw::source(items) | tw::key_by(&event::key) | stage | tw::sink(seen), policy);
  EXPECT_EQ(seen, want);
  EXPECT_EQ(late, want_late);
  EXPECT_EQ(r.stage("w").skipped(), want_late.size());
  late.clear();
  seen.clear();
  tw::run(
      tw::source(items) | tw::key_by(&event::key) | tw::farm(stage, {.replicas = replicas}) | tw::sink(seen),
      policy);
  EXPECT_EQ(seen, want);
  EXPECT_EQ(late, want_late);
}

TEST_P(EventTime, WhatIsTooFarAheadIsLateAndMovesNothing) {
  std::mt19937 random(11);
  for (int round = 0; round < 4; ++round) {
    const auto items =
        with_wild_times(random, random_events(random, {3'000, round % 2 == 0 ? 5 : 300, 30, 3}));
    const int replicas = 1 + round;
    const std::chrono::nanoseconds lateness(round < 2 ? 0 : 15);
    compare_with_plain_windows(items, tw::tumbling(40ns), replicas, lateness, policy());
    compare_with_plain_windows(items, tw::sliding(60ns, 20ns), replicas, lateness, policy());
    compare_with_plain_windows(items, tw::session(12ns), replicas, lateness, policy());
    if (HasFailure()) return;
  }
}

TEST_P(EventTime, OneWildTimeDoesNotMakeAllOthersLate) {
  const std::vector<event> items{{0, 1, 0}, {0, 2, 1},  {0, 1'000'000'000, 2},
                                 {0, 3, 3}, {0, 11, 4}, {0, 25, 5}};
  std::vector<std::int64_t> late;
  std::vector<tw::windowed<std::int64_t>> seen;
  tw::run(tw::source(items) |
              tw::window(tw::tumbling(10ns), tw::count_of(),
                         tw::event_time(&event::at, {.disorder = 5ns,
                                                     .late = [&](const event& e) { late.push_back(e.value); },
                                                     .max_ahead = 100ns})) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(late, ElementsAre(2));
  EXPECT_EQ(seen, (std::vector<tw::windowed<std::int64_t>>{{0, 10, 3}, {10, 20, 1}, {20, 30, 1}}));
}

// Windows of a stream whose source falls silent until they have been given.
template <class Spec> void expect_results_in_silence(Spec spec, bool farmed, const tw::any_policy& policy) {
  // A busy machine may let the source fall silent earlier: what comes then is late.
  std::atomic<std::int64_t> arrived{0}, late{0};
  bool in_time = false;
  const auto source = tw::source([&, n = 0]() mutable -> std::optional<event> {
    if (n == 40) in_time = eventually([&] { return arrived + late == 40; });
    return n < 60 ? std::optional(event{n % 7, n, n++}) : std::nullopt;
  });
  const auto stage = tw::window(
      spec, tw::count_of(),
      tw::event_time(&event::at,
                     {.disorder = 10ns, .late = [&](const event&) { ++late; }, .idle_after = 5ms}));
  const auto count =
      tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) { arrived += w.value.value; });
  const auto keys = tw::key_by(&event::key);
  if (farmed) {
    tw::run(source | keys | tw::farm(stage, {.replicas = 3}) | count, policy);
  } else {
    tw::run(source | keys | stage | count, policy);
  }
  EXPECT_TRUE(in_time) << "windows must end though no item comes";
  EXPECT_EQ(arrived + late, 60);
}

TEST_P(EventTime, ASilentSourceHoldsNoResultBack) {
  if (!goes_on_beside_the_source()) GTEST_SKIP() << "its one worker is in the source";
  for (const bool farmed : {false, true}) {
    expect_results_in_silence(tw::tumbling(30ns), farmed, policy());
    expect_results_in_silence(tw::session(20ns), farmed, policy());
  }
}

TEST_P(EventTime, WhatWaitsIsNoSilence) {
  if (!goes_on_beside_the_source()) GTEST_SKIP() << "its one worker is in the source";
  // Each item takes longer than a silence, and the next one has been given by then.
  constexpr int n = 40;
  std::atomic<int> called{0};
  const auto slow = tw::aggregate(
      [&](int x) {
        EXPECT_TRUE(eventually([&] { return called > std::min(x + 3, n); }));
        std::this_thread::sleep_for(2ms);
        return 1;
      },
      std::plus<>{});
  std::vector<int> late;
  std::vector<tw::windowed<int>> seen;
  tw::run(
      tw::source([&, i = 0]() mutable -> std::optional<int> {
        ++called;
        return i < n ? std::optional(i++) : std::nullopt;
      }) |
          tw::window(tw::tumbling(100ns), slow,
                     tw::event_time([](int x) { return std::int64_t{x}; },
                                    {.late = [&](const int& x) { late.push_back(x); }, .idle_after = 1ms}),
                     {.capacity = 8}) |
          tw::sink(seen),
      policy());
  EXPECT_THAT(late, IsEmpty());
  EXPECT_EQ(seen, (std::vector<tw::windowed<int>>{{0, 100, n}}));
}

TEST_P(EventTime, TimersBehindTheWindowsOfAFarmDoNotMoveTheirTime) {
  if (!goes_on_beside_the_source()) GTEST_SKIP() << "its one worker is in the source";
  std::atomic<int> arrived{0};
  int late = 0;
  using result = tw::keyed<int, tw::windowed<std::int64_t>>;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<event> {
            const bool over = n != 2 || eventually([&] { return arrived > 0; });  // the batch's interval
            EXPECT_TRUE(over);
            return n < 6 ? std::optional(event{0, n < 2 ? 10 * n : 10 + 2 * n, n++}) : std::nullopt;
          }) | tw::key_by(&event::key) |
              tw::farm(tw::window(tw::tumbling(10ns), tw::count_of(),
                                  tw::event_time(&event::at, {.late = [&](const event&) { ++late; }})) |
                           tw::batch(100, 2ms),
                       {.replicas = 2, .unordered = true}) |
              tw::sink([&](const std::vector<result>& all) { arrived += static_cast<int>(all.size()); }),
          policy());
  EXPECT_EQ(late, 0);
  EXPECT_EQ(arrived, 3);
}

// --- with virtual time ---

auto ends() {
  return tw::map([](const tw::windowed<int>& w) { return std::pair(w.end, w.value); });
}
auto by_itself(tw::event_time_options how) {
  return tw::event_time([](int x) { return std::int64_t{x}; }, std::move(how));
}
using out = std::pair<std::int64_t, int>;

TEST(EventTimeSilence, EndsTheWindowsOnce) {
  std::vector<int> late;
  tw::test<int>(tw::window(tw::tumbling(10ns), tw::sum_of(),
                           by_itself({.late = [&](const int& x) { late.push_back(x); }, .idle_after = 5s})) |
                ends())
      .send(3, 4)
      .at(5s - 1ns)
      .expect_nothing()
      .at(5s)
      .expect(out{10, 7})
      .at(20s)
      .expect_nothing()
      .send(9)  // its window is over
      .at(30s)
      .expect_nothing()
      .send(12)  // and this one still open
      .at(34s)
      .send(13)
      .at(39s - 1ns)
      .expect_nothing()
      .at(39s)
      .expect(out{20, 25})
      .send(21)
      .end()
      .expect(out{30, 21});
  EXPECT_THAT(late, ElementsAre(9));
}

TEST(EventTimeSilence, EndsAllWindowsOfTheLastItem) {
  tw::test<int>(
      tw::window(tw::sliding(30ns, 10ns), tw::sum_of(), by_itself({.disorder = 100ns, .idle_after = 1s})) |
      ends())
      .send(5, 12)
      .at(1s)
      .expect(out{10, 5}, out{20, 17}, out{30, 17}, out{40, 12});
  tw::test<int>(tw::window(tw::session(10ns), tw::sum_of(), by_itself({.idle_after = 1s})) | ends())
      .send(-5, 3)
      .at(1s)
      .expect(out{13, -2});
}

TEST(EventTimeSilence, WhatComesWithinTheLatenessCorrects) {
  tw::test<int>(
      tw::window(tw::tumbling(10ns), tw::sum_of(), by_itself({.lateness = 20ns, .idle_after = 1s})) | ends())
      .send(3)
      .at(1s)
      .expect(out{10, 3})
      .send(4)
      .expect(out{10, 7});
}

TEST(EventTimeSilence, AddsToWhatIsBelieved) {
  std::vector<int> late;
  auto stage = [&](std::chrono::nanoseconds idle) {
    return tw::window(tw::tumbling(10ns), tw::sum_of(),
                      by_itself({.late = [&](const int& x) { late.push_back(x); },
                                 .max_ahead = 100ns,
                                 .idle_after = idle})) |
           ends();
  };
  tw::test<int>(stage(1s)).send(3, 203).at(100ns).send(203, 204).end().expect(out{10, 3}, out{210, 407});
  EXPECT_THAT(late, ElementsAre(203)) << "100 ns later it may be true";
  late.clear();
  tw::test<int>(stage(0s)).send(3).at(1h).send(203).end().expect(out{10, 3});
  EXPECT_THAT(late, ElementsAre(203));
}

TEST(EventTimeProblems, OptionsThatMakeNoSense) {
  const auto problems_with = [](tw::event_time_options how) {
    return problems_of([&] {
      tw::run(tw::source(std::vector{1}) | tw::window(tw::tumbling(1s), tw::sum_of(), by_itself(how)) |
              tw::sink([](const tw::windowed<int>&) {}));
    });
  };
  EXPECT_THAT(problems_with({.max_ahead = -1s, .idle_after = -1s}),
              ElementsAre(HasSubstr(".max_ahead is negative"), HasSubstr(".idle_after is negative")));
  EXPECT_THAT(problems_with({.max_ahead = std::chrono::nanoseconds::max()}),
              ElementsAre(HasSubstr("too large")));
}

}  // namespace
