#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct event {
  int key;
  std::int64_t time;
  int number;  // in its stream
  friend auto operator<=>(const event&, const event&) = default;
};
using pair = std::pair<event, event>;
using join = tw::interval_join<event, event>;

struct interval {
  std::int64_t before;
  std::int64_t after;
};

std::vector<event> numbered(std::vector<std::pair<int, std::int64_t>> of) {
  std::vector<event> all;
  for (const auto& [key, time] : of) all.push_back({key, time, static_cast<int>(all.size())});
  return all;
}

struct outcome {
  std::vector<pair> pairs;
  std::vector<event> late_left, late_right;
};

outcome joined(const std::vector<event>& left, const std::vector<event>& right, interval i,
               tw::interval_join_options options, const tw::any_policy& policy,
               tw::connect_options pipe = {}) {
  outcome seen;
  tw::graph g;
  auto& j = g.add<join>(&event::key, &event::key, &event::time, &event::time,
                        std::chrono::nanoseconds(i.before), std::chrono::nanoseconds(i.after), options);
  g.connect(g.add(tw::source(left)).out, j.left, pipe);
  g.connect(g.add(tw::source(right)).out, j.right, pipe);
  g.connect(j.out, g.add(tw::sink(seen.pairs)).in);
  g.connect(j.late_left, g.add(tw::sink(seen.late_left)).in);
  g.connect(j.late_right, g.add(tw::sink(seen.late_right)).in);
  tw::run(g, policy);
  EXPECT_EQ(j.late(), seen.late_left.size() + seen.late_right.size());
  return seen;
}

constexpr auto no_limit = std::numeric_limits<std::int64_t>::max();

// What is in time, by the definition: nothing before it is ahead of it by more than the disorder, and it is
// not too far ahead itself.
struct judgement {
  bool in_time;
  bool too_far;
};
std::vector<judgement> judged(const std::vector<event>& stream, std::int64_t disorder,
                              std::int64_t max_ahead) {
  std::vector<judgement> is;
  std::optional<std::int64_t> latest;
  for (const auto& e : stream) {
    const bool too_far = latest && e.time - *latest > max_ahead;
    is.push_back({!too_far && (!latest || e.time >= *latest - disorder), too_far});
    if (is.back().in_time) latest = std::max(latest.value_or(e.time), e.time);
  }
  return is;
}

// The join as its documentation says it: nothing is ever forgotten, and partners are looked for one by one.
outcome model(const std::vector<event>& left, const std::vector<event>& right, interval i,
              std::int64_t disorder, std::int64_t max_ahead = no_limit) {
  outcome seen;
  const auto of_left = judged(left, disorder, max_ahead);
  const auto of_right = judged(right, disorder, max_ahead);
  std::vector<event> lefts, rights;  // those that were taken
  const auto in_order = [](const event& a, const event& b) {
    return a.time != b.time ? a.time < b.time : a.number < b.number;
  };
  for (std::size_t l = 0, r = 0; l < left.size() || r < right.size();) {
    const bool from_left =
        r == right.size() ||
        (l < left.size() && (of_left[l].too_far || (!of_right[r].too_far && left[l].time <= right[r].time)));
    const event& e = from_left ? left[l] : right[r];
    const bool good = from_left ? of_left[l++].in_time : of_right[r++].in_time;
    if (!good) {
      (from_left ? seen.late_left : seen.late_right).push_back(e);
      continue;
    }
    auto others = from_left ? rights : lefts;
    std::sort(others.begin(), others.end(), in_order);
    for (const event& other : others) {
      const event& a = from_left ? e : other;
      const event& b = from_left ? other : e;
      if (a.key == b.key && b.time >= a.time - i.before && b.time <= a.time + i.after)
        seen.pairs.emplace_back(a, b);
    }
    (from_left ? lefts : rights).push_back(e);
  }
  return seen;
}

std::vector<event> random_stream(std::mt19937& random, int n, int keys, std::int64_t step,
                                 std::int64_t shuffle) {
  std::vector<event> all;
  std::int64_t now = static_cast<std::int64_t>(random() % 50) - 25;
  for (int i = 0; i < n; ++i) {
    now += static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(step + 1));
    all.push_back({static_cast<int>(random() % static_cast<std::uint32_t>(keys)),
                   now - static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(shuffle + 1)), i});
  }
  return all;
}

std::string refusal(std::function<void(tw::graph&)> add) {
  tw::graph g;
  add(g);
  try {
    tw::run(g);
  } catch (const tw::invalid_job& e) {
    return e.what();
  }
  return "nothing";
}

