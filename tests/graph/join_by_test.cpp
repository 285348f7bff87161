#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class JoinBy : public under_every_policy {};
FOR_EVERY_POLICY(JoinBy);

struct item {
  int key;
  int number;  // in its stream
  friend auto operator<=>(const item&, const item&) = default;
};
using list = std::vector<item>;
using join = tw::join_by<item, item>;

list numbered(const std::vector<int>& keys) {
  list all;
  for (const int key : keys) all.push_back({key, static_cast<int>(all.size())});
  return all;
}

struct outcome {
  std::vector<std::pair<item, item>> pairs;
  list left, right;  // without partners
  bool operator==(const outcome&) const = default;
};

outcome joined(const list& left, const list& right, const tw::any_policy& policy,
               tw::join_by_options options = {}, tw::connect_options pipe = {}) {
  outcome seen;
  tw::graph g;
  auto& j = g.add<join>(&item::key, options);
  g.connect(g.add(tw::source(left)).out, j.left, pipe);
  g.connect(g.add(tw::source(right)).out, j.right, pipe);
  g.connect(j.out, g.add(tw::sink(seen.pairs)).in);
  g.connect(j.unmatched_left, g.add(tw::sink(seen.left)).in);
  g.connect(j.unmatched_right, g.add(tw::sink(seen.right)).in);
  tw::run(g, policy);
  EXPECT_EQ(j.unmatched(), seen.left.size() + seen.right.size());
  return seen;
}

// By the definition: the n-th left item of a key and the n-th right one.
outcome model(const list& left, const list& right) {
  outcome seen;
  std::map<int, list> of_key;
  for (const item& r : right) of_key[r.key].push_back(r);
  std::map<int, std::size_t> used;
  for (const item& l : left) {
    const auto n = used[l.key]++;
    if (n < of_key[l.key].size()) {
      seen.pairs.emplace_back(l, of_key[l.key][n]);
    } else {
      seen.left.push_back(l);
    }
  }
  for (auto& [key, items] : of_key) {
    for (std::size_t n = used[key]; n < items.size(); ++n) seen.right.push_back(items[n]);
  }
  std::sort(seen.right.begin(), seen.right.end(),
            [](const item& a, const item& b) { return a.number < b.number; });
  return seen;
}

TEST_P(JoinBy, GivesWhatTheDefinitionSaysInThatOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    const auto n = static_cast<int>(random() % 500);
    // In every third round keys come several times; in every second one some are missing.
    const int keys = round % 3 == 0 ? 1 + n / 4 : n;
    const auto reach = 1 + random() % (round % 5 == 0 ? 500U : 20U);
    const auto stream = [&] {
      std::vector<int> all;
      for (int i = 0; i < n; ++i) {
        if (round % 2 == 0 || random() % 5 != 0) all.push_back(keys == 0 ? 0 : i % keys);
      }
      for (std::size_t i = 0; i < all.size(); ++i)
        std::swap(all[i], all[std::min(all.size() - 1, i + random() % reach)]);
      return numbered(all);
    };
    const auto left = stream();
    const auto right = stream();
    const auto seen = joined(left, right, policy(), {}, {.capacity = 1 + static_cast<int>(random() % 40)});
    const auto expected = model(left, right);
    ASSERT_EQ(seen.pairs, expected.pairs) << "round " << round;
    ASSERT_EQ(seen.left, expected.left) << "round " << round;
    ASSERT_EQ(seen.right, expected.right) << "round " << round;
  }
}

TEST_P(JoinBy, ThePairsComeInTheOrderOfTheLeftStream) {
  const auto seen = joined(numbered({3, 1, 2}), numbered({1, 2, 3}), policy());
  EXPECT_EQ(seen.pairs,
            (std::vector<std::pair<item, item>>{{{3, 0}, {3, 2}}, {{1, 1}, {1, 0}}, {{2, 2}, {2, 1}}}));
}

TEST_P(JoinBy, WhatHasNoPartnerIsSentOnAndCounted) {
  const auto seen = joined(numbered({5, 1, 6, 2}), numbered({2, 7, 1, 8}), policy());
  EXPECT_EQ(seen.left, (list{{5, 0}, {6, 2}}));
  EXPECT_EQ(seen.right, (list{{7, 1}, {8, 3}}));
  EXPECT_EQ(seen.pairs.size(), 2U);
  EXPECT_EQ(joined({}, numbered({1, 2}), policy()).right, (list{{1, 0}, {2, 1}}));
  EXPECT_EQ(joined(numbered({1, 2}), {}, policy()).left, (list{{1, 0}, {2, 1}}));
  EXPECT_EQ(joined({}, {}, policy()), outcome{});
}

