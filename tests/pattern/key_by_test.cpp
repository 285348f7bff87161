#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
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

class KeyBy : public under_every_policy {};
FOR_EVERY_POLICY(KeyBy);

struct trade {
  std::string symbol;
  int amount = 0;
};

std::vector<trade> random_trades(unsigned seed, int n, int symbols) {
  std::mt19937 random(seed);
  std::vector<trade> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(
        {"s" + std::to_string(random() % static_cast<unsigned>(symbols)), static_cast<int>(random() % 100)});
  }
  return all;
}

TEST_P(KeyBy, GivesEachItemItsKey) {
  std::vector<tw::keyed<int, int>> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::key_by([](int x) { return x % 2; }) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, (std::vector<tw::keyed<int, int>>{{1, 1}, {0, 2}, {1, 3}}));
}

TEST_P(KeyBy, AMemberNamesTheItemsAtTheHeadOfALine) {
  std::vector<tw::keyed<std::string, int>> seen;
  tw::graph g;
  const auto trades = g.add(tw::source(std::vector<trade>{{"a", 1}, {"b", 2}, {"a", 3}}));
  const auto sums = g.add(tw::key_by(&trade::symbol) |
                          tw::reduce(0, [](int sum, const trade& t) { return sum + t.amount; }));
  const auto each = g.add(tw::farm(
      tw::key_by(&trade::symbol, [](int& last, const trade& t) { return std::exchange(last, t.amount); })));
  auto& both = g.add<tw::tee<trade>>();
  int before = 0;
  g.connect(trades.out, both.in);
  g.connect(both.branch(), sums.in);
  g.connect(both.branch(), each.in);
  g.connect(sums.out, g.add(tw::sink(seen)).in);
  g.connect(each.out, g.add(tw::sink([&](int x) { before += x; })).in);
  tw::run(g, policy());
  EXPECT_EQ(seen, (std::vector<tw::keyed<std::string, int>>{{"a", 4}, {"b", 2}}));
  EXPECT_EQ(before, 1);
}

TEST_P(KeyBy, OfMoveOnlyItemsAndInAFarm) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 1000)) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::farm(tw::key_by([](const std::unique_ptr<int>& p) { return *p % 7; }), {.replicas = 3}) |
              tw::sink([&](tw::keyed<int, std::unique_ptr<int>> k) {
                EXPECT_EQ(k.key, *k.value % 7);
                seen.push_back(*k.value);
              }),
          policy());
  EXPECT_TRUE(std::ranges::equal(seen, std::views::iota(0, 1000)));
}

TEST_P(KeyBy, StateIsThatOfAMapOfTheProgramAlone) {
  const auto trades = random_trades(1, 20'000, 300);
  std::unordered_map<std::string, std::int64_t> sums;
  std::vector<std::int64_t> expected;
  for (const auto& t : trades) expected.push_back(sums[t.symbol] += t.amount);
  std::vector<std::int64_t> seen;
  tw::run(tw::source(trades) |
              tw::key_by(&trade::symbol, [](std::int64_t& sum, const trade& t) { return sum += t.amount; }) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected);
}

TEST_P(KeyBy, InitMakesTheStateOfAKeyOnceFromTheKeyOrFromNothing) {
  int made = 0;
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3, 4}) |
              tw::key_by([](int x) { return x % 2; },
                         [&](const int& key) {
                           ++made;
                           return key + 10;
                         },
                         [](auto& s, int x) { return s += x; }) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(12, 12, 15, 16));
  EXPECT_EQ(made, 2);
  seen.clear();
  // The update names a wider state than init gives.
  tw::run(tw::source(std::vector{1, 2}) |
              tw::key_by([](int) { return 0; }, [] { return 5; },
                         [](std::int64_t& s, int x) {
                           static_assert(sizeof(s) == 8);
                           return static_cast<int>(s += x);
                         }) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(6, 8));
}

