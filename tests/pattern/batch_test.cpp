#include <thalweg/test.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
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
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class Batch : public under_every_policy {};
FOR_EVERY_POLICY(Batch);

using groups = std::vector<std::vector<int>>;

TEST_P(Batch, GroupsItemsAndTheLastMayBeShort) {
  groups seen;
  tw::run(tw::source(std::vector{1, 2, 3, 4, 5}) | tw::batch(2) | tw::sink(seen), policy());
  EXPECT_EQ(seen, (groups{{1, 2}, {3, 4}, {5}}));
}

TEST_P(Batch, TheLastMayBeFull) {
  groups seen;
  tw::run(tw::source(std::vector{1, 2, 3, 4}) | tw::batch(2) | tw::sink(seen), policy());
  EXPECT_EQ(seen, (groups{{1, 2}, {3, 4}}));
}

TEST_P(Batch, OfNothingIsNothing) {
  groups seen;
  tw::run(tw::source(std::vector<int>{}) | tw::batch(2) | tw::sink(seen), policy());
  EXPECT_THAT(seen, IsEmpty());
}

TEST_P(Batch, OfOneAndOfManyMoreThanThereAre) {
  groups one;
  groups all;
  tw::run(tw::source(std::vector{1, 2}) | tw::batch(1) | tw::sink(one), policy());
  tw::run(tw::source(std::vector{1, 2}) | tw::batch(1000) | tw::sink(all), policy());
  EXPECT_EQ(one, (groups{{1}, {2}}));
  EXPECT_EQ(all, (groups{{1, 2}}));
}

TEST_P(Batch, SizesDoNotDependOnPolicyOrReplicas) {
  groups seen;
  tw::run(tw::source(std::views::iota(0, 10'000)) | tw::farm([](int x) { return x; }, {.replicas = 3}) |
              tw::batch(7) | tw::farm([](std::vector<int> v) { return v; }, {.replicas = 2}) | tw::sink(seen),
          policy());
  ASSERT_EQ(seen.size(), 1429U);
  int next = 0;
  for (const auto& g : seen) {
    ASSERT_EQ(g.size(), &g != &seen.back() ? 7U : 4U);
    for (const int x : g) ASSERT_EQ(x, next++);
  }
  EXPECT_EQ(next, 10'000);
}

TEST_P(Batch, TakesMoveOnlyItems) {
  std::size_t items = 0;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::batch(2) | tw::sink([&](const std::vector<std::unique_ptr<int>>& v) { items += v.size(); }),
          policy());
  EXPECT_EQ(items, 3U);
}

TEST_P(Batch, GroupsOfMoveOnlyItemsArePassedOnByValue) {
  std::vector<int> seen;
  using group = std::vector<std::unique_ptr<int>>;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::batch(2) | tw::farm([](group g) { return g; }) |
              tw::map([](group g) { return std::pair(1, std::move(g)); }) |
              tw::sink([&](std::pair<int, group> p) {
                for (const auto& x : p.second) seen.push_back(*x);
              }),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST_P(Batch, UnbatchTakesAnyRangeApart) {
  std::vector<int> seen;
  tw::run(tw::source(groups{{1, 2}, {}, {3}}) | tw::unbatch() | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
  std::string text;
  tw::run(tw::source(std::vector<std::string>{"ab", "", "c"}) | tw::unbatch() | tw::sink(text), policy());
  EXPECT_EQ(text, "abc");
  std::vector<int> arrays;
  tw::run(tw::source(std::vector<std::array<int, 2>>{{1, 2}, {3, 4}}) | tw::unbatch() | tw::sink(arrays),
          policy());
  EXPECT_THAT(arrays, ElementsAre(1, 2, 3, 4));
}

TEST_P(Batch, UnbatchMovesTheItems) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::batch(2) | tw::unbatch() |
              tw::sink([&](const std::unique_ptr<int>& p) { seen.push_back(*p); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST_P(Batch, UnbatchUndoesBatch) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 5000)) | tw::batch(64) |
              tw::farm(tw::unbatch() | tw::map([](int x) { return x + 1; }), {.replicas = 3}) | tw::batch(5) |
              tw::unbatch() | tw::sink(seen),
          policy());
  ASSERT_EQ(seen.size(), 5000U);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i + 1);
}

TEST_P(Batch, HoweverManyItHoldsItTakesNoMoreMemoryThanItsItems) {
  for (const auto interval : {std::chrono::nanoseconds(0), std::chrono::nanoseconds(20ms)}) {
    std::vector<int> seen;
    tw::run(tw::source(std::views::iota(0, 100)) |
                tw::batch(std::numeric_limits<std::int64_t>::max(), interval) | tw::unbatch() |
                tw::sink(seen),
            policy());
    ASSERT_EQ(seen.size(), 100U);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  }
}

// A range of which only the first items can be read.
struct torn {
  int first;
  int length;
  int readable;

  struct iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    const torn* of = nullptr;
    int at = 0;

    int operator*() const {
      if (at >= of->readable) throw std::runtime_error("torn");
      return of->first + at;
    }
    iterator& operator++() {
      ++at;
      return *this;
    }
    iterator operator++(int) {
      auto before = *this;
      ++at;
      return before;
    }
    bool operator==(const iterator& other) const { return at == other.at; }
  };
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, length}; }
};

