// What a stage does when its operator throws, and how a run ends that failed.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class Errors : public under_every_policy {};
FOR_EVERY_POLICY(Errors);

auto count_to(int n) {
  return tw::source(
      [i = 0, n]() mutable -> std::optional<int> { return i < n ? std::optional(i++) : std::nullopt; });
}
auto nothing() {
  return tw::sink([](int) {});
}
int same(int x) {
  return x;
}
[[noreturn]] void fail(const std::string& why) {
  throw std::runtime_error(why);
}

std::vector<int> numbers(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

template <class Job> failure failure_under(const tw::any_policy& policy, Job&& job) {
  return failure_of([&] { tw::run(std::forward<Job>(job), policy); });
}

// --- where it comes from ---

TEST_P(Errors, OfASource) {
  const auto f = failure_under(policy(), tw::source(
                                             [n = 0]() mutable -> std::optional<int> {
                                               if (n == 100) fail("unreadable");
                                               return n++;
                                             },
                                             {.name = "read"}) |
                                             tw::farm(same) | nothing());
  EXPECT_EQ(f.stage, "read");
  EXPECT_EQ(f.replica, 0);
  EXPECT_EQ(f.cause, "unreadable");
  EXPECT_EQ(f.what, "stage 'read': unreadable");
}

TEST_P(Errors, OfASourceThatThrowsAtOnce) {
  const auto f =
      failure_under(policy(), tw::source([]() -> std::optional<int> { fail("no such file"); }) | nothing());
  EXPECT_EQ(f.stage, "source");
  EXPECT_EQ(f.cause, "no such file");
}

TEST_P(Errors, OfAnEmittingSource) {
  int n = 0;
  const auto f = failure_under(policy(), tw::source(
                                             [](tw::emitter<int>& out) {
                                               for (int i = 0; i < 500; ++i) out(i);
                                               fail("cut off");
                                             },
                                             {.name = "read"}) |
                                             tw::farm(same) | tw::sink([&](int x) { EXPECT_EQ(x, n++); }));
  EXPECT_EQ(f.stage, "read");
  EXPECT_EQ(f.cause, "cut off");
}

TEST_P(Errors, OfAnEmittingSourceThatThrowsAtOnce) {
  const auto f = failure_under(policy(), tw::source([](tw::emitter<int>&) { fail("no"); }) | nothing());
  EXPECT_EQ(f.stage, "source");
}

TEST_P(Errors, OfAPacedSource) {
  const auto f = failure_under(policy(), tw::paced(
                                             [n = 0]() mutable -> std::optional<int> {
                                               if (n == 10) fail("unreadable");
                                               return n++;
                                             },
                                             100'000.0, {.name = "read"}) |
                                             nothing());
  EXPECT_EQ(f.stage, "read");
}

TEST_P(Errors, OfAMap) {
  const auto f = failure_under(
      policy(), count_to(1000) |
                    tw::map([](int x) { return x == 500 ? throw std::domain_error("five hundred") : x; },
                            {.name = "divide"}) |
                    nothing());
  EXPECT_EQ(f.stage, "divide");
  EXPECT_EQ(f.cause, "five hundred");
}

TEST_P(Errors, OfAFilter) {
  const auto f = failure_under(
      policy(),
      count_to(1000) |
          tw::filter([](int x) { return x == 500 ? throw std::domain_error("f") : true; }, {.name = "keep"}) |
          nothing());
  EXPECT_EQ(f.stage, "keep");
}

TEST_P(Errors, OfAFlatMap) {
  const auto f = failure_under(policy(), count_to(1000) |
                                             tw::flat_map(
                                                 [](int x, tw::emitter<int>& out) {
                                                   out(x);
                                                   if (x == 500) fail("half way");
                                                   out(x);
                                                 },
                                                 {.name = "split"}) |
                                             nothing());
  EXPECT_EQ(f.stage, "split");
}

TEST_P(Errors, OfASink) {
  const auto f = failure_under(policy(), count_to(1000) | tw::farm(same) |
                                             tw::sink(
                                                 [](int x) {
                                                   if (x == 500) fail("disk full");
                                                 },
                                                 {.name = "write"}));
  EXPECT_EQ(f.stage, "write");
  EXPECT_EQ(f.cause, "disk full");
}

TEST_P(Errors, OfAFarmNameItsReplica) {
  const auto f =
      failure_under(policy(), count_to(1000) |
                                  tw::farm([](int x) { return x == 500 ? throw std::domain_error("x") : x; },
                                           {.replicas = 3, .name = "work"}) |
                                  nothing());
  EXPECT_EQ(f.stage, "work");
  EXPECT_GE(f.replica, 0);
  EXPECT_LT(f.replica, 3);
}

// A sink that throws once, at the item `bad`, and would go on if it were called again.
struct fails_once {
  std::vector<int>* seen;
  int bad;
  bool failed = false;
  void operator()(int x) {
    if (x == bad && !std::exchange(failed, true)) fail("disk full");
    seen->push_back(x);
  }
};

void send_whatever_comes(tw::emitter<int>& out, int from, int n) {
  for (int i = from; i < from + n; ++i) {
    try {
      if (i % 2 == 0) {
        out(i);
      } else {
        out.send(i);
      }
    } catch (...) {  // which an operator should not do
    }
  }
}

TEST_P(Errors, OfASinkCannotBeSwallowedByASourceThatEmits) {
  for (const int bad : {0, 1, 500, 999}) {
    std::vector<int> seen;
    const auto f = failure_under(policy(), tw::source([](tw::emitter<int>& out) {
                                             send_whatever_comes(out, 0, 1000);
                                           }) | tw::sink(fails_once{&seen, bad}, {.name = "write"}));
    EXPECT_EQ(f.stage, "write");
    EXPECT_EQ(f.cause, "disk full");
    EXPECT_EQ(seen, numbers(bad)) << "each once, and none behind the one that failed";
  }
}

TEST_P(Errors, OfALaterStageCannotBeSwallowedByASourceThatEmits) {
  std::vector<int> seen;
  const auto f =
      failure_under(policy(), tw::source([](tw::emitter<int>& out) { send_whatever_comes(out, 0, 1000); }) |
                                  tw::map(
                                      [failed = false](int x) mutable {
                                        if (x == 500 && !std::exchange(failed, true)) fail("bad");
                                        return x;
                                      },
                                      {.name = "m"}) |
                                  tw::farm(same, {.replicas = 2}) | tw::sink(seen));
  EXPECT_EQ(f.stage, "m");
  EXPECT_LE(seen.size(), 500U);
  EXPECT_EQ(seen, numbers(static_cast<int>(seen.size())));
}

TEST_P(Errors, OfASinkCannotBeSwallowedByAFlatMap) {
  const auto each = [](int x, tw::emitter<int>& out) { send_whatever_comes(out, 1000 * x, 1000); };
  for (const int bad : {0, 63, 64, 1500, 2999}) {
    std::vector<int> seen;
    auto f = failure_under(
        policy(), count_to(3) | tw::flat_map(each) | tw::sink(fails_once{&seen, bad}, {.name = "write"}));
    EXPECT_EQ(f.stage, "write");
    EXPECT_EQ(f.cause, "disk full");
    EXPECT_EQ(seen, numbers(bad));
    seen.clear();
    f = failure_under(policy(), count_to(3) | tw::farm(tw::flat_map(each) | tw::map(same), {.replicas = 2}) |
                                    tw::sink(fails_once{&seen, bad}, {.name = "write"}));
    EXPECT_EQ(f.stage, "write");
    EXPECT_EQ(seen, numbers(bad));
  }
}

TEST_P(Errors, OfASinkCannotBeSwallowedByAnEndHook) {
  struct last_words {
    int operator()(int x) { return x; }
    void on_end(tw::emitter<int>& out) { send_whatever_comes(out, 10, 1000); }
  };
  std::vector<int> seen;
  const auto f = failure_under(
      policy(), count_to(10) | tw::map(last_words{}) | tw::sink(fails_once{&seen, 500}, {.name = "write"}));
  EXPECT_EQ(f.stage, "write");
  EXPECT_EQ(seen, numbers(500));
}

TEST_P(Errors, OfAReplicatedSink) {
  const auto f = failure_under(policy(), count_to(1000) | tw::farm(tw::sink(
                                                                       [](int x) {
                                                                         if (x == 500) fail("disk full");
                                                                       },
                                                                       {.name = "write"}),
                                                                   {.replicas = 3}));
  EXPECT_EQ(f.stage, "write");
}

TEST_P(Errors, InsideAFarmOfAPipelineNameTheStage) {
  const auto f = failure_under(
      policy(), count_to(1000) |
                    tw::farm(tw::map(same) |
                                 tw::map([](int x) { return x == 7 ? throw std::domain_error("x") : x; },
                                         {.name = "second"}) |
                                 tw::filter([](int) { return true; }),
                             {.replicas = 2, .name = "shop"}) |
                    nothing());
  EXPECT_EQ(f.stage, "shop/second");
}

TEST_P(Errors, OfAFactory) {
  std::atomic<int> made{0};
  const auto f = failure_under(policy(), count_to(1000) |
                                             tw::farm(tw::per_replica([&]() -> std::function<int(int)> {
                                                        ++made;
                                                        fail("no memory");
                                                      }),
                                                      {.replicas = 2, .name = "work"}) |
                                             nothing());
  EXPECT_EQ(f.stage, "work");
  EXPECT_EQ(f.cause, "no memory");
  EXPECT_GE(made, 1);
}

struct fails_at_start {
  void on_start() const { fail("locked"); }
  int operator()(int x) const { return x; }
};
struct fails_at_end {
  int operator()(int x) const { return x; }
  void on_end() const { fail("not flushed"); }
};

TEST_P(Errors, OfHooks) {
  auto f = failure_under(policy(), count_to(10) | tw::map(fails_at_start{}, {.name = "a"}) | nothing());
  EXPECT_EQ(f.stage, "a");
  EXPECT_EQ(f.cause, "locked");
  f = failure_under(policy(),
                    count_to(10) | tw::farm(fails_at_start{}, {.replicas = 2, .name = "b"}) | nothing());
  EXPECT_EQ(f.stage, "b");
  EXPECT_EQ(f.cause, "locked");
  f = failure_under(policy(), count_to(10) | tw::map(fails_at_end{}, {.name = "c"}) | nothing());
  EXPECT_EQ(f.stage, "c");
  EXPECT_EQ(f.cause, "not flushed");
  f = failure_under(policy(),
                    count_to(10) | tw::farm(fails_at_end{}, {.replicas = 2, .name = "d"}) | nothing());
  EXPECT_EQ(f.stage, "d");
  EXPECT_EQ(f.cause, "not flushed");
}

TEST_P(Errors, OfADeadLetterHandler) {
  const auto f =
      failure_under(policy(), count_to(10) |
                                  tw::map([](int) -> int { fail("bad item"); },
                                          {.on_error = tw::dead_letter([](const int&, std::exception_ptr) {
                                             fail("no post office");
                                           }),
                                           .name = "m"}) |
                                  nothing());
  EXPECT_EQ(f.stage, "m");
  EXPECT_EQ(f.cause, "no post office");
}

TEST_P(Errors, OfARoutingFunction) {
  if (one_thread()) GTEST_SKIP() << "one replica: nothing to route";
  const auto f = failure_under(
      policy(), count_to(10) |
                    tw::farm(same, {.replicas = 2,
                                    .name = "f",
                                    .schedule = tw::route(
                                        [](const int&, std::size_t) -> std::size_t { fail("no route"); })}) |
                    nothing());
  EXPECT_EQ(f.stage, "f");
  EXPECT_EQ(f.cause, "no route");
}

TEST_P(Errors, ThatAreNoStandardExceptions) {
  auto f = failure_under(policy(), count_to(10) | tw::map([](int) -> int { throw 42; }) | nothing());
  EXPECT_EQ(f.stage, "map-1");
  EXPECT_EQ(f.cause, "42");
  f = failure_under(policy(), count_to(10) | tw::map([](int) -> int { throw "text"; }) | nothing());
  EXPECT_EQ(f.cause, "text");
}

TEST_P(Errors, TheTypeOfTheCauseIsKept) {
  try {
    tw::run(count_to(10) | tw::map([](int) -> int { throw std::out_of_range("x"); }) | nothing(), policy());
    FAIL() << "threw nothing";
  } catch (const tw::stage_error& e) {
    EXPECT_THROW(std::rethrow_if_nested(e), std::out_of_range);
  }
}

// --- which one ---

TEST_P(Errors, TheOneOfTheLowestPositionComesOut) {
  // All replicas fail, the one with the first item last of all.
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::atomic<bool> first_is_there{false};
    const auto f = failure_under(policy(), count_to(8) |
                                               tw::farm(
                                                   [&](int x) -> int {
                                                     if (x == 0) {
                                                       first_is_there = true;
                                                       std::this_thread::sleep_for(3ms);
                                                     }
                                                     while (!first_is_there) std::this_thread::yield();
                                                     fail(std::to_string(x));
                                                   },
                                                   {.replicas = 4}) |
                                               nothing());
    EXPECT_EQ(f.cause, "0");
  }
}

// A receiver takes what a source that waits has given until then. The first error comes last, if the next
// item is at work meanwhile.
TEST_P(Errors, TheOneOfTheLowestPositionComesOutOfASourceThatWaits) {
  for (int repeat = 0; repeat < 5; ++repeat) {
    static constexpr int first = 40;
    std::atomic<bool> second{false};
    std::atomic<int> lowest{2 * first};
    const auto f =
        failure_under(policy(), tw::source([n = 0]() mutable -> std::optional<int> {
                                  if (n % 8 == 0) std::this_thread::sleep_for(50us);
                                  return n < 2 * first ? std::optional(n++) : std::nullopt;
                                }) |
                                    tw::farm(
                                        [&](int x) -> int {
                                          if (x < first) return x;
                                          if (x == first && eventually([&] { return second.load(); }, 20ms))
                                            std::this_thread::sleep_for(2ms);
                                          if (x > first) second = true;
                                          auto seen = lowest.load();
                                          while (x < seen && !lowest.compare_exchange_weak(seen, x)) {
                                          }
                                          fail(std::to_string(x));
                                        },
                                        {.replicas = 2}) |
                                    nothing());
    EXPECT_EQ(f.cause, std::to_string(lowest));
  }
}

TEST_P(Errors, AnOrderedSinkHasSeenAPrefix) {
  for (const int bad : {0, 1, 137, 2999}) {
    std::vector<int> seen;
    const auto f = failure_under(policy(), count_to(3000) |
                                               tw::farm(
                                                   [bad](int x) {
                                                     if (x == bad) fail("bad");
                                                     return x;
                                                   },
                                                   {.replicas = 3}) |
                                               tw::map(same) | tw::sink(seen));
    EXPECT_EQ(f.cause, "bad");
    EXPECT_LE(seen.size(), static_cast<std::size_t>(bad));
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i));
  }
}