TEST_P(KeyBy, TheUpdateMaySendAnyNumber) {
  std::vector<std::string> seen;
  // Each symbol's amounts in pairs.
  tw::run(tw::source(std::vector<trade>{{"a", 1}, {"b", 2}, {"a", 3}, {"a", 4}, {"b", 5}}) |
              tw::key_by(&trade::symbol,
                         [](std::optional<int>& before, const trade& t, tw::emitter<std::string>& out) {
                           if (before) out(t.symbol + std::to_string(*before) + std::to_string(t.amount));
                           before = before ? std::nullopt : std::optional(t.amount);
                         }) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("a13", "b25"));
  seen.clear();
  tw::run(tw::source(std::vector{1, 2}) |
              tw::key_by<std::string>([](int x) { return x; }, [] { return 0; },
                                      [](auto& s, int x, auto& out) {
                                        for (int i = 0; i < 100 * x; ++i) out(std::to_string(++s));
                                      }) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen.size(), 300U);
  EXPECT_EQ(seen.back(), "200");
}

struct totals {
  std::string prefix = "total ";
  void operator()(int& sum, const trade& t) const { sum += t.amount; }
  void on_end(const std::string& symbol, int& sum, tw::emitter<std::string>& out) const {
    out(prefix + symbol + " " + std::to_string(sum));
  }
};

TEST_P(KeyBy, TheEndHookSeesEachKeyInTheOrderOfTheirFirstAppearance) {
  const auto trades = random_trades(2, 5000, 700);
  std::vector<std::string> order;
  std::map<std::string, int> sums;
  for (const auto& t : trades) {
    if (!sums.contains(t.symbol)) order.push_back(t.symbol);
    sums[t.symbol] += t.amount;
  }
  std::vector<std::string> seen;
  tw::run(tw::source(trades) | tw::key_by(&trade::symbol, totals{}) | tw::sink(seen), policy());
  ASSERT_EQ(seen.size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    EXPECT_EQ(seen[i], "total " + order[i] + " " + std::to_string(sums[order[i]]));
}

struct last_words {
  std::vector<int>* told;
  int operator()(int& n, int) { return ++n; }
  void on_end(const int& key, int& n) { told->push_back(100 * key + n); }
};

TEST_P(KeyBy, AnEndHookNeedNotSend) {
  std::vector<int> told;
  std::vector<int> seen;
  tw::run(tw::source(std::vector{2, 1, 2}) | tw::key_by([](int x) { return x; }, last_words{&told}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 1, 2));
  EXPECT_THAT(told, ElementsAre(202, 101));
}

TEST_P(KeyBy, KeysMayBePairsAndTuples) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3, 4}) |
              tw::key_by([](int x) { return std::pair(x % 2, std::tuple(std::string("k"))); },
                         [](int& s, int x) { return s += x; }) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 4, 6));
}

TEST_P(KeyBy, StateBeginsAnewInEveryRun) {
  std::vector<int> seen;
  auto job = tw::source(std::vector{1, 1}) |
             tw::key_by([](int x) { return x; }, [](int& n, int) { return ++n; }) | tw::sink(seen);
  tw::run(job, policy());
  tw::run(job, policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 1, 2));
}

TEST_P(KeyBy, AFailureNamesTheStage) {
  const auto f = failure_of([] {
    tw::run(tw::source(std::vector{1, 2}) |
                tw::key_by([](int x) { return x == 2 ? throw std::runtime_error("no key") : x; },
                           [](int& n, int) { return ++n; }, {.name = "k"}) |
                tw::sink([](int) {}),
            policy());
  });
  EXPECT_EQ(f.stage, "k");
  EXPECT_EQ(f.cause, "no key");
}