auto some_torn() {
  return tw::source(std::vector<torn>{{0, 2, 2}, {10, 3, 1}, {20, 1, 0}, {30, 2, 2}});
}

TEST_P(Batch, AGroupThatCannotBeReadEndsTheRunInTheNameOfUnbatch) {
  auto f = failure_of(
      [] { tw::run(some_torn() | tw::unbatch({.name = "parts"}) | tw::sink([](int) {}), policy()); });
  EXPECT_EQ(f.stage, "parts");
  EXPECT_EQ(f.cause, "torn");
  f = failure_of([] {
    tw::run(some_torn() | tw::farm(tw::unbatch({.name = "parts"}), {.replicas = 2}) |
                tw::map([](int x) { return x; }) | tw::sink([](int) {}),
            policy());
  });
  EXPECT_EQ(f.stage, "parts");
}

TEST_P(Batch, WhatFailsBehindUnbatchIsNotItsFailure) {
  const auto f = failure_of([] {
    tw::run(tw::source(groups{{1, 2}, {3}}) | tw::unbatch({.name = "parts"}) |
                tw::map([](int x) { return x == 2 ? throw std::runtime_error("two") : x; }, {.name = "m"}) |
                tw::sink([](int) {}),
            policy());
  });
  EXPECT_EQ(f.stage, "m");
  EXPECT_EQ(f.cause, "two");
}

TEST_P(Batch, AGroupThatCannotBeReadCanBeSkipped) {
  std::vector<int> seen;
  auto r =
      tw::run(some_torn() | tw::unbatch({.on_error = tw::skip, .name = "parts"}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(0, 1, 30, 31)) << "what could be read of a torn one goes with it";
  EXPECT_EQ(r.stage("parts").skipped(), 2U);
  EXPECT_EQ(r.stage("parts").errors(), 2U);
  seen.clear();
  r = tw::run(some_torn() | tw::farm(tw::unbatch({.name = "parts"}), {.replicas = 2, .on_error = tw::skip}) |
                  tw::sink(seen),
              policy());
  EXPECT_THAT(seen, ElementsAre(0, 1, 30, 31));
  EXPECT_EQ(r.stage("parts").skipped(), 2U);
}

TEST_P(Batch, InAnOrderedFarmIsRefused) {
  // Which items follow each other in a replica is chance: the groups would be, too.
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) | tw::farm(tw::batch(2, 0ns, {.name = "b"})) |
                            tw::sink([](const std::vector<int>&) {}),
                        policy());
              }),
              ElementsAre(AllOf(HasSubstr("'b'"), HasSubstr("unordered"))));
}