TEST_P(Errors, StartedOperatorsAreDestroyed) {
  auto resource = std::make_shared<int>(1);
  failure_under(policy(), count_to(100) | tw::farm([resource](int x) { return x + *resource; }) |
                              tw::map([](int x) { return x == 50 ? throw std::domain_error("x") : x; }) |
                              nothing());
  EXPECT_EQ(resource.use_count(), 1);
}

TEST_P(Errors, TheSameJobCanBeRunAgain) {
  std::atomic<bool> broken{true};
  int n = 0;
  const auto job = count_to(100) |
                   tw::farm([&](int x) { return x == 50 && broken ? throw std::domain_error("x") : x; }) |
                   tw::sink([&](int) { ++n; });
  failure_under(policy(), job);
  broken = false;
  n = 0;
  tw::run(job, policy());
  EXPECT_EQ(n, 100);
}

// --- nothing hangs ---

TEST_P(Errors, WhileOthersBlockOnFullPipes) {
  // The sink fails while everything in front of it is full.
  const auto f = failure_under(policy(), tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
                                             tw::map(same, {.capacity = 4}) |
                                             tw::farm(same, {.replicas = 3, .capacity = 4}) |
                                             tw::sink(
                                                 [](int x) {
                                                   std::this_thread::sleep_for(100us);
                                                   if (x == 100) fail("disk full");
                                                 },
                                                 {.capacity = 4, .name = "write"}));
  EXPECT_EQ(f.stage, "write");
}