class interval_join : public under_every_policy {};
FOR_EVERY_POLICY(interval_join);

}  // namespace

TEST_P(interval_join, PairsWhatIsWithinTheIntervalBoundsIncluded) {
  const auto seen =
      joined(numbered({{1, 10}}), numbered({{1, 6}, {1, 7}, {1, 12}, {1, 13}}), {3, 2}, {}, policy());
  std::vector<std::int64_t> times;
  for (const auto& [l, r] : seen.pairs) times.push_back(r.time);
  EXPECT_THAT(times, ElementsAre(7, 12));
}

TEST_P(interval_join, PairsOnlyWhatHasTheSameKey) {
  const auto seen = joined(numbered({{1, 10}, {2, 10}}), numbered({{2, 10}, {3, 10}}), {5, 5}, {}, policy());
  ASSERT_EQ(seen.pairs.size(), 1);
  EXPECT_EQ(seen.pairs[0].first.key, 2);
}

TEST_P(interval_join, AnIntervalMayLieWhollyOnOneSide) {
  const auto rights = numbered({{1, 10}, {1, 14}, {1, 15}, {1, 20}, {1, 21}});
  const auto seen = joined(numbered({{1, 10}}), rights, {-5, 10}, {}, policy());
  std::vector<std::int64_t> times;
  for (const auto& [l, r] : seen.pairs) times.push_back(r.time);
  EXPECT_THAT(times, ElementsAre(15, 20));
}

TEST_P(interval_join, WhatIsBehindItsOwnStreamIsLateAndMakesNoPairs) {
  const auto lefts = numbered({{1, 100}, {1, 95}, {1, 94}, {1, 101}});
  const auto seen =
      joined(lefts, numbered({{1, 90}, {1, 94}, {1, 96}}), {10, 10}, {.disorder = 5ns}, policy());
  EXPECT_THAT(seen.late_left, ElementsAre(lefts[2]));
  EXPECT_THAT(seen.late_right, IsEmpty());
  for (const auto& [l, r] : seen.pairs) EXPECT_NE(l.number, 2);
  EXPECT_EQ(seen.pairs.size(), 3U + 3U + 2U);
}

TEST_P(interval_join, GivesWhatTheDefinitionSaysInThatOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const std::int64_t step = 1 + random() % 8;
    const std::int64_t shuffle = random() % 30;
    const int keys = 1 + static_cast<int>(random() % 6);
    const interval i{static_cast<std::int64_t>(random() % 30) - 5,
                     static_cast<std::int64_t>(random() % 30) + 5};
    auto left = random_stream(random, static_cast<int>(random() % 400), keys, step, shuffle);
    auto right = random_stream(random, static_cast<int>(random() % 400), keys, step, shuffle);
    const std::int64_t disorder = random() % 20;
    // In every other round some times are far ahead, and not believed.
    const std::int64_t max_ahead = round % 2 == 0 ? 0 : 50;
    for (auto* stream : {&left, &right}) {
      for (auto& e : *stream) {
        if (max_ahead > 0 && random() % 20 == 0) e.time += 1'000'000;
      }
    }

    const auto expected = model(left, right, i, disorder, max_ahead > 0 ? max_ahead : no_limit);
    const tw::interval_join_options options{.disorder = std::chrono::nanoseconds(disorder),
                                            .max_ahead = std::chrono::nanoseconds(max_ahead)};
    const auto seen =
        joined(left, right, i, options, policy(), {.capacity = 1 + static_cast<int>(random() % 50)});
    ASSERT_EQ(seen.pairs, expected.pairs) << "round " << round;
    ASSERT_EQ(seen.late_left, expected.late_left) << "round " << round;
    ASSERT_EQ(seen.late_right, expected.late_right) << "round " << round;
  }
}

TEST_P(interval_join, OneWildTimeDoesNotMakeAllOthersLate) {
  const auto lefts = numbered({{1, 10}, {1, 1'000'000}, {1, 12}, {1, 14}});
  const auto seen = joined(lefts, numbered({{1, 11}, {1, 13}}), {5, 5}, {.max_ahead = 100ns}, policy());
  EXPECT_THAT(seen.late_left, ElementsAre(lefts[1]));
  EXPECT_EQ(seen.pairs.size(), 6U);
}