TEST_P(JoinBy, PutsTheBranchesOfATeeTogetherWhateverTheirOrder) {
  constexpr int n = 20'000;
  for (const bool mixed_is_left : {false, true}) {
    std::vector<std::pair<item, item>> seen;
    tw::graph g;
    auto& both = g.add<tw::tee<item>>();
    auto mixed = g.add(tw::farm(
        [](item x) {
          x.number *= 2;
          return x;
        },
        {.replicas = 3, .unordered = true}));
    auto& j = g.add<join>(&item::key);
    g.connect(g.add(tw::source(std::views::iota(0, n)) | tw::map([](int x) {
                      return item{x, x};
                    }))
                  .out,
              both.in);
    g.connect(both.branch(), mixed.in);
    g.connect(mixed.out, mixed_is_left ? j.left : j.right);
    g.connect(both.branch(), mixed_is_left ? j.right : j.left, {.capacity = 8});
    g.connect(j.out, g.add(tw::sink(seen)).in);
    tw::run(g, policy());
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(n));
    if (mixed_is_left) std::sort(seen.begin(), seen.end());
    for (int i = 0; i < n; ++i) {
      const auto& [l, r] = seen[static_cast<std::size_t>(i)];
      ASSERT_EQ(l.key, i);
      ASSERT_EQ(r.key, i);
      ASSERT_EQ((mixed_is_left ? l : r).number, 2 * i);
    }
  }
}

TEST_P(JoinBy, BranchesThatDropItemsDoNotBlock) {
  constexpr int n = 6'000;
  const auto even = [](const item& x) { return x.key % 2 == 0; };
  const auto late = [](const item& x) { return x.key >= n - 10; };
  const auto none = [](const item&) { return false; };
  const auto drop = [&](std::function<bool(const item&)> left, std::function<bool(const item&)> right) {
    std::size_t pairs = 0;
    tw::graph g;
    auto& both = g.add<tw::tee<item>>();
    auto& j = g.add<join>(&item::key);
    auto of_left = g.add(tw::filter(std::move(left)));
    auto of_right = g.add(tw::filter(std::move(right)));
    g.connect(g.add(tw::source(std::views::iota(0, n)) | tw::map([](int x) {
                      return item{x, x};
                    }))
                  .out,
              both.in);
    g.connect(both.branch(), of_left.in, {.capacity = 8});
    g.connect(both.branch(), of_right.in, {.capacity = 8});
    g.connect(of_left.out, j.left, {.capacity = 8});
    g.connect(of_right.out, j.right, {.capacity = 8});
    g.connect(j.out, g.add(tw::sink([&](const std::pair<item, item>&) { ++pairs; })).in);
    tw::run(g, policy());
    return std::pair(pairs, j.unmatched());
  };
  const auto all = [](const item&) { return true; };
  EXPECT_EQ(drop(even, all), (std::pair<std::size_t, std::uint64_t>(n / 2, n / 2)));
  EXPECT_EQ(drop(all, even), (std::pair<std::size_t, std::uint64_t>(n / 2, n / 2)));
  EXPECT_EQ(drop(late, all), (std::pair<std::size_t, std::uint64_t>(10, n - 10)));
  EXPECT_EQ(drop(all, late), (std::pair<std::size_t, std::uint64_t>(10, n - 10)));
  EXPECT_EQ(drop(none, all), (std::pair<std::size_t, std::uint64_t>(0, n)));
  EXPECT_EQ(drop(all, none), (std::pair<std::size_t, std::uint64_t>(0, n)));
  EXPECT_EQ(drop(even, late), (std::pair<std::size_t, std::uint64_t>(5, n / 2)));
}