TEST_P(Errors, WhileAnEmittingSourceBlocksOnAFullPipe) {
  const auto f = failure_under(policy(), tw::source([](tw::emitter<int>& out) {
                                           for (int i = 0;; ++i) out(i);
                                         }) |
                                             tw::sink(
                                                 [](int x) {
                                                   std::this_thread::sleep_for(100us);
                                                   if (x == 100) fail("disk full");
                                                 },
                                                 {.capacity = 4, .name = "write"}));
  EXPECT_EQ(f.stage, "write");
}

TEST_P(Errors, WhileAFlatMapBlocksOnAFullPipe) {
  const auto f = failure_under(policy(), count_to(3) | tw::flat_map([](int, tw::emitter<int>& out) {
                                           for (int i = 0;; ++i) out(i);
                                         }) | tw::farm(same, {.replicas = 2, .capacity = 8}) |
                                             tw::sink(
                                                 [](int x) {
                                                   if (x == 10'000) fail("disk full");
                                                 },
                                                 {.name = "write"}));
  EXPECT_EQ(f.stage, "write");
}

TEST_P(Errors, WhileAFlatMapInAFarmSendsWithoutEnd) {
  const auto f = failure_under(policy(), count_to(3) |
                                             tw::farm(tw::flat_map([](int, tw::emitter<int>& out) {
                                                        for (int i = 0;; ++i) out(i);
                                                      }),
                                                      {.replicas = 4}) |
                                             tw::sink(
                                                 [](int x) {
                                                   if (x == 100'000) fail("disk full");
                                                 },
                                                 {.name = "write"}));
  EXPECT_EQ(f.stage, "write");
}

TEST_P(Errors, WhileOthersWaitForItems) {
  // The only item fails; everybody behind waits on an empty pipe.
  const auto f = failure_under(
      policy(), count_to(1) | tw::map([](int) -> int { fail("x"); }) | tw::farm(same, {.replicas = 3}) |
                    tw::map(same, {.blocking = true}) | tw::sink([](int) {}, {.on = tw::caller_thread}));
  EXPECT_EQ(f.stage, "map-1");
}

TEST_P(Errors, WhileOtherReplicasAreBusy) {
  std::atomic<int> inside{0};
  const auto f = failure_under(policy(), count_to(100) |
                                             tw::farm(
                                                 [&](int x) {
                                                   ++inside;
                                                   std::this_thread::sleep_for(x == 0 ? 5ms : 1ms);
                                                   --inside;
                                                   if (x == 0) fail("x");
                                                   return x;
                                                 },
                                                 {.replicas = 4, .name = "work"}) |
                                             nothing());
  EXPECT_EQ(f.stage, "work");
  EXPECT_EQ(inside, 0) << "run returns when all its threads have left";
}

TEST_P(Errors, WhileBlockingStagesWait) {
  const auto f = failure_under(
      policy(),
      tw::source([n = 0]() mutable -> std::optional<int> { return n++; }, {.blocking = true}) |
          tw::farm(same, {.replicas = 2, .blocking = true}) |
          tw::map([](int x) { return x == 500 ? throw std::domain_error("x") : x; }, {.name = "m"}) |
          tw::sink([](int) {}, {.blocking = true}));
  EXPECT_EQ(f.stage, "m");
}

TEST_P(Errors, InEveryStageAtOnce) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto bad = [](int x) { return x % 10 == 9 ? throw std::domain_error("x") : x; };
    const auto f = failure_under(policy(), count_to(1000) | tw::map(bad, {.name = "a"}) |
                                               tw::farm(bad, {.replicas = 3, .name = "b"}) |
                                               tw::map(bad, {.name = "c"}) | nothing());
    EXPECT_EQ(f.stage, "a") << "no other stage gets an item that fails";
  }
}