TEST_P(Batch, WithAnIntervalNothingIsLost) {
  std::vector<int> seen;
  tw::run(tw::source([n = 0]() mutable -> std::optional<int> {
            if (n == 60) return {};
            if (n % 20 == 0) std::this_thread::sleep_for(3ms);
            return n++;
          }) | tw::farm([](int x) { return x; }) |
              tw::batch(1000, 1ms) | tw::unbatch() | tw::sink(seen),
          policy());
  ASSERT_EQ(seen.size(), 60U);
  for (int i = 0; i < 60; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST_P(Batch, AnIntervalSendsAPendingBatchWhileTheSourceStalls) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1")
    GTEST_SKIP() << "its one worker, which would execute the sink, is in the source";
  std::atomic<int> arrived{0};
  bool in_time = false;
  groups seen;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            if (n == 3) in_time = eventually([&] { return arrived == 3; });
            return n < 5 ? std::optional(n++) : std::nullopt;
          }) | tw::batch(1000, 5ms) |
              tw::sink([&](std::vector<int> g) {
                arrived += static_cast<int>(g.size());
                seen.push_back(std::move(g));
              }),
          policy());
  EXPECT_TRUE(in_time) << "the batch must leave though no item comes";
  int next = 0;
  for (const auto& g : seen) {
    for (const int x : g) EXPECT_EQ(x, next++);
  }
  EXPECT_EQ(next, 5);
}

TEST_P(Batch, AnIntervalSendsThePendingBatchesOfAllReplicas) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1")
    GTEST_SKIP() << "its one worker, which would execute the sink, is in the source";
  std::atomic<int> arrived{0};
  bool in_time = false;
  std::vector<int> seen;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            if (n == 6) in_time = eventually([&] { return arrived == 6; });
            return n < 8 ? std::optional(n++) : std::nullopt;
          }) |
              tw::farm(tw::map([](int x) { return x; }) | tw::batch(1000, 3ms),
                       {.replicas = 3, .unordered = true, .schedule = tw::round_robin}) |
              tw::sink([&](std::vector<int> g) {
                arrived += static_cast<int>(g.size());
                seen.insert(seen.end(), g.begin(), g.end());
              }),
          policy());
  EXPECT_TRUE(in_time) << "groups must leave each replica though no item comes";
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_P(Batch, AnIntervalSendsAPendingBatchBehindAFarmToo) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1") GTEST_SKIP() << "its one worker is in the source";
  std::atomic<int> arrived{0};
  bool in_time = false;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            if (n == 30) in_time = eventually([&] { return arrived == 30; });
            return n < 50 ? std::optional(n++) : std::nullopt;
          }) | tw::farm([](int x) { return x; }, {.replicas = 2}) |
              tw::batch(8, 5ms) | tw::farm([](std::vector<int> g) { return g; }, {.replicas = 2}) |
              tw::sink([&](const std::vector<int>& g) { arrived += static_cast<int>(g.size()); }),
          policy());
  EXPECT_TRUE(in_time);
  EXPECT_EQ(arrived, 50);
}

// The batch falls asleep with items that are due, for want of room behind it, and must notice when there is.
TEST_P(Batch, WhatIsDueIsSentWhenASlowSinkHasRoomAgain) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1") GTEST_SKIP() << "its one worker is in the source";
  constexpr int each = 14;
  std::atomic<int> arrived{0};
  bool in_time = false;
  std::vector<int> seen;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            if (n == 2) in_time = eventually([&] { return arrived == 2 * each; }, 20s);
            return n < 2 ? std::optional(n++) : std::nullopt;
          }) | tw::flat_map([](int x, tw::emitter<int>& out) {
            for (int i = 0; i < each; ++i) out(each * x + i);
          }) | tw::batch(10, 100ms) |
              tw::sink(
                  [&](const std::vector<int>& g) {
                    std::this_thread::sleep_for(10ms);
                    seen.insert(seen.end(), g.begin(), g.end());
                    arrived += static_cast<int>(g.size());
                  },
                  {.capacity = 1}),
          policy());
  EXPECT_TRUE(in_time) << "the rest waited for the source";
  ASSERT_EQ(seen.size(), 2U * each);
  for (int i = 0; i < 2 * each; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST_P(Batch, TheBatchesOfAFarmReachAStageWithAThreadOfItsOwn) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  for (const bool blocking : {true, false}) {
    std::atomic<int> arrived{0};
    bool in_time = false;
    std::vector<int> seen;
    tw::options own{.name = "end", .blocking = blocking};
    if (!blocking) own.on = tw::caller_thread;
    tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
              if (n == 6) in_time = eventually([&] { return arrived == 6; }, 20s);
              return n < 300 ? std::optional(n++) : std::nullopt;
            }) |
                tw::farm(tw::map([](int x) { return x; }) | tw::batch(1000, 3ms),
                         {.replicas = 3, .unordered = true, .schedule = tw::round_robin}) |
                tw::sink(
                    [&](const std::vector<int>& g) {
                      seen.insert(seen.end(), g.begin(), g.end());
                      arrived += static_cast<int>(g.size());
                    },
                    own),
            policy());
    EXPECT_TRUE(in_time) << "groups must leave each replica though no item comes";
    ASSERT_EQ(seen.size(), 300U);
    std::sort(seen.begin(), seen.end());
    for (int i = 0; i < 300; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  }
}