// The partner of every eighth left item comes behind those of the seven after it.
list in_order() {
  std::vector<int> keys(5'000);
  std::iota(keys.begin(), keys.end(), 0);
  return numbered(keys);
}
list seven_apart() {
  std::vector<int> keys;
  for (int i = 0; i < 5'000; ++i) keys.push_back(i / 8 * 8 + 7 - i % 8);
  return numbered(keys);
}

TEST_P(JoinBy, HoldsNoMoreThanTheStreamsAreApart) {
  const auto seen = joined(in_order(), seven_apart(), policy(), {.max_waiting = 7});
  EXPECT_EQ(seen.pairs.size(), 5'000U);
}

TEST_P(JoinBy, OneMoreThanMayWaitEndsTheRunAndSaysWhatToDo) {
  tw::graph g;
  auto& j = g.configure(g.add<join>(&item::key, tw::join_by_options{.max_waiting = 6}), {.name = "match"});
  g.connect(g.add(tw::source(in_order())).out, j.left);
  g.connect(g.add(tw::source(seven_apart())).out, j.right);
  g.connect(j.out, g.add(tw::sink([](const std::pair<item, item>&) {})).in);
  const auto f = failure_of([&] { tw::run(g, policy()); });
  EXPECT_EQ(f.stage, "match");
  EXPECT_THAT(f.cause, AllOf(HasSubstr("holds 6 items"), HasSubstr(".max_waiting"), HasSubstr("raise it")));
}

TEST_P(JoinBy, WithoutLeftItemsNothingIsHeld) {
  EXPECT_EQ(joined({}, numbered(std::vector<int>(1'000, 4)), policy(), {.max_waiting = 1}).right.size(),
            1'000U);
}

// What docs/patterns.md recommends for streams without end.
TEST_P(JoinBy, NumbersThatGoUpCanBeJoinedByIntervalInstead) {
  std::vector<std::pair<item, item>> seen;
  tw::graph g;
  const auto number = [](const item& x) { return x.key; };
  auto& j = g.add<tw::interval_join<item, item>>(
      number, number, number, number, std::chrono::nanoseconds(0), std::chrono::nanoseconds(0),
      tw::interval_join_options{.disorder = std::chrono::nanoseconds(7)});
  g.connect(g.add(tw::source(in_order()) | tw::filter([](const item& x) { return x.key % 3 != 0; })).out,
            j.left);
  g.connect(g.add(tw::source(seven_apart()) | tw::filter([](const item& x) { return x.key % 5 != 0; })).out,
            j.right);
  g.connect(j.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  std::vector<int> keys;
  for (const auto& [l, r] : seen) {
    EXPECT_EQ(l.key, r.key);
    keys.push_back(l.key);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> expected;
  for (int i = 0; i < 5'000; ++i) {
    if (i % 3 != 0 && i % 5 != 0) expected.push_back(i);
  }
  EXPECT_EQ(keys, expected);
}

TEST_P(JoinBy, BeginsAnewInEveryRunAlsoAfterOneThatFailed) {
  bool fails = true;
  std::vector<int> seen;
  tw::graph g;
  auto& j = g.add<tw::join_by<item, item, int>>(&item::key, &item::key, [&](const item& l, const item&) {
    if (fails && l.key == 2) throw std::runtime_error("no");
    return l.key;
  });
  g.connect(g.add(tw::source(numbered({1, 2, 9}))).out, j.left);
  g.connect(g.add(tw::source(numbered({8, 8, 2, 1}))).out, j.right);
  g.connect(j.out, g.add(tw::sink(seen)).in);
  EXPECT_EQ(failure_of([&] { tw::run(g, policy()); }).cause, "no");
  fails = false;
  for (int i = 0; i < 2; ++i) {
    seen.clear();
    const tw::report report = tw::run(g, policy());
    EXPECT_THAT(seen, ElementsAre(1, 2));
    EXPECT_EQ(j.unmatched(), 3U);
    EXPECT_EQ(report.stage(j.name()).dropped(), 3U);  // as nobody is connected to the unmatched ones
  }
}

TEST_P(JoinBy, TakesWhatCanOnlyBeMoved) {
  using owned = std::unique_ptr<int>;
  int sum = 0;
  tw::graph g;
  auto& j = g.add<tw::join_by<owned, owned>>([](const owned& x) { return *x; });
  const auto up = [n = 0]() mutable {
    return n < 100 ? std::optional(std::make_unique<int>(n++)) : std::nullopt;
  };
  const auto down = [n = 100]() mutable {
    return n > 0 ? std::optional(std::make_unique<int>(--n)) : std::nullopt;
  };
  g.connect(g.add(tw::source(up)).out, j.left);
  g.connect(g.add(tw::source(down)).out, j.right);
  g.connect(j.out, g.add(tw::sink([&](std::pair<owned, owned> both) {
                      EXPECT_EQ(*both.first, *both.second);
                      sum += *both.first;
                    })).in);
  tw::run(g, policy());
  EXPECT_EQ(sum, 4'950);
}

TEST_P(JoinBy, KeysMayBeOfManyKinds) {
  using key = std::pair<std::string, double>;
  struct named {
    std::string name;
    double part;
  };
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> seen;
  tw::graph g;
  auto& j = g.add<tw::join_by<named, key, std::string>>([](const named& x) { return key(x.name, x.part); },
                                                        [](const key& k) { return k; },
                                                        [](const named& x, const key&) { return x.name; });
  g.connect(g.add(tw::source(std::vector<named>{{"a", 1}, {"b", nan}, {"c", 2}})).out, j.left);
  g.connect(g.add(tw::source(std::vector<key>{{"b", nan}, {"c", 3}, {"a", 1}})).out, j.right);
  g.connect(j.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  EXPECT_THAT(seen, ElementsAre("a", "b"));
}

TEST_P(JoinBy, AResultIsDueWhenTheLastOfItsItemsIs) {
  const auto numbers = [n = 0]() mutable { return n < 300 ? std::optional(n++) : std::nullopt; };
  for (const bool left : {true, false}) {
    tw::graph g;
    auto& j = g.add<tw::join_by<int, int>>([](int x) { return x; });
    const auto paced = g.add(tw::paced(numbers, 1e5)).out;
    const auto plain = g.add(tw::source(numbers)).out;
    g.connect(left ? paced : plain, j.left);
    g.connect(left ? plain : paced, j.right);
    g.connect(j.out, g.add(tw::sink([](const std::pair<int, int>&) {})).in);
    const auto r = tw::run(g, policy());
    EXPECT_EQ(r.latency().count(), 300U);
    EXPECT_LE(r.latency().max(), r.elapsed()) << "counted from the due time, which only one of them has";
  }
}

TEST_P(JoinBy, WhatItsFunctionsThrowEndsTheRunAndNamesIt) {
  for (int which = 0; which < 3; ++which) {
    tw::graph g;
    const auto throws_if = [which](int me) {
      if (which == me) throw std::domain_error("no " + std::to_string(me));
    };
    auto& j = g.configure(g.add<tw::join_by<item, item, int>>(
                              [=](const item& x) {
                                throws_if(0);
                                return x.key;
                              },
                              [=](const item& x) {
                                throws_if(1);
                                return x.key;
                              },
                              [=](const item& x, const item&) {
                                throws_if(2);
                                return x.key;
                              }),
                          {.name = "match"});
    g.connect(g.add(tw::source(numbered({1}))).out, j.left);
    g.connect(g.add(tw::source(numbered({1}))).out, j.right);
    g.connect(j.out, g.add(tw::sink([](int) {})).in);
    const auto f = failure_of([&] { tw::run(g, policy()); });
    EXPECT_EQ(f.stage, "match");
    EXPECT_EQ(f.cause, "no " + std::to_string(which));
  }
}

TEST(JoinByProblems, WrongOptionsAreRefused) {
  const auto problems = [](auto key, tw::join_by_options options) {
    return problems_of([&] {
      tw::graph g;
      auto& j = g.add<join>(key, options);
      g.connect(g.add(tw::source(list{})).out, j.left);
      g.connect(g.add(tw::source(list{})).out, j.right);
      g.connect(j.out, g.add(tw::sink([](const std::pair<item, item>&) {})).in);
      tw::run(g);
    });
  };
  EXPECT_THAT(problems(&item::key, {.max_waiting = 0}),
              ElementsAre(HasSubstr(".max_waiting must be at least 1")));
  EXPECT_THAT(problems(std::function<int(const item&)>(), {}), ElementsAre(HasSubstr("null")));
}

TEST(JoinByProblems, ItCannotBeBetweenASplitAndAnOrderedMerge) {
  tw::graph g;
  auto& s = g.add<tw::tee<item>>();
  auto& j = g.add<tw::join_by<item, item, item>>(&item::key, &item::key,
                                                 [](const item& l, const item&) { return l; });
  auto& m = g.add<tw::merge<item>>(tw::ordered);
  g.connect(g.add(tw::source(list{})).out, s.in);
  g.connect(s.branch(), j.left);
  g.connect(s.branch(), j.right);
  g.connect(s.branch(), m.input());
  g.connect(j.out, m.input());
  g.connect(m.out, g.add(tw::sink([](const item&) {})).in);
  EXPECT_THAT(problems_of([&] { tw::run(g); }), testing::Not(IsEmpty()));
}

}  // namespace