TEST_P(Errors, ALaunchedRunThrowsFromWaitEachTime) {
  auto e =
      tw::launch(count_to(10) | tw::map([](int) -> int { fail("x"); }, {.name = "m"}) | nothing(), policy());
  EXPECT_EQ(failure_of([&] { e.wait(); }).stage, "m");
  EXPECT_EQ(failure_of([&] { e.wait(); }).stage, "m");
  EXPECT_TRUE(e.done());
}

TEST_P(Errors, ADestroyedExecutionKeepsItsErrorToItself) {
  {
    auto e = tw::launch(count_to(10) | tw::map([](int) -> int { fail("x"); }) | nothing(), policy());
  }
  SUCCEED();
}

// --- skip, retry, dead letter ---

std::vector<int> numbers_without(int n, const std::function<bool(int)>& gone) {
  std::vector<int> v;
  for (int i = 0; i < n; ++i) {
    if (!gone(i)) v.push_back(i);
  }
  return v;
}

const auto no_sevens = [](int x) { return x % 7 == 0 ? throw std::domain_error("seven") : x; };

TEST_P(Errors, SkipDropsTheItemAndCounts) {
  std::vector<int> seen;
  const auto r = tw::run(
      count_to(1000) | tw::map(no_sevens, {.on_error = tw::skip, .name = "m"}) | tw::sink(seen), policy());
  EXPECT_EQ(seen, numbers_without(1000, [](int x) { return x % 7 == 0; }));
  EXPECT_EQ(r.stage("m").errors(), 143U);
  EXPECT_EQ(r.stage("m").skipped(), 143U);
  EXPECT_EQ(r.stage("m").retries(), 0U);
  EXPECT_EQ(r.stage("m").items_in(), 1000U);
  EXPECT_EQ(r.stage("m").items_out(), 857U);
  EXPECT_EQ(r.items(), 857U);
}

