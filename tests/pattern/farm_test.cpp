#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <ranges>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/policies.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

namespace {

class Farm : public under_every_policy {};
FOR_EVERY_POLICY(Farm);

std::vector<int> expected(int n, int (*f)(int)) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  std::transform(v.begin(), v.end(), v.begin(), f);
  return v;
}

int mixed(int x) {
  spin_for(std::chrono::microseconds(x % 7 == 0 ? 20 : 0));
  return 3 * x + 1;
}

TEST_P(Farm, KeepsTheOrder) {
  for (const int replicas : {1, 2, 3, 8}) {
    std::vector<int> seen;
    tw::run(tw::source(std::views::iota(0, 3000)) | tw::farm(mixed, {.replicas = replicas}) | tw::sink(seen),
            policy());
    EXPECT_EQ(seen, expected(3000, [](int x) { return 3 * x + 1; })) << replicas << " replicas";
  }
}

TEST_P(Farm, KeepsTheOrderOfItemsThatTakeVeryDifferentTimes) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 400)) |
              tw::farm(
                  [](int x) {
                    if (x % 50 == 0) std::this_thread::sleep_for(3ms);
                    return x;
                  },
                  {.replicas = 4}) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected(400, [](int x) { return x; }));
}

TEST_P(Farm, KeepsTheOrderOfManyCheapItems) {
  std::vector<int> seen;
  tw::run(tw::source([n = 0]() mutable -> std::optional<int> {
            return n < 300'000 ? std::optional(n++) : std::nullopt;
          }) | tw::farm([](int x) { return x; }) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected(300'000, [](int x) { return x; }));
}

TEST_P(Farm, WithoutANumberThePolicyDecides) {
  const auto r = tw::run(
      tw::source(std::views::iota(0, 100)) | tw::farm(mixed, {.name = "f"}) | tw::sink([](int) {}), policy());
  EXPECT_GE(r.stage("f").replicas(), 1);
  EXPECT_EQ(r.stage("f").items_in(), 100U);
}

TEST_P(Farm, UnorderedGivesTheSameItemsInAnyOrder) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 3000)) | tw::farm(mixed, {.replicas = 4, .unordered = true}) |
              tw::sink(seen),
          policy());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, expected(3000, [](int x) { return 3 * x + 1; }));
}

TEST_P(Farm, UnorderedDoesNotWaitForASlowItem) {
  if (GetParam() != "pool:4" && GetParam() != "threads") GTEST_SKIP() << "needs several replicas";
  // The first item waits until all others have come out.
  constexpr int n = 200;
  std::atomic<int> out{0};
  bool overtaken = false;
  tw::run(tw::source(std::views::iota(0, n)) |
              tw::farm(
                  [&](int x) {
                    if (x == 0) overtaken = eventually([&] { return out >= n / 2; });
                    std::this_thread::sleep_for(100us);
                    return x;
                  },
                  {.replicas = 3, .unordered = true}) |
              tw::sink([&](int) { ++out; }),
          policy());
  EXPECT_TRUE(overtaken);
  EXPECT_EQ(out, n);
}

TEST_P(Farm, AFarmOfAPipeline) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::views::iota(0, 2000)) |
              tw::farm(tw::map([](int x) { return x * 2; }) | tw::filter([](int x) {
                         return x % 3 == 0;
                       }) | tw::flat_map([](int x, tw::emitter<int>& out) {
                         out(x);
                         out(x + 1);
                       }) | tw::map([](int x) { return std::to_string(x); }),
                       {.replicas = 3}) |
              tw::sink(seen),
          policy());
  std::vector<std::string> want;
  for (int x = 0; x < 2000; ++x) {
    if (2 * x % 3 == 0) {
      want.push_back(std::to_string(2 * x));
      want.push_back(std::to_string(2 * x + 1));
    }
  }
  EXPECT_EQ(seen, want);
}

TEST_P(Farm, APipelineOfFarms) {
  std::vector<int> seen;
  const auto add = tw::farm([](int x) { return x + 1; }, {.replicas = 2});
  tw::run(tw::source(std::views::iota(0, 2000)) | add | add | tw::map([](int x) { return x; }) |
              tw::farm([](int x) { return x + 1; }, {.replicas = 4}) | add | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected(2000, [](int x) { return x + 4; }));
}

TEST_P(Farm, InAFarm) {
  std::vector<int> seen;
  const auto inner = tw::farm([](int x) { return x + 1; }, {.replicas = 2, .name = "inner"});
  const auto r = tw::run(
      tw::source(std::views::iota(0, 2000)) | tw::farm(inner, {.replicas = 3}) | tw::sink(seen), policy());
  EXPECT_EQ(seen, expected(2000, [](int x) { return x + 1; }));
  EXPECT_EQ(r.stage("inner").items_in(), 2000U);
}