TEST_P(Batch, AnIntervalDoesNotSendTooEarly) {
  // An hour is longer than the run: only full groups and the rest at the end.
  groups seen;
  tw::run(tw::source(std::views::iota(0, 10)) | tw::batch(4, 1h) | tw::sink(seen), policy());
  EXPECT_EQ(seen, (groups{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}));
}

TEST_P(Batch, BytesCloseIt) {
  std::vector<std::vector<std::string>> seen;
  const std::string big(1'000, 'x');
  tw::run(tw::source(std::vector<std::string>{"a", big, "b", "c", big, big}) | tw::batch({.bytes = 1'000}) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen, (std::vector<std::vector<std::string>>{{"a", big}, {"b", "c", big}, {big}}));
}

TEST_P(Batch, WhicheverLimitComesFirstClosesIt) {
  groups seen;
  tw::run(tw::source(std::views::iota(0, 7)) |
              tw::batch({.items = 3, .bytes = 2 * sizeof(int), .interval = std::chrono::hours(1)}) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen, (groups{{0, 1}, {2, 3}, {4, 5}, {6}}));
}

TEST_P(Batch, AnIntervalThatIsSetLaterHolds) {
  if (one_thread() || GetParam() == "pool:1") GTEST_SKIP() << "its one thread is in the source";
  tw::batching size({.items = 1'000});
  std::atomic<int> arrived{0};
  bool in_time = false;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            if (n == 2) size.set({.interval = 5ms});
            if (n == 3) in_time = eventually([&] { return arrived == 3; });
            return n < 4 ? std::optional(n++) : std::nullopt;
          }) | tw::batch(size) |
              tw::sink([&](const std::vector<int>& g) { arrived += static_cast<int>(g.size()); }),
          policy());
  EXPECT_TRUE(in_time);
  EXPECT_EQ(arrived, 4);
}

TEST(Batching, LimitsChangeFromOneItemToTheNext) {
  using group = std::vector<int>;
  tw::batching size({.items = 2});
  auto batches = tw::test<int>(tw::batch(size));
  batches.send(1, 2, 3).expect(group{1, 2});
  size.set({.items = 3});
  batches.send(4, 5).expect(group{3, 4, 5});
  size.set({.bytes = 2 * sizeof(int)});
  batches.send(6, 7, 8).expect(group{6, 7}).end().expect(group{8});
}

TEST(Batching, RefusesWhatIsNoLimit) {
  const auto says = [](auto f) -> std::string {
    try {
      f();
    } catch (const tw::error& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(says([] { tw::batching({}); }), HasSubstr("a batch would never be closed"));
  EXPECT_THAT(says([] { tw::batching({.items = -5}); }), HasSubstr("not -5"));
  tw::batching size({.items = 2});
  EXPECT_THAT(says([&] { size.set({.bytes = -1}); }), HasSubstr("at least 1 byte"));
  EXPECT_THAT(says([&] { size.set({.interval = -1ms}); }), HasSubstr("negative"));
  EXPECT_EQ(size.limits().items, 2);  // as before
  EXPECT_THROW(tw::run(tw::source(std::vector{1}) | tw::batch(tw::batch_limits{}) |
                       tw::sink([](const std::vector<int>&) {})),
               tw::invalid_job);
}

}  // namespace