TEST_P(Errors, SkipInAFarmClosesTheGap) {
  std::vector<int> seen;
  const auto r =
      tw::run(count_to(3000) | tw::farm(no_sevens, {.replicas = 3, .on_error = tw::skip, .name = "f"}) |
                  tw::sink(seen),
              policy());
  EXPECT_EQ(seen, numbers_without(3000, [](int x) { return x % 7 == 0; }));
  EXPECT_EQ(r.stage("f").skipped(), 429U);
}

TEST_P(Errors, SkipEverything) {
  std::vector<int> seen;
  tw::run(count_to(1000) | tw::farm([](int) -> int { fail("x"); }, {.replicas = 3, .on_error = tw::skip}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, IsEmpty());
}

TEST_P(Errors, EveryKindOfStageCanSkip) {
  std::vector<int> seen;
  const auto r = tw::run(
      count_to(100) |
          tw::filter([](int x) { return x == 1 ? throw std::domain_error("x") : true; },
                     {.on_error = tw::skip, .name = "a"}) |
          tw::flat_map(
              [](int x, tw::emitter<int>& out) {
                out(x);
                if (x == 2) fail("x");
              },
              {.on_error = tw::skip, .name = "b"}) |
          tw::farm(tw::map([](int x) { return x == 3 ? throw std::domain_error("x") : x; }) | tw::map(same),
                   {.on_error = tw::skip, .name = "c"}) |
          tw::sink(
              [&](int x) {
                if (x == 4) fail("x");
                seen.push_back(x);
              },
              {.on_error = tw::skip, .name = "d"}),
      policy());
  EXPECT_EQ(seen, numbers_without(100, [](int x) { return x >= 1 && x <= 4; }));
  EXPECT_EQ(r.stage("a").skipped(), 1U);
  EXPECT_EQ(r.stage("b").skipped(), 1U);
  EXPECT_EQ(r.stage("c/map-0").skipped(), 1U);
  EXPECT_EQ(r.stage("c/map-1").skipped(), 0U);
  EXPECT_EQ(r.stage("d").skipped(), 1U);
}

TEST_P(Errors, ASourceCanSkipACallThatFails) {
  std::vector<int> seen;
  const auto r = tw::run(tw::source(
                             [n = 0]() mutable -> std::optional<int> {
                               const int x = n++;
                               if (x % 10 == 3) fail("unreadable");
                               return x < 100 ? std::optional(x) : std::nullopt;
                             },
                             {.on_error = tw::skip, .name = "read"}) |
                             tw::farm(same) | tw::sink(seen),
                         policy());
  EXPECT_EQ(seen, numbers_without(100, [](int x) { return x % 10 == 3; }));
  EXPECT_EQ(r.stage("read").skipped(), 10U);
  EXPECT_EQ(r.stage("read").items_out(), 90U);
}

TEST_P(Errors, ARangeSkipsTheItemsThatCannotBeRead) {
  std::vector<int> seen;
  const auto r = tw::run(tw::source(std::views::iota(0, 100) | std::views::transform([](int x) {
                                      if (x % 10 == 3) fail("unreadable");
                                      return x;
                                    }),
                                    {.on_error = tw::skip, .name = "read"}) |
                             tw::sink(seen),
                         policy());
  EXPECT_EQ(seen, numbers_without(100, [](int x) { return x % 10 == 3; }));
  EXPECT_EQ(r.stage("read").skipped(), 10U);
}

// There is nothing behind what cannot be got past.
TEST_P(Errors, ARangeThatCannotGoOnEndsTheRun) {
  std::vector<int> seen;
  EXPECT_THROW(tw::run(tw::source(std::views::iota(0, 100) | std::views::filter([](int x) {
                                    if (x > 20) fail("stuck");
                                    return true;
                                  }),
                                  {.on_error = tw::skip, .name = "read"}) |
                           tw::sink(seen),
                       policy()),
               tw::error);
}

TEST_P(Errors, ASourceCanTryAgain) {
  std::vector<int> seen;
  const auto r = tw::run(tw::source(
                             [n = 0, tries = 0]() mutable -> std::optional<int> {
                               if (++tries % 3 != 0) fail("not yet");
                               return n < 20 ? std::optional(n++) : std::nullopt;
                             },
                             {.on_error = tw::retry(2), .name = "read"}) |
                             tw::sink(seen),
                         policy());
  EXPECT_EQ(seen, numbers_without(20, [](int) { return false; }));
  EXPECT_EQ(r.stage("read").retries(), 42U) << "the call that finds the end fails twice, too";
}

TEST_P(Errors, RetryTriesTheSameItemAgain) {
  std::vector<int> seen;
  std::vector<int> tries(50, 0);
  const auto r = tw::run(count_to(50) |
                             tw::map(
                                 [&](int x) {
                                   if (++tries[static_cast<std::size_t>(x)] <= x % 4) fail("not yet");
                                   return x;
                                 },
                                 {.on_error = tw::retry(3), .name = "m"}) |
                             tw::sink(seen),
                         policy());
  EXPECT_EQ(seen, numbers_without(50, [](int) { return false; }));
  EXPECT_EQ(r.stage("m").retries(), 73U);
  EXPECT_EQ(r.stage("m").errors(), 73U);
  EXPECT_EQ(r.stage("m").skipped(), 0U);
}

TEST_P(Errors, RetryStopsTheRunWhenItIsUsedUp) {
  std::atomic<int> tries{0};
  const auto f = failure_under(policy(), count_to(10) |
                                             tw::map(
                                                 [&](int x) -> int {
                                                   if (x < 5) return x;
                                                   ++tries;
                                                   fail("never");
                                                 },
                                                 {.on_error = tw::retry(3), .name = "m"}) |
                                             nothing());
  EXPECT_EQ(f.stage, "m");
  EXPECT_EQ(f.cause, "never");
  EXPECT_EQ(tries, 4) << "once and three times more";
}

TEST_P(Errors, RetryBacksOff) {
  std::vector<std::chrono::steady_clock::time_point> when;
  tw::run(count_to(1) |
              tw::map(
                  [&](int x) {
                    when.push_back(std::chrono::steady_clock::now());
                    if (when.size() <= 3) fail("not yet");
                    return x;
                  },
                  {.on_error = tw::retry(3, 4ms)}) |
              nothing(),
          policy());
  ASSERT_EQ(when.size(), 4U);
  EXPECT_GE(when[1] - when[0], 4ms);
  EXPECT_GE(when[2] - when[1], 8ms);
  EXPECT_GE(when[3] - when[2], 16ms);
}

TEST_P(Errors, RetryThenSkip) {
  std::vector<int> seen;
  const auto r =
      tw::run(count_to(100) |
                  tw::farm(no_sevens, {.replicas = 2, .on_error = tw::retry(2).then(tw::skip), .name = "f"}) |
                  tw::sink(seen),
              policy());
  EXPECT_EQ(seen, numbers_without(100, [](int x) { return x % 7 == 0; }));
  EXPECT_EQ(r.stage("f").retries(), 30U);
  EXPECT_EQ(r.stage("f").errors(), 45U);
  EXPECT_EQ(r.stage("f").skipped(), 15U);
}

TEST_P(Errors, DeadLettersGetTheItemAndTheReason) {
  std::vector<std::pair<int, std::string>> letters;
  std::vector<int> seen;
  const auto post = tw::dead_letter([&](const int& x, std::exception_ptr why) {
    try {
      std::rethrow_exception(why);
    } catch (const std::domain_error& e) {
      letters.emplace_back(x, e.what());
    }
  });
  const auto r =
      tw::run(count_to(30) | tw::map(no_sevens, {.on_error = post, .name = "m"}) | tw::sink(seen), policy());
  EXPECT_EQ(seen, numbers_without(30, [](int x) { return x % 7 == 0; }));
  using p = std::pair<int, std::string>;
  EXPECT_THAT(letters,
              ElementsAre(p(0, "seven"), p(7, "seven"), p(14, "seven"), p(21, "seven"), p(28, "seven")));
  EXPECT_EQ(r.stage("m").dead_lettered(), 5U);
  EXPECT_EQ(r.stage("m").errors(), 5U);
  EXPECT_EQ(r.stage("m").skipped(), 0U);
}

TEST_P(Errors, DeadLettersAreWrittenOneAtATime) {
  std::atomic<int> inside{0};
  bool alone = true;
  std::vector<int> letters;
  const auto post = tw::retry(1).then(tw::dead_letter([&](const int& x, const std::exception_ptr&) {
    alone = alone && inside.fetch_add(1) == 0;
    spin_for(20us);
    letters.push_back(x);
    --inside;
  }));
  const auto bad = [](int) -> int { fail("x"); };
  const auto r = tw::run(count_to(400) |
                             tw::farm(tw::flat_map([=](int x, tw::emitter<int>& out) {
                                        out(x);
                                        if (x % 2 == 0) bad(x);
                                      }) | tw::map(bad),
                                      {.replicas = 4, .on_error = post, .name = "f"}) |
                             nothing(),
                         policy());
  EXPECT_TRUE(alone);
  EXPECT_EQ(letters.size(), 400U);
  EXPECT_EQ(r.stage("f/flat_map-0").dead_lettered(), 200U);
  EXPECT_EQ(r.stage("f/map-1").dead_lettered(), 200U);
}

TEST_P(Errors, TheItemOfADeadLetterIsWhatCameIn) {
  // The operator takes its item by value, or changes it: it gets a copy.
  std::vector<std::string> letters;
  const auto post = tw::dead_letter([&](const std::string& s, std::exception_ptr) { letters.push_back(s); });
  const auto words = tw::source(std::vector<std::string>{"one", "two"});
  tw::run(words |
              tw::map(
                  [](std::string s) -> std::string {
                    s.clear();
                    fail("x");
                  },
                  {.on_error = tw::retry(2).then(post)}) |
              tw::sink([](const std::string&) {}),
          policy());
  tw::run(words |
              tw::map(
                  [](std::string& s) -> std::string {
                    s += "!";
                    fail("x");
                  },
                  {.on_error = tw::retry(2).then(post)}) |
              tw::sink([](const std::string&) {}),
          policy());
  tw::run(words | tw::sink([](std::string&&) { fail("x"); }, {.on_error = post}), policy());
  EXPECT_THAT(letters, ElementsAre("one", "two", "one", "two", "one", "two"));
}

TEST_P(Errors, AFailedAttemptLeavesNoPartialOutput) {
  std::vector<int> seen;
  std::vector<int> tries(200, 0);
  const auto r = tw::run(count_to(200) |
                             tw::flat_map(
                                 [&](int x, tw::emitter<int>& out) {
                                   const int n = ++tries[static_cast<std::size_t>(x)];
                                   for (int i = 0; i < 100; ++i) out(x * 1000 + i);
                                   if (n <= x % 3) fail("late");
                                   out(x * 1000 + 100);
                                 },
                                 {.on_error = tw::retry(1).then(tw::skip), .name = "m"}) |
                             tw::sink(seen),
                         policy());
  std::vector<int> expected;
  for (int x = 0; x < 200; ++x) {
    if (x % 3 == 2) continue;  // fails twice
    for (int i = 0; i <= 100; ++i) expected.push_back(x * 1000 + i);
  }
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(r.stage("m").items_out(), expected.size());
}

TEST_P(Errors, WithoutAPolicyItemsAreMovedEvenThoughOthersHaveOne) {
  std::vector<int> seen;
  tw::run(count_to(3) | tw::map(same, {.on_error = tw::skip}) |
              tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::map([](std::unique_ptr<int> p) { return *p; }) | tw::map(same, {.on_error = tw::retry(1)}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(0, 1, 2));
}

TEST_P(Errors, CancellingWakesABackOff) {
  auto e = tw::launch(
      count_to(1) | tw::map([](int) -> int { fail("x"); }, {.on_error = tw::retry(3, 1h), .name = "m"}) |
          nothing(),
      policy());
  ASSERT_TRUE(one_thread() || eventually([&] { return e.stats().stage("m").items_in() <= 1; }));
  std::this_thread::sleep_for(5ms);
  e.cancel();
  e.wait();
  EXPECT_TRUE(e.done());
}

TEST_P(Errors, AnErrorElsewhereWakesABackOff) {
  if (one_thread() || GetParam() == "pool:1") GTEST_SKIP() << "needs two threads";
  // One item waits an hour for its second attempt, another one fails for good.
  std::atomic<bool> waiting{false};
  const auto f = failure_under(
      policy(), count_to(2) |
                    tw::farm(
                        [&](int x) -> int {
                          if (x == 0) {
                            waiting = true;
                            fail("again");
                          }
                          return x;
                        },
                        {.replicas = 2, .unordered = true, .on_error = tw::retry(1, 1h), .blocking = true}) |
                    tw::sink(
                        [&](int) {
                          eventually([&] { return waiting.load(); });
                          fail("for good");
                        },
                        {.name = "end", .blocking = true}));
  EXPECT_EQ(f.stage, "end");
}

}  // namespace