TEST_P(interval_join, InAnyOrderThePairsAreTheSame) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    const auto left = random_stream(random, 300, 4, 5, 20);
    const auto right = random_stream(random, 300, 4, 5, 20);
    auto expected = model(left, right, {15, 10}, 12).pairs;
    auto seen = joined(left, right, {15, 10}, {.disorder = 12ns, .any_order = true}, policy()).pairs;
    std::sort(expected.begin(), expected.end());
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen, expected) << "round " << round;
  }
}

TEST_P(interval_join, InAnyOrderNothingWaitsForAStreamThatIsSilent) {
  std::atomic<int> pairs{0};
  tw::graph g;
  auto& j = g.add<join>(&event::key, &event::key, &event::time, &event::time, 5ns, 5ns,
                        tw::interval_join_options{.any_order = true});
  // The right stream says nothing more until the pair of its first item has been seen.
  const auto right = [&, n = 0]() mutable -> std::optional<event> {
    if (n == 1) {
      while (!one_thread() && pairs == 0) std::this_thread::yield();
      return {};
    }
    return event{1, 10, n++};
  };
  g.connect(g.add(tw::source(numbered({{1, 8}, {1, 30}}))).out, j.left);
  g.connect(g.add(tw::source(right, {.blocking = true})).out, j.right);
  g.connect(j.out, g.add(tw::sink([&](const pair&) { ++pairs; })).in);
  tw::run(g, policy());
  EXPECT_EQ(pairs, 1);
}

namespace {

std::atomic<int> alive{0};
std::atomic<int> most_alive{0};

struct counted {
  int key = 0;
  std::int64_t time = 0;
  counted(int k, std::int64_t t) : key(k), time(t) { count(); }
  counted(const counted& other) : key(other.key), time(other.time) { count(); }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }
  static void count() {
    const int now = ++alive;
    for (int most = most_alive; most < now && !most_alive.compare_exchange_weak(most, now);) {
    }
  }
};

}  // namespace