TEST_P(KeyBy, AFailedUpdateLeavesTheStateAsItWas) {
  std::vector<int> seen;
  std::vector<int> ends;
  struct update {
    std::vector<int>* ends;
    int operator()(std::vector<int>& state, int x) const {
      state.push_back(x);
      if (x % 3 == 0) throw std::runtime_error("threes");
      return static_cast<int>(state.size());
    }
    void on_end(const int& key, std::vector<int>&) const { ends->push_back(key); }
  };
  // The first item of key 3 fails: it has not appeared until 13 comes.
  const auto r = tw::run(
      tw::source(std::vector{3, 1, 11, 21, 31, 13, 33, 43}) |
          tw::key_by([](int x) { return x % 10; }, update{&ends}, {.on_error = tw::skip, .name = "k"}) |
          tw::sink(seen),
      policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 1, 2));
  EXPECT_THAT(ends, ElementsAre(1, 3));
  EXPECT_EQ(r.stage("k").skipped(), 3U);
}

TEST_P(KeyBy, ARetryBeginsWithTheStateBefore) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 1, 1}) |
              tw::key_by([](int x) { return x; },
                         [tries = 0](int& n, int) mutable {
                           n += 100;
                           if (++tries % 3 != 0) throw std::runtime_error("again");
                           return n;
                         },
                         {.on_error = tw::retry(5)}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(100, 200, 300));
}

TEST_P(KeyBy, WhatCannotBePutBackIsRefused) {
  EXPECT_THAT(problems_of([] {
                tw::run(
                    tw::source(std::vector{1}) |
                        tw::key_by([](int x) { return x; }, [](std::unique_ptr<int>&, int x) { return x; },
                                   {.on_error = tw::skip, .name = "k"}) |
                        tw::sink([](int) {}),
                    policy());
              }),
              ElementsAre(AllOf(HasSubstr("'k'"), HasSubstr("state cannot be copied"))));
}

// Sums up for each key, and tells at the end.
struct adding_up {
  std::pair<int, long> operator()(long& sum, const int& x) const { return {x, sum += x}; }
  void on_end(const int& key, long& sum, tw::emitter<std::pair<int, long>>& out) const {
    out({-1 - key, sum});
  }
};