template <class Middle> std::vector<int> replicas_in_plan(Middle middle) {
  const auto plan =
      tw::run_detail::plan_of(tw::source(std::vector{1}) | std::move(middle) | tw::sink([](int) {}));
  std::vector<int> all;
  for (const auto& s : plan.components.front()->stages()) {
    if (s.farm >= 0) all.push_back(s.replicas);
  }
  return all;
}

auto same() {
  return tw::map([](int x) { return x; });
}

TEST(NestedFarms, ReplicasMultiply) {
  EXPECT_THAT(replicas_in_plan(tw::farm(tw::farm(same(), {.replicas = 2}), {.replicas = 3})), ElementsAre(6));
  EXPECT_THAT(replicas_in_plan(tw::farm(tw::farm(same() | same(), {.replicas = 2}), {.replicas = 3})),
              ElementsAre(6, 6));
  EXPECT_THAT(replicas_in_plan(
                  tw::farm(tw::farm(tw::farm(same(), {.replicas = 2}), {.replicas = 3}), {.replicas = 4})),
              ElementsAre(24));
  EXPECT_THAT(replicas_in_plan(tw::farm(tw::farm(same(), {.replicas = 2}))), ElementsAre(2));
  EXPECT_THAT(replicas_in_plan(tw::farm(tw::farm(same()), {.replicas = 3})), ElementsAre(3));
  EXPECT_THAT(
      replicas_in_plan(tw::farm(tw::composite("c", tw::farm(same(), {.replicas = 2})), {.replicas = 3})),
      ElementsAre(6));
}

TEST(NestedFarms, AmongOtherStagesAnInnerFarmIsReplicatedWithThem) {
  EXPECT_THAT(replicas_in_plan(tw::farm(same() | tw::farm(same()) | same(), {.replicas = 3})),
              ElementsAre(3, 3, 3));
}

TEST(NestedFarms, HugeNumbersDoNotOverflow) {
  EXPECT_THAT(replicas_in_plan(tw::farm(tw::farm(same(), {.replicas = 100'000}), {.replicas = 100'000})),
              ElementsAre(std::numeric_limits<int>::max()));
}

TEST(NestedFarms, MoreReplicasThanAnybodyCanRunAreRefused) {
  for (const int inner : {1, 100}) {
    try {
      tw::run(tw::source(std::vector{1}) |
              tw::farm(tw::farm(same(), {.replicas = inner, .name = "in"}), {.replicas = 5'000}) |
              tw::sink([](int) {}));
      ADD_FAILURE() << inner;
    } catch (const tw::invalid_job& e) {
      EXPECT_THAT(e.what(),
                  testing::HasSubstr("allows " + std::to_string(inner * 5'000) + " replicas at once"));
    }
  }
}

TEST(NestedFarms, OptionsReachTheStagesInside) {
  const auto plan =
      tw::run_detail::plan_of(tw::source(std::vector{1}) |
                              tw::farm(tw::map([](int x) { return x; }, {.on_error = tw::retry(1)}) | same(),
                                       {.replicas = 2,
                                        .unordered = true,
                                        .capacity = 7,
                                        .on_error = tw::skip,
                                        .schedule = tw::round_robin}) |
                              tw::sink([](int) {}));
  const auto& stages = plan.components.front()->stages();
  EXPECT_EQ(stages[1].opts.on_error.last(), tw::error_policy::action::stop) << "its own policy is nearer";
  EXPECT_EQ(stages[2].opts.on_error.last(), tw::error_policy::action::skip);
  EXPECT_TRUE(stages[1].unordered && stages[2].unordered);
  EXPECT_EQ(stages[1].opts.capacity, 7);
  EXPECT_EQ(stages[2].opts.capacity, tw::automatic);
  EXPECT_EQ(stages[1].opts.schedule.how(), tw::schedule::kind::round_robin);
  EXPECT_TRUE(plan.problems.empty());
}

TEST(NestedFarms, ARouterOfAFarmOfAPipelineSeesWhatComesIn) {
  // The second stage takes strings: it is not the one that is routed to.
  std::vector<std::size_t> seen;
  tw::run(tw::source(std::vector{1, 22, 333}) |
          tw::farm(tw::map([](int x) { return std::to_string(x); }) |
                       tw::map([](const std::string& s) { return s.size(); }),
                   {.replicas = 2, .schedule = tw::route([](const int& x, std::size_t) {
                                     return static_cast<std::size_t>(x);
                                   })}) |
          tw::sink(seen));
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST_P(Farm, OfASinkIsAReplicatedSink) {
  std::mutex lock;
  std::multiset<int> seen;
  const auto r = tw::run(tw::source(std::views::iota(0, 1000)) | tw::farm(tw::sink([&](int x) {
                                                                            const std::lock_guard hold(lock);
                                                                            seen.insert(x);
                                                                          }),
                                                                          {.replicas = 3}),
                         policy());
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), 1000U);
  EXPECT_EQ(r.items(), 1000U);
}

TEST_P(Farm, OfAPipelineThatEndsInASink) {
  std::atomic<int> sum{0};
  tw::run(tw::source(std::views::iota(0, 1000)) |
              tw::farm(tw::map([](int x) { return 2 * x; }) | tw::sink([&](int x) { sum += x; }),
                       {.replicas = 3}),
          policy());
  EXPECT_EQ(sum, 999'000);
}

TEST_P(Farm, OfBatchesGroupsWithinAReplica) {
  // Which items share a group depends on the replica, so only the items can be checked.
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 1000)) |
              tw::farm(tw::batch(7) | tw::unbatch(), {.replicas = 3, .unordered = true}) | tw::sink(seen),
          policy());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, expected(1000, [](int x) { return x; }));
}

// --- operators ---

struct smoother {
  std::vector<int> scratch;
  int operator()(int x) {
    scratch.assign(3, x);
    return scratch[0] + scratch[1] + scratch[2];
  }
};

TEST_P(Farm, PerReplicaOperatorsMayBeMutable) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 2000)) |
              tw::farm(tw::per_replica([] { return smoother{}; }), {.replicas = 4}) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected(2000, [](int x) { return 3 * x; }));
}