TEST_P(interval_join, HoldsNoMoreThanAnIntervalNeeds) {
  constexpr int n = 20'000;
  const auto times = [](int keys) {
    return tw::source([keys, i = 0]() mutable -> std::optional<counted> {
      if (i == n) return {};
      const int now = i++;
      return counted{now % keys, now};
    });
  };
  for (const int keys : {1, 1'000}) {
    alive = most_alive = 0;
    std::int64_t pairs = 0;
    tw::graph g;
    auto& j = g.add<tw::interval_join<counted, counted, std::int64_t>>(
        &counted::key, &counted::key, &counted::time, &counted::time, 20ns, 20ns,
        [](const counted& a, const counted& b) { return a.time - b.time; },
        tw::interval_join_options{.disorder = 30ns});
    g.connect(g.add(times(keys)).out, j.left, {.capacity = 64});
    g.connect(g.add(times(keys)).out, j.right, {.capacity = 64});
    g.connect(j.out, g.add(tw::sink([&](std::int64_t) { ++pairs; })).in);
    tw::run(g, policy());
    EXPECT_EQ(pairs, keys == 1 ? 41 * n - 20 * 21 : n);
    EXPECT_LT(most_alive, n / 5);
    EXPECT_LT(alive, n / 20);  // those on which ports still have their hands
  }
}

TEST_P(interval_join, WhatHasNoPartnerLeftIsNotHeld) {
  alive = most_alive = 0;
  tw::graph g;
  auto& j = g.add<tw::interval_join<counted, counted, int>>(&counted::key, &counted::key, &counted::time,
                                                            &counted::time, 1'000'000ns, 0ns,
                                                            [](const counted&, const counted&) { return 0; });
  // All that could be held for the left stream ends with it.
  g.connect(g.add(tw::source([n = 0]() mutable -> std::optional<counted> {
               return n++ < 3 ? std::optional(counted{0, 0}) : std::nullopt;
             })).out,
            j.left, {.capacity = 64});
  g.connect(g.add(tw::source([n = 0]() mutable -> std::optional<counted> {
               return n++ < 30'000 ? std::optional(counted{1, n}) : std::nullopt;
             })).out,
            j.right, {.capacity = 64});
  g.connect(j.out, g.add(tw::sink([](int) {})).in);
  tw::run(g, policy());
  EXPECT_LT(most_alive, 10'000);
}

TEST_P(interval_join, BeginsAnewInEveryRun) {
  std::vector<pair> seen;
  tw::graph g;
  auto& j = g.add<join>(&event::key, &event::key, &event::time, &event::time, 5ns, 5ns);
  g.connect(g.add(tw::source(numbered({{1, 10}, {1, 3}}))).out, j.left);
  g.connect(g.add(tw::source(numbered({{1, 10}}))).out, j.right);
  g.connect(j.out, g.add(tw::sink(seen)).in);
  for (int i = 0; i < 2; ++i) {
    seen.clear();
    const tw::report report = tw::run(g, policy());
    EXPECT_EQ(seen.size(), 1);
    EXPECT_EQ(j.late(), 1);
    EXPECT_EQ(report.stage(j.name()).dropped(), 1);  // as nobody is connected to late_left
  }
}

TEST_P(interval_join, BeginsAnewAfterARunThatFailed) {
  bool fails = true;
  int pairs = 0;
  tw::graph g;
  auto& j = g.add<tw::interval_join<event, event, int>>(&event::key, &event::key, &event::time, &event::time,
                                                        5ns, 5ns, [&](const event&, const event&) {
                                                          if (fails) throw std::runtime_error("no");
                                                          return 0;
                                                        });
  g.connect(g.add(tw::source(numbered({{1, 10}}))).out, j.left);
  g.connect(g.add(tw::source(numbered({{1, 10}}))).out, j.right);
  g.connect(j.out, g.add(tw::sink([&](int) { ++pairs; })).in);
  EXPECT_THROW(tw::run(g, policy()), tw::stage_error);
  fails = false;
  tw::run(g, policy());
  EXPECT_EQ(pairs, 1);
}

TEST_P(interval_join, ItemsNeedNotBeCopyable) {
  struct left_item {
    std::unique_ptr<int> key;
    std::chrono::milliseconds at;
  };
  std::vector<int> seen;
  tw::graph g;
  const auto key = [](const left_item& l) { return *l.key; };
  const auto make = [n = 0]() mutable -> std::optional<left_item> {
    if (n == 3) return {};
    const int k = n++;
    return left_item{std::make_unique<int>(k), std::chrono::milliseconds(k)};
  };
  auto& j = g.add<tw::interval_join<left_item, event, int>>(
      key, &event::key, &left_item::at, &event::time, 1ms, 1ms,
      [](const left_item& l, const event& r) { return 10 * *l.key + r.number; });
  g.connect(g.add(tw::source(make)).out, j.left);
  g.connect(g.add(tw::source(numbered({{1, 500'000}, {2, 1'000'000}}))).out, j.right);
  g.connect(j.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  EXPECT_THAT(seen, ElementsAre(10, 21));
}

TEST_P(interval_join, WhatItsFunctionsThrowEndsTheRunAndNamesIt) {
  tw::graph g;
  auto& j = g.configure(g.add<tw::interval_join<event, event, int>>(
                            &event::key, &event::key, &event::time, &event::time, 5ns, 5ns,
                            [](const event&, const event&) -> int { throw std::domain_error("no"); }),
                        {.name = "match"});
  g.connect(g.add(tw::source(numbered({{1, 10}}))).out, j.left);
  g.connect(g.add(tw::source(numbered({{1, 10}}))).out, j.right);
  g.connect(j.out, g.add(tw::sink([](int) {})).in);
  try {
    tw::run(g, policy());
    FAIL() << "nothing was thrown";
  } catch (const tw::stage_error& e) {
    EXPECT_EQ(e.stage(), "match");
    EXPECT_THAT(e.what(), HasSubstr("no"));
  }
}

TEST(IntervalJoin, WrongOptionsAreRefused) {
  const auto with = [](std::chrono::nanoseconds before, std::chrono::nanoseconds after,
                       std::chrono::nanoseconds disorder) {
    return refusal([=](tw::graph& g) {
      g.add<join>(&event::key, &event::key, &event::time, &event::time, before, after,
                  tw::interval_join_options{.disorder = disorder});
    });
  };
  EXPECT_THAT(with(-6ns, 5ns, 0ns), HasSubstr("interval is empty"));
  EXPECT_THAT(with(1ns, 5ns, -1ns), HasSubstr(".disorder"));
  EXPECT_THAT(with(std::chrono::nanoseconds::max(), 5ns, 0ns), HasSubstr("9 years"));
  EXPECT_THAT(with(5ns, std::chrono::nanoseconds::min(), 0ns), HasSubstr("9 years"));
  EXPECT_THAT(refusal([](tw::graph& g) {
                g.add<join>(std::function<int(const event&)>(), &event::key, &event::time, &event::time, 1ns,
                            1ns);
              }),
              HasSubstr("null"));
}