TEST_P(KeyBy, KeysAreDividedUpInAFarm) {
  std::mt19937 random(3);
  std::vector<int> items(20'000);
  for (auto& x : items) x = static_cast<int>(random() % 500U);
  const auto stage = tw::key_by([](const int& x) { return x % 97; }, adding_up{});
  std::vector<std::pair<int, long>> want;
  tw::run(tw::source(items) | stage | tw::sink(want), tw::sequential{});
  for (const int replicas : {1, 3}) {
    std::vector<std::pair<int, long>> seen;
    tw::run(tw::source(items) | tw::farm(stage, {.replicas = replicas}) | tw::sink(seen), policy());
    EXPECT_EQ(seen, want) << replicas << " replicas";
    // With what follows in the farm.
    std::vector<long> sums;
    tw::run(tw::source(items) |
                tw::farm(stage | tw::map([](const std::pair<int, long>& p) { return p.second; }),
                         {.replicas = replicas}) |
                tw::sink(sums),
            policy());
    ASSERT_EQ(sums.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(sums[i], want[i].second) << "at " << i;
  }
}

TEST_P(KeyBy, AnErrorInAFarmNamesTheStage) {
  const auto stage = tw::key_by(
      [](int x) { return x % 7; },
      [](int& n, int x) { return ++n == 100 ? throw std::runtime_error("a hundred") : x; }, {.name = "k"});
  const auto found = failure_of([&] {
    tw::run(tw::source(std::views::iota(0, 5'000)) | tw::farm(stage, {.replicas = 2}) | tw::sink([](int) {}),
            policy());
  });
  EXPECT_EQ(found.stage, "k");
}

TEST_P(KeyBy, InAFarmItMustBeTheFirstStage) {
  EXPECT_THAT(problems_of([&] {
                tw::run(tw::source(std::vector{1}) |
                            tw::farm(tw::map([](int x) { return x; }) |
                                     tw::key_by([](int x) { return x; }, [](int&, int x) { return x; },
                                                {.name = "k"})) |
                            tw::sink([](int) {}),
                        policy());
              }),
              ElementsAre(AllOf(HasSubstr("k'"), HasSubstr("must be the first stage"))));
}

// --- the table ---

TEST(KeyTable, DoesWhatAMapDoes) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    tw::model::key_table<int, int> table;
    std::unordered_map<int, std::pair<std::uint32_t, int>> model;
    for (int i = 0; i < 5000; ++i) {
      // Many keys that fall onto the same place, and keys that come again.
      const int key = static_cast<int>(random() % 300U) * (round % 2 == 0 ? 1 : 4096);
      if (const auto found = model.find(key); found != model.end() && random() % 3 == 0) {
        table.erase(found->second.first);
        model.erase(found);
      } else {
        const auto id = table.find_or_add(key, [&](int) { return i; }).number;
        const auto [at, added] = model.try_emplace(key, id, i);
        ASSERT_EQ(at->second.first, id);
        ASSERT_EQ(table[id], at->second.second);
        ASSERT_EQ(table.key(id), key);
      }
      ASSERT_EQ(table.size(), model.size());
    }
    std::size_t held = 0;
    for (std::uint32_t id = 0; id < table.bound(); ++id) held += table.holds(id) ? 1 : 0;
    EXPECT_EQ(held, model.size());
  }
}

TEST(KeyTable, AKeyWhoseValueCannotBeMadeIsNotAdded) {
  tw::model::key_table<int, int> table;
  EXPECT_THROW(table.find_or_add(1, [](int) -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find_or_add(2, [](int) { return 7; }).number, 0U);
  EXPECT_EQ(table[0], 7);
}

TEST(KeyTable, ValuesStayWhereTheyAre) {
  tw::model::key_table<int, int> table;
  const int* first = &table.find_or_add(0, [](int) { return 5; }).value;
  for (int i = 1; i < 10'000; ++i) table.find_or_add(i, [](int k) { return k; });
  EXPECT_EQ(first, &table[0]);
  for (int i = 1; i < 10'000; ++i) ASSERT_EQ(table.find_or_add(i, [](int) { return -1; }).value, i);
}

// NaN is not equal to itself, and would be a new key each time.
TEST(KeyTable, AllNaNAreOneKey) {
  const auto none = std::numeric_limits<double>::quiet_NaN();
  const auto counts = [](const auto& keys) {
    using key = typename std::remove_cvref_t<decltype(keys)>::value_type;
    tw::model::key_table<key, int> table;
    for (const auto& k : keys) ++table.find_or_add(k, [](const key&) { return 0; }).value;
    std::vector<int> all;
    for (std::uint32_t i = 0; i < table.bound(); ++i) all.push_back(table[i]);
    return all;
  };
  EXPECT_THAT(counts(std::vector{1.0, none, -none, 1.0, std::nan("7"), 0.0, -0.0}), ElementsAre(2, 3, 2));
  EXPECT_THAT(counts(std::vector{std::numeric_limits<float>::quiet_NaN(), 0.F, -std::nanf("3")}),
              ElementsAre(2, 1));
  using pair = std::pair<int, double>;
  EXPECT_THAT(counts(std::vector{pair(1, none), pair(2, none), pair(1, -none), pair(1, 0)}),
              ElementsAre(2, 1, 1));
  using maybe = std::optional<double>;
  using deep = std::tuple<std::string, std::pair<maybe, int>>;
  EXPECT_THAT(counts(std::vector{deep("a", {none, 1}), deep("a", {{}, 1}), deep("a", {-none, 1}),
                                 deep("b", {none, 1})}),
              ElementsAre(2, 1, 1));
}

TEST_P(KeyBy, ManyItemsWithoutAKeyTakeNoLongerThanOthers) {
  std::vector<double> readings(20'000, std::numeric_limits<double>::quiet_NaN());
  std::vector<int> seen;
  tw::run(
      tw::source(readings) |
          tw::farm(tw::key_by([](const double& x) { return x; }, [](int& n, const double&) { return ++n; }),
                   {.replicas = 3}) |
          tw::sink(seen),
      policy());
  ASSERT_EQ(seen.size(), readings.size());
  EXPECT_EQ(seen.back(), 20'000);
}

}  // namespace