TEST_P(Farm, FactoriesAreCalledAtMostReplicasTimes) {
  for (const int replicas : {1, 2, 5}) {
    std::atomic<int> made{0};
    tw::run(tw::source(std::views::iota(0, 500)) |
                tw::farm(tw::per_replica([&] {
                           ++made;
                           return [](int x) mutable {
                             spin_for(20us);
                             return x;
                           };
                         }),
                         {.replicas = replicas}) |
                tw::sink([](int) {}),
            policy());
    EXPECT_GE(made, 1);
    EXPECT_LE(made, replicas);
  }
}

TEST_P(Farm, EveryStageOfAFarmMayHaveItsFactory) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 500)) |
              tw::farm(tw::map(tw::per_replica([] { return smoother{}; })) | tw::filter(tw::per_replica([] {
                         return [calls = 0](int x) mutable { return ++calls > 0 && x % 2 == 0; };
                       })) |
                           tw::flat_map<int>(tw::per_replica([] {
                             return [kept = 0](int x, tw::emitter<int>& out) mutable {
                               kept = x;
                               out(kept);
                             };
                           })),
                       {.replicas = 3}) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected(250, [](int x) { return 6 * x; }));
}

TEST_P(Farm, PerReplicaIsAllowedOutsideAFarm) {
  std::vector<int> seen;
  int made = 0;
  tw::run(tw::source(std::vector{1, 2}) | tw::map(tw::per_replica([&] {
            ++made;
            return [sum = 0](int x) mutable { return sum += x; };
          })) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 3));
  EXPECT_EQ(made, 1);
}

// A factory that numbers what it makes, and notices if it is called twice at once.
struct numbering {
  std::atomic<int> inside{0};
  std::atomic<int> clashes{0};
  std::mutex lock;
  std::vector<int> given;

  auto factory() {
    return tw::per_replica([this, next = 0]() mutable {
      if (++inside > 1) ++clashes;
      const int me = next;
      std::this_thread::sleep_for(2ms);
      next = me + 1;
      --inside;
      const std::lock_guard hold(lock);
      given.push_back(me);
      return [](int x) {
        spin_for(10us);
        return x;
      };
    });
  }
};

TEST(PerReplica, AFactoryThatChangesIsCalledByOneThreadAtATime) {
  for (const auto* policy : {"pool:8", "threads"}) {
    for (const bool blocking : {false, true}) {
      SCOPED_TRACE(std::string(policy) + (blocking ? ", blocking" : ""));
      numbering first;
      numbering second;
      std::vector<int> seen;
      tw::run(tw::source(std::views::iota(0, 400)) |
                  tw::farm(tw::map(first.factory()) | tw::map(second.factory()),
                           {.replicas = 8, .schedule = tw::round_robin, .blocking = blocking}) |
                  tw::sink(seen),
              tw::policy_from(policy));
      EXPECT_EQ(seen, expected(400, [](int x) { return x; }));
      for (auto* f : {&first, &second}) {
        EXPECT_EQ(f->clashes, 0);
        std::sort(f->given.begin(), f->given.end());
        EXPECT_EQ(f->given, expected(static_cast<int>(f->given.size()), [](int x) { return x; }));
        EXPECT_GT(f->given.size(), 1U) << "there was nothing to see";
      }
    }
  }
}

// How many replicas are in the operator at once, and how often one instance is entered twice at once.
struct meter {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> clashes{0};
};

TEST_P(Farm, NoMoreReplicasWorkAtOnceThanAllowed) {
  for (const int replicas : {1, 2, 3}) {
    meter m;
    tw::run(tw::source(std::views::iota(0, 600)) |
                tw::farm(
                    [&m](int x) {
                      const int now = ++m.inside;
                      int most = m.most;
                      while (now > most && !m.most.compare_exchange_weak(most, now)) {
                      }
                      spin_for(30us);
                      --m.inside;
                      return x;
                    },
                    {.replicas = replicas}) |
                tw::sink([](int) {}),
            policy());
    EXPECT_LE(m.most, replicas);
  }
}

TEST_P(Farm, OneReplicaIsNeverCalledTwiceAtOnce) {
  meter m;
  tw::run(tw::source(std::views::iota(0, 1000)) |
              tw::farm(tw::per_replica([&m] {
                         return [&m, busy = std::make_shared<std::atomic<bool>>(false)](int x) mutable {
                           if (busy->exchange(true)) ++m.clashes;
                           spin_for(5us);
                           busy->store(false);
                           return x;
                         };
                       }),
                       {.replicas = 4}) |
              tw::sink([](int) {}),
          policy());
  EXPECT_EQ(m.clashes, 0);
}

TEST_P(Farm, ReplicasReallyWorkAtOnce) {
  if (one_thread() || GetParam() == "pool:1" || GetParam() == "pool") GTEST_SKIP() << "one worker is enough";
  // Two items meet in the operator: that takes two replicas.
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  tw::run(tw::source(std::views::iota(0, 10'000)) |
              tw::farm(
                  [&](int x) {
                    if (met) return x;
                    ++inside;
                    if (eventually([&] { return inside >= 2 || met; }, 2ms)) met = true;
                    --inside;
                    return x;
                  },
                  {.replicas = 2}) |
              tw::sink([](int) {}),
          policy());
  EXPECT_TRUE(met);
}

// --- who takes what ---

TEST_P(Farm, SchedulesNeverShowInResults) {
  const std::vector<tw::schedule> all{
      tw::on_demand, tw::round_robin,
      tw::route([](const int& x, std::size_t n) { return static_cast<std::size_t>(x / 3) % n; }),
      tw::route([](const int&, std::size_t) { return std::size_t{1'000'003}; })};
  for (const auto& schedule : all) {
    std::vector<int> seen;
    tw::run(tw::source(std::views::iota(0, 2000)) | tw::farm(mixed, {.replicas = 3, .schedule = schedule}) |
                tw::sink(seen),
            policy());
    EXPECT_EQ(seen, expected(2000, [](int x) { return 3 * x + 1; }));
  }
}

// The replica, numbered as they were made, that took each item.
std::map<int, int> takers(const tw::any_policy& policy, const tw::schedule& schedule, int replicas) {
  std::mutex lock;
  std::map<int, int> taker;
  std::atomic<int> made{0};
  tw::run(tw::source(std::views::iota(0, 300)) |
              tw::farm(tw::per_replica([&] {
                         return [&, me = made++](int x) {
                           const std::lock_guard hold(lock);
                           taker[x] = me;
                           return x;
                         };
                       }),
                       {.replicas = replicas, .schedule = schedule}) |
              tw::sink([](int) {}),
          policy);
  return taker;
}

TEST_P(Farm, RoutedItemsOfOneKeyMeetInOneReplica) {
  const auto taker =
      takers(policy(),
             tw::route([](const int& x, std::size_t n) { return static_cast<std::size_t>(x) % 7 % n; }), 3);
  ASSERT_EQ(taker.size(), 300U);
  for (const auto& [x, who] : taker) {
    EXPECT_EQ(who, taker.at(x % 7 % 3)) << x;
  }
}

TEST_P(Farm, RoutesUseAllReplicasUnderPoliciesThatHaveThem) {
  if (one_thread()) GTEST_SKIP() << "one replica";
  const auto taker = takers(
      policy(), tw::route([](const int& x, std::size_t n) { return static_cast<std::size_t>(x) % n; }), 3);
  std::set<int> who;
  for (const auto& [x, r] : taker) who.insert(r);
  EXPECT_EQ(who.size(), GetParam() == "threads:1" ? 1U : 3U);
}

TEST_P(Farm, RoundRobinTakesTurns) {
  if (one_thread()) GTEST_SKIP() << "one replica";
  const auto taker = takers(policy(), tw::round_robin, 3);
  ASSERT_EQ(taker.size(), 300U);
  for (const auto& [x, who] : taker) {
    EXPECT_EQ(who, taker.at(x % 3)) << x;
    EXPECT_EQ(x % 3 == 0, who == taker.at(0)) << x;
  }
}

}  // namespace
