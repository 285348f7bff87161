// Jobs, operators and their life: what a run is.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Run : public under_every_policy {};
FOR_EVERY_POLICY(Run);

auto count_to(int n) {
  return tw::source(
      [i = 0, n]() mutable -> std::optional<int> { return i < n ? std::optional(i++) : std::nullopt; });
}

// --- a job is an immutable blueprint ---

TEST_P(Run, AJobRunsAgainAndAgain) {
  std::vector<int> seen;
  const auto job = count_to(3) | tw::map([sum = 0](int x) mutable { return sum += x; }) |
                   tw::farm([](int x) { return 10 * x; }, {.replicas = 2}) | tw::sink(seen);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(tw::run(job, policy()).items(), 3U);
  EXPECT_THAT(seen, ElementsAre(0, 10, 30, 0, 10, 30, 0, 10, 30));
}

TEST_P(Run, AJobRunsSeveralTimesAtOnce) {
  std::atomic<int> sum{0};
  const auto job = count_to(1000) | tw::farm([](int x) { return x; }) | tw::sink([&](int x) { sum += x; });
  std::vector<tw::execution> all;
  for (int i = 0; i < 4; ++i) all.push_back(tw::launch(job, policy()));
  for (auto& e : all) EXPECT_EQ(e.wait().items(), 1000U);
  EXPECT_EQ(sum, 4 * 499'500);
}

TEST_P(Run, FactoriesAreCalledForEachRun) {
  std::atomic<int> made{0};
  const auto job = count_to(100) |
                   tw::farm(tw::per_replica([&] {
                              ++made;
                              return [](int x) { return x; };
                            }),
                            {.replicas = 1}) |
                   tw::sink([](int) {});
  tw::run(job, policy());
  EXPECT_EQ(made, 1);
  tw::run(job, policy());
  EXPECT_EQ(made, 2);
}

TEST_P(Run, AnRvalueJobIsUsedUp) {
  auto resource = std::make_shared<int>(5);
  const std::weak_ptr<int> watch = resource;
  auto job =
      count_to(3) | tw::map([r = std::move(resource)](int x) { return x + *r; }) | tw::sink([](int) {});
  tw::run(std::move(job), policy());
  EXPECT_TRUE(watch.expired()) << "the operators of a run end with it";
}

TEST_P(Run, OperatorsOfAnEndedRunAreDestroyed) {
  auto resource = std::make_shared<int>(5);
  const auto job = count_to(3) | tw::farm([resource](int x) { return x + *resource; }) | tw::sink([](int) {});
  const auto before = resource.use_count();
  tw::run(job, policy());
  EXPECT_EQ(resource.use_count(), before);
}

TEST_P(Run, DifferentJobsMayRunInsideAnOperator) {
  std::vector<int> seen;
  tw::run(count_to(3) | tw::map([](int x) {
            int inner = 0;
            tw::run(count_to(x + 1) | tw::sink([&](int y) { inner += y; }), policy());
            return inner;
          }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(0, 1, 3));
}

TEST_P(Run, ManyShortRunsFollowEachOther) {
  int n = 0;
  const auto job =
      count_to(5) | tw::farm([](int x) { return x; }, {.replicas = 2}) | tw::sink([&](int) { ++n; });
  for (int i = 0; i < 100; ++i) tw::run(job, policy());
  EXPECT_EQ(n, 500);
}

TEST_P(Run, TheSameJobGivesTheSameOutputUnderEveryPolicy) {
  const auto run = [](const tw::any_policy& p) {
    std::vector<std::string> out;
    tw::run(count_to(4000) | tw::filter([](int x) { return x % 3 != 0; }) |
                tw::farm(tw::map([](int x) { return x * 7; }) | tw::flat_map([](int x, tw::emitter<int>& e) {
                           for (int i = 0; i < x % 4; ++i) e(x + i);
                         }),
                         {.replicas = 3}) |
                tw::map([last = 0](int x) mutable { return std::exchange(last, x) + x; }) |
                tw::farm([](int x) { return std::to_string(x); }) | tw::batch(3) | tw::unbatch() |
                tw::sink(out),
            p);
    return out;
  };
  EXPECT_EQ(run(policy()), run(tw::sequential{}));
}

// --- hooks ---

struct hooks {
  std::mutex lock;
  std::vector<std::string> calls;
  void note(const std::string& what) {
    const std::lock_guard hold(lock);
    calls.push_back(what);
  }
  int count(const std::string& what) {
    const std::lock_guard hold(lock);
    return static_cast<int>(std::count(calls.begin(), calls.end(), what));
  }
};

struct hooked {
  hooks* h;
  void on_start() const { h->note("start"); }
  int operator()(int x) const {
    h->note("item");
    return x;
  }
  void on_end() const { h->note("end"); }
};

TEST_P(Run, HooksSurroundTheItems) {
  hooks h;
  tw::run(count_to(2) | tw::map(hooked{&h}) | tw::sink([](int) {}), policy());
  EXPECT_THAT(h.calls, ElementsAre("start", "item", "item", "end"));
}

TEST_P(Run, HooksAreCalledWithoutItemsToo) {
  hooks h;
  tw::run(count_to(0) | tw::map(hooked{&h}) | tw::sink([](int) {}), policy());
  EXPECT_THAT(h.calls, ElementsAre("start", "end"));
}

TEST_P(Run, HooksAreCalledOncePerReplica) {
  hooks h;
  tw::run(count_to(2000) | tw::farm(hooked{&h}, {.replicas = 3}) | tw::sink([](int) {}), policy());
  EXPECT_EQ(h.count("item"), 2000);
  EXPECT_GE(h.count("start"), 1);
  EXPECT_LE(h.count("start"), 3);
  EXPECT_EQ(h.count("start"), h.count("end"));
}

struct own_hooks {
  hooks* h;
  std::string me;
  int seen = 0;
  own_hooks(hooks* to, int number) : h(to), me(std::to_string(number)) {}
  void on_start() { h->note("start " + me); }
  int operator()(int x) {
    ++seen;
    return x;
  }
  void on_end() { h->note("end " + me + " after " + std::to_string(seen)); }
};

TEST_P(Run, EveryPerReplicaOperatorHasItsOwnHooksAfterItsLastItem) {
  hooks h;
  std::atomic<int> made{0};
  tw::run(count_to(1000) | tw::farm(tw::per_replica([&] { return own_hooks(&h, made++); }), {.replicas = 3}) |
              tw::sink([](int) {}),
          policy());
  int items = 0;
  for (int i = 0; i < made; ++i) {
    EXPECT_EQ(h.count("start " + std::to_string(i)), 1);
    int ends = 0;
    for (const auto& call : h.calls) {
      const auto prefix = "end " + std::to_string(i) + " after ";
      if (call.starts_with(prefix)) {
        ++ends;
        items += std::stoi(call.substr(prefix.size()));
      }
    }
    EXPECT_EQ(ends, 1) << "replica " << i;
  }
  EXPECT_EQ(items, 1000);
}

struct hooked_source {
  hooks* h;
  int n = 0;
  void on_start() { h->note("source start"); }
  std::optional<int> operator()() { return n < 2 ? std::optional(n++) : std::nullopt; }
  void on_end() { h->note("source end"); }
};
struct hooked_sink {
  hooks* h;
  void on_start() { h->note("sink start"); }
  void operator()(int) { h->note("item"); }
  void on_end() { h->note("sink end"); }
};

TEST_P(Run, SourcesAndSinksHaveHooks) {
  hooks h;
  tw::run(tw::source(hooked_source{&h}) | tw::sink(hooked_sink{&h}), policy());
  EXPECT_EQ(h.count("source start"), 1);
  EXPECT_EQ(h.count("sink start"), 1);
  EXPECT_EQ(h.count("source end"), 1);
  ASSERT_FALSE(h.calls.empty());
  EXPECT_EQ(h.calls.back(), "sink end") << "the end comes last";
  EXPECT_EQ(h.count("item"), 2);
}

TEST_P(Run, PacedSourcesHaveHooks) {
  hooks h;
  tw::run(tw::paced(hooked_source{&h}, 10'000.0) | tw::sink([](int) {}), policy());
  EXPECT_EQ(h.count("source start"), 1);
  EXPECT_EQ(h.count("source end"), 1);
}

struct totals {
  int sum = 0;
  int operator()(int x) {
    sum += x;
    return x;
  }
  void on_end(tw::emitter<int>& out) {
    out(sum);
    out(-sum);
  }
};

TEST_P(Run, AnEndHookMayStillSend) {
  std::vector<int> seen;
  tw::run(count_to(4) | tw::map(totals{}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 6, -6));
}

TEST_P(Run, WhatEndHooksSendGoesThroughTheStagesBehind) {
  std::vector<int> seen;
  tw::run(count_to(3) | tw::map(totals{}) | tw::farm([](int x) { return x * 10; }, {.replicas = 2}) |
              tw::filter([](int x) { return x >= 0; }) | tw::map(totals{}) | tw::batch(4) | tw::unbatch() |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(0, 10, 20, 30, 60, -60));
}

TEST_P(Run, AnEndHookMaySendALot) {
  struct flood {
    int operator()(int x) { return x; }
    void on_end(tw::emitter<int>& out) {
      for (int i = 0; i < 100'000; ++i) out(i);
    }
  };
  int last = -1;
  int n = 0;
  tw::run(count_to(1) | tw::map(flood{}) | tw::farm([](int x) { return x; }, {.replicas = 2}) |
              tw::sink([&](int x) {
                last = x;
                ++n;
              }),
          policy());
  EXPECT_EQ(n, 100'001);
  EXPECT_EQ(last, 99'999);
}

struct closing_source {
  int n = 0;
  std::optional<int> operator()() { return n < 2 ? std::optional(n++) : std::nullopt; }
  void on_end(tw::emitter<int>& out) { out(99); }
};

TEST_P(Run, AnEndHookOfASourceMaySend) {
  std::vector<int> seen;
  tw::run(tw::source(closing_source{}) | tw::farm([](int x) { return x; }) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(0, 1, 99));
}

TEST_P(Run, AnEndHookOfASourceWaitsForRoomBehindItsLastItems) {
  struct flood {
    int items;
    int n = 0;
    std::optional<int> operator()() { return n < 3 ? std::optional(n++) : std::nullopt; }
    void on_end(tw::emitter<int>& out) {
      while (n < items) out(n++);
    }
  };
  // More than the window takes; and than two items at a time.
  for (const auto& [items, capacity] : {std::pair{700'000, tw::automatic}, std::pair{2'000, 2}}) {
    int n = 0;
    bool in_order = true;
    tw::run(tw::source(flood{items}) | tw::farm([](int x) { return x; }, {.replicas = 2}) |
                tw::sink([&](int x) { in_order = in_order && x == n++; }, {.capacity = capacity}),
            policy());
    EXPECT_EQ(n, items);
    EXPECT_TRUE(in_order);
  }
}

TEST_P(Run, EveryReplicaOfAFarmMaySendAtItsEnd) {
  std::vector<int> seen;
  std::atomic<int> made{0};
  tw::run(count_to(500) |
              tw::farm(tw::per_replica([&] {
                         ++made;
                         return totals{};
                       }),
                       {.replicas = 3}) |
              tw::sink(seen),
          policy());
  ASSERT_EQ(seen.size(), 500U + 2U * static_cast<unsigned>(made));
  for (int i = 0; i < 500; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  int sum = 0;
  for (std::size_t i = 500; i < seen.size(); i += 2) {
    EXPECT_EQ(seen[i], -seen[i + 1]);
    sum += seen[i];
  }
  EXPECT_EQ(sum, 124'750) << "each item was seen by one replica";
}

TEST_P(Run, FactoriesRunOnTheThreadThatFirstUsesWhatTheyMake) {
  // A replica may move from one worker to another, but it is made by the one that calls it first.
  std::mutex lock;
  int wrong = 0;
  tw::run(count_to(500) |
              tw::farm(tw::per_replica([&] {
                         return [&, made_by = std::this_thread::get_id(), first = true](int x) mutable {
                           if (std::exchange(first, false) && made_by != std::this_thread::get_id()) {
                             const std::lock_guard hold(lock);
                             ++wrong;
                           }
                           return x;
                         };
                       }),
                       {.replicas = 2}) |
              tw::sink([](int) {}),
          policy());
  EXPECT_EQ(wrong, 0);
}

// --- where stages run ---

TEST_P(Run, AStageOnTheCallerThreadRunsWhereRunWasCalled) {
  const auto me = std::this_thread::get_id();
  std::set<std::thread::id> where;
  std::vector<int> seen;
  tw::run(count_to(500) | tw::farm([](int x) { return x; }, {.replicas = 2}) |
              tw::map(
                  [&](int x) {
                    where.insert(std::this_thread::get_id());
                    return x;
                  },
                  {.on = tw::caller_thread}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(where, ElementsAre(me));
  EXPECT_EQ(seen.size(), 500U);
}

TEST_P(Run, ASinkOnTheCallerThreadRunsWhereWaitIsCalled) {
  std::set<std::thread::id> where;
  auto e = tw::launch(count_to(100) | tw::sink([&](int) { where.insert(std::this_thread::get_id()); },
                                               {.on = tw::caller_thread}),
                      policy());
  std::thread::id waiter;
  std::thread other([&] {
    waiter = std::this_thread::get_id();
    EXPECT_EQ(e.wait().items(), 100U);
  });
  other.join();
  EXPECT_THAT(where, ElementsAre(waiter));
}

TEST_P(Run, ASourceOnTheCallerThread) {
  const auto me = std::this_thread::get_id();
  bool elsewhere = false;
  int n = 0;
  tw::run(tw::source(
              [&, i = 0]() mutable -> std::optional<int> {
                elsewhere = elsewhere || std::this_thread::get_id() != me;
                return i < 1000 ? std::optional(i++) : std::nullopt;
              },
              {.on = tw::caller_thread}) |
              tw::farm([](int x) { return x; }, {.replicas = 2}) | tw::sink([&](int) { ++n; }),
          policy());
  EXPECT_FALSE(elsewhere);
  EXPECT_EQ(n, 1000);
}

TEST_P(Run, SeveralStagesOnTheCallerThread) {
  std::set<std::thread::id> where;
  std::vector<int> seen;
  const auto here = [&](int x) {
    where.insert(std::this_thread::get_id());
    return x + 1;
  };
  tw::run(count_to(300) | tw::map(here, {.on = tw::caller_thread}) | tw::farm([](int x) { return x; }) |
              tw::map(here, {.on = tw::caller_thread}) | tw::map(here, {.on = tw::caller_thread}) |
              tw::sink([&](int x) { seen.push_back(x); }, {.on = tw::caller_thread}),
          policy());
  EXPECT_THAT(where, ElementsAre(std::this_thread::get_id()));
  ASSERT_EQ(seen.size(), 300U);
  EXPECT_EQ(seen.back(), 302);
}

TEST_P(Run, FactoriesAndHooksOfAStageOnTheCallerThreadRunThere) {
  struct reporter {
    std::set<std::thread::id>* where;
    void on_start() { where->insert(std::this_thread::get_id()); }
    int operator()(int x) {
      where->insert(std::this_thread::get_id());
      return x;
    }
    void on_end() { where->insert(std::this_thread::get_id()); }
  };
  std::set<std::thread::id> where;
  tw::run(count_to(100) |
              tw::map(tw::per_replica([&] {
                        where.insert(std::this_thread::get_id());
                        return reporter{&where};
                      }),
                      {.on = tw::caller_thread}) |
              tw::sink([](int) {}),
          policy());
  EXPECT_THAT(where, ElementsAre(std::this_thread::get_id()));
}

// Notes where its operators and their end hooks are called.
struct places {
  std::mutex lock;
  std::set<std::thread::id> working;
  std::set<std::thread::id> ending;
  int made = 0;

  struct adding {
    places* p;
    int sum = 0;
    int operator()(int x) {
      const std::lock_guard hold(p->lock);
      p->working.insert(std::this_thread::get_id());
      sum += x;
      return x;
    }
    void on_end(tw::emitter<int>& out) {
      {
        const std::lock_guard hold(p->lock);
        p->ending.insert(std::this_thread::get_id());
      }
      out(sum);
      out(-sum);
    }
  };
  auto factory() {
    return tw::per_replica([this] {
      const std::lock_guard hold(lock);
      ++made;
      return adding{this};
    });
  }
};

TEST_P(Run, TheEndHookOfAFarmOnTheCallerThreadRunsThere) {
  places farm;
  std::vector<int> seen;
  tw::run(count_to(100) | tw::map([](int x) { return x; }) |
              tw::farm(farm.factory(), {.replicas = 1, .on = tw::caller_thread}) |
              tw::map([](int x) { return x; }) | tw::sink(seen),
          policy());
  EXPECT_THAT(farm.working, ElementsAre(std::this_thread::get_id()));
  EXPECT_THAT(farm.ending, ElementsAre(std::this_thread::get_id()));
  ASSERT_EQ(seen.size(), 102U);
  EXPECT_EQ(seen[100], 4950);
  EXPECT_EQ(seen[101], -4950);
}

TEST_P(Run, AnAbandonedRunWithAStageOnTheCallerThreadEnds) {
  int n = 0;
  {
    auto e = tw::launch(count_to(1000) | tw::sink([&](int) { ++n; }, {.on = tw::caller_thread}), policy());
  }
  EXPECT_LE(n, 1000);
}

// --- blocking stages ---

TEST_P(Run, BlockingStagesKeepTheirPlaceInTheStream) {
  std::vector<int> seen;
  tw::run(count_to(200) | tw::farm([](int x) { return x; }, {.replicas = 2}) |
              tw::map(
                  [](int x) {
                    if (x % 50 == 0) std::this_thread::sleep_for(2ms);
                    return x;
                  },
                  {.blocking = true}) |
              tw::farm(
                  [](int x) {
                    if (x % 50 == 0) std::this_thread::sleep_for(2ms);
                    return x;
                  },
                  {.replicas = 3, .blocking = true}) |
              tw::sink(seen, {.blocking = true}),
          policy());
  ASSERT_EQ(seen.size(), 200U);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST_P(Run, ABlockingStageHasAThreadOfItsOwn) {
  if (one_thread()) GTEST_SKIP() << "one thread does everything";
  std::mutex lock;
  std::set<std::thread::id> blocking;
  std::set<std::thread::id> others;
  tw::run(count_to(500) |
              tw::farm(
                  [&](int x) {
                    const std::lock_guard hold(lock);
                    others.insert(std::this_thread::get_id());
                    return x;
                  },
                  {.replicas = 2}) |
              tw::map(
                  [&](int x) {
                    const std::lock_guard hold(lock);
                    blocking.insert(std::this_thread::get_id());
                    return x;
                  },
                  {.blocking = true}) |
              tw::sink([&](int) {
                const std::lock_guard hold(lock);
                others.insert(std::this_thread::get_id());
              }),
          policy());
  ASSERT_EQ(blocking.size(), 1U);
  EXPECT_EQ(others.count(*blocking.begin()), 0U);
}

TEST_P(Run, EndHooksOfABlockingFarmRunOnItsThreads) {
  if (one_thread()) GTEST_SKIP() << "one thread does everything";
  for (int repeat = 0; repeat < 5; ++repeat) {
    places farm;
    std::mutex lock;
    std::set<std::thread::id> others{std::this_thread::get_id()};
    const auto elsewhere = [&](int x) {
      const std::lock_guard hold(lock);
      others.insert(std::this_thread::get_id());
      return x;
    };
    std::vector<int> seen;
    tw::run(count_to(300) | tw::map(elsewhere) |
                tw::farm(farm.factory(), {.replicas = 3, .schedule = tw::round_robin, .blocking = true}) |
                tw::map(elsewhere) | tw::sink(seen),
            policy());
    EXPECT_FALSE(farm.ending.empty());
    for (const auto& id : farm.ending) {
      EXPECT_EQ(others.count(id), 0U) << "it belongs to a worker, or to the caller";
    }
    ASSERT_EQ(seen.size(), 300U + 2U * static_cast<unsigned>(farm.made));
    for (int i = 0; i < 300; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
    int sum = 0;
    for (std::size_t i = 300; i < seen.size(); i += 2) {
      EXPECT_EQ(seen[i], -seen[i + 1]);
      sum += seen[i];
    }
    EXPECT_EQ(sum, 300 * 299 / 2) << "each item was seen by one replica";
  }
}

TEST_P(Run, ABlockedStageDoesNotStarveTheWorkers) {
  if (one_thread()) GTEST_SKIP() << "one thread does everything";
  // The blocking sink waits for something that only happens while it waits: that the farm goes on working. It
  // goes on by as much as may wait for the sink, which is little where a call lasts long.
  std::atomic<int> worked{0};
  bool went_on = true;
  int n = 0;
  tw::run(count_to(50) |
              tw::farm(
                  [&](int x) {
                    ++worked;
                    return x;
                  },
                  {.replicas = 2}) |
              tw::sink(
                  [&](int) {
                    ++n;
                    const int wanted = std::min(50, n + 1);
                    went_on = went_on && eventually([&] { return worked >= wanted; });
                  },
                  {.blocking = true}),
          policy());
  EXPECT_TRUE(went_on);
  EXPECT_EQ(n, 50);
}

TEST_P(Run, ABlockingSourceDoesNotStarveTheWorkers) {
  if (one_thread()) GTEST_SKIP() << "one thread does everything";
  // The source gives an item only after the one before has arrived.
  std::atomic<int> arrived{0};
  bool all = true;
  tw::run(tw::source(
              [&, n = 0]() mutable -> std::optional<int> {
                all = all && eventually([&] { return arrived == n; });
                return n < 100 ? std::optional(n++) : std::nullopt;
              },
              {.blocking = true}) |
              tw::farm([](int x) { return x; }, {.replicas = 2}) | tw::sink([&](int) { ++arrived; }),
          policy());
  EXPECT_TRUE(all);
  EXPECT_EQ(arrived, 100);
}

TEST_P(Run, AllBlockingStagesMayWaitForEachOther) {
  if (one_thread()) GTEST_SKIP() << "one thread does everything";
  // As many as cores and more, all waiting at once: each needs a thread of its own.
  constexpr int replicas = 6;
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  tw::run(count_to(replicas * 4) |
              tw::farm(
                  [&](int x) {
                    ++inside;
                    if (eventually([&] { return met || inside >= 3; })) met = true;
                    --inside;
                    return x;
                  },
                  {.replicas = replicas, .blocking = true}) |
              tw::sink([](int) {}),
          policy());
  EXPECT_TRUE(met);
}

// --- pinning ---

TEST_P(Run, APinnedStageRunsOnItsProcessor) {
  if (one_thread()) GTEST_SKIP() << "one thread does everything";
  std::set<int> where;
  int n = 0;
  tw::run(count_to(200) |
              tw::map(
                  [&](int x) {
                    where.insert(sched_getcpu());
                    return x;
                  },
                  {.pin = {0}}) |
              tw::sink([&](int) { ++n; }),
          policy());
  EXPECT_THAT(where, ElementsAre(0));
  EXPECT_EQ(n, 200);
}

TEST_P(Run, PinningLeavesTheCallersThreadAlone) {
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  tw::run(count_to(100) | tw::map([](int x) { return x; }, {.pin = {0}}) |
              tw::sink([](int) {}, {.pin = {0}, .on = tw::caller_thread}),
          policy());
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

// --- bounds ---

TEST_P(Run, CapacityBoundsWhatWaits) {
  if (one_thread()) GTEST_SKIP() << "nothing waits";
  // The sink is slow: how far can the stage before it get ahead?
  constexpr int capacity = 10;
  std::atomic<int> made{0};
  std::atomic<int> taken{0};
  int most = 0;
  tw::run(count_to(400) | tw::map([&](int x) {
            ++made;
            return x;
          }) |
              tw::sink(
                  [&](int) {
                    std::this_thread::sleep_for(50us);
                    ++taken;
                    most = std::max(most, made - taken);
                  },
                  {.capacity = capacity}),
          policy());
  EXPECT_EQ(taken, 400);
  // What waits, the run of items in the sink, and the one that the stage before is making.
  EXPECT_LE(most, 3 * capacity + 2);
}

TEST_P(Run, CapacityOfAFarmBoundsWhatWaitsInFrontOfIt) {
  if (one_thread()) GTEST_SKIP() << "nothing waits";
  constexpr int capacity = 8;
  std::atomic<int> made{0};
  std::atomic<int> taken{0};
  std::atomic<int> most{0};
  tw::run(
      tw::source([&]() -> std::optional<int> { return made < 300 ? std::optional(made++) : std::nullopt; }) |
          tw::farm(
              [&](int x) {
                std::this_thread::sleep_for(50us);
                const int ahead = made - taken++;
                int before = most;
                while (ahead > before && !most.compare_exchange_weak(before, ahead)) {
                }
                return x;
              },
              {.replicas = 2, .capacity = capacity}) |
          tw::sink([](int) {}),
      policy());
  EXPECT_EQ(taken, 300);
  // What waits, what each replica holds, and what the source is making.
  EXPECT_LE(most, 5 * capacity + 4);
}

TEST_P(Run, CapacityOneIsEnough) {
  std::vector<int> seen;
  tw::run(count_to(2000) | tw::farm([](int x) { return x; }, {.replicas = 3, .capacity = 1}) |
              tw::map([](int x) { return x; }, {.capacity = 1}) | tw::sink(seen, {.capacity = 1}),
          policy());
  ASSERT_EQ(seen.size(), 2000U);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

// A large item that knows how many bytes of its kind there are.
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> most_held{0};
struct frame {
  std::vector<char> pixels;
  explicit frame(std::size_t n) : pixels(n) { count(static_cast<std::int64_t>(n)); }
  frame(frame&& o) noexcept : pixels(std::move(o.pixels)) { o.pixels.clear(); }
  frame& operator=(frame&& o) noexcept {
    if (this != &o) {
      count(-static_cast<std::int64_t>(pixels.size()));
      pixels = std::move(o.pixels);
      o.pixels.clear();
    }
    return *this;
  }
  ~frame() { count(-static_cast<std::int64_t>(pixels.size())); }
  std::size_t size_of() const { return sizeof *this + pixels.size(); }
  static void count(std::int64_t n) {
    const auto now = held.fetch_add(n) + n;
    auto most = most_held.load();
    while (now > most && !most_held.compare_exchange_weak(most, now)) {
    }
  }
};

constexpr std::size_t frame_bytes = 640'000;
constexpr std::int64_t most_bytes = (64 << 20) + 24 * std::int64_t{frame_bytes};

auto frames(int n) {
  return tw::source([i = 0, n]() mutable -> std::optional<frame> {
    return i++ < n ? std::optional(frame(frame_bytes)) : std::nullopt;
  });
}

TEST_P(Run, LargeItemsAreBoundedByTheirBytesWhenTheSinkIsSlow) {
  held = most_held = 0;
  int n = 0;
  tw::run(frames(400) | tw::sink(
                            [&](const frame&) {
                              std::this_thread::sleep_for(200us);
                              ++n;
                            },
                            {.blocking = true}),
          policy());
  EXPECT_EQ(n, 400);
  EXPECT_EQ(held, 0);
  EXPECT_LE(most_held, most_bytes);
}

// A type that says nothing of its size is looked through.
TEST_P(Run, StructsOfLargeItemsAreBoundedByTheirBytes) {
  struct shot {
    std::string name;
    frame picture;
  };
  held = most_held = 0;
  int n = 0;
  tw::run(count_to(400) | tw::map([](int i) {
            return shot{std::to_string(i), frame(frame_bytes)};
          }) |
              tw::sink(
                  [&](const shot&) {
                    std::this_thread::sleep_for(200us);
                    ++n;
                  },
                  {.blocking = true}),
          policy());
  EXPECT_EQ(n, 400);
  EXPECT_EQ(held, 0);
  EXPECT_LE(most_held, most_bytes);
}

// The results of other items wait for the first one's.
TEST_P(Run, LargeResultsThatWaitForTheirTurnAreBoundedByTheirBytes) {
  held = most_held = 0;
  int n = 0, called = 0;
  std::mutex m;
  auto wait_for_others = [&](int, tw::emitter<frame>& out) {
    bool first = false;
    {
      const std::lock_guard hold(m);
      first = called++ == 0;
    }
    for (std::int64_t before = -1; first && std::exchange(before, held.load()) != held.load();)
      std::this_thread::sleep_for(20ms);
    for (int i = 0; i < 8; ++i) out.send(frame(frame_bytes));
  };
  tw::run(count_to(50) | tw::farm(tw::flat_map(wait_for_others), {.replicas = 2}) |
              tw::sink([&](const frame&) { ++n; }),
          policy());
  EXPECT_EQ(n, 400);
  EXPECT_EQ(held, 0);
  EXPECT_LE(most_held, most_bytes);
}

TEST_P(Run, LargeItemsAreBoundedByTheirBytesAroundAFarm) {
  held = most_held = 0;
  int n = 0;
  tw::run(frames(400) | tw::farm([](frame f) { return f; }, {.replicas = 2}) | tw::sink([&](const frame&) {
            std::this_thread::sleep_for(200us);
            ++n;
          }),
          policy());
  EXPECT_EQ(n, 400);
  EXPECT_EQ(held, 0);
  EXPECT_LE(most_held, 2 * most_bytes) << "64 MiB between two serial stages";
}

TEST_P(Run, ItemsThatAreMadeLargeOnTheWayAreBoundedToo) {
  held = most_held = 0;
  int n = 0;
  tw::run(count_to(400) | tw::farm([](int) { return frame(frame_bytes); }, {.replicas = 2}) |
              tw::sink([&](const frame&) {
                std::this_thread::sleep_for(200us);
                ++n;
              }),
          policy());
  EXPECT_EQ(n, 400);
  EXPECT_EQ(held, 0);
  EXPECT_LE(most_held, 2 * most_bytes);
}

TEST_P(Run, OneItemLargerThanTheBoundPasses) {
  int n = 0;
  tw::run(tw::source([i = 0]() mutable -> std::optional<frame> {
            return i++ < 3 ? std::optional(frame(std::size_t{80} << 20)) : std::nullopt;
          }) | tw::farm([](frame f) { return f; }, {.replicas = 2}) |
              tw::sink([&](const frame&) { ++n; }),
          policy());
  EXPECT_EQ(n, 3);
}

TEST_P(Run, AnEmittingSourceWaitsForASlowSink) {
  if (one_thread()) GTEST_SKIP() << "nothing waits";
  std::atomic<int> sent{0};
  std::atomic<int> taken{0};
  int most = 0;
  tw::run(tw::source([&](tw::emitter<int>& out) {
            for (int i = 0; i < 400; ++i) {
              out(i);
              ++sent;
            }
          }) |
              tw::sink(
                  [&](int) {
                    std::this_thread::sleep_for(50us);
                    ++taken;
                    most = std::max(most, sent - taken);
                  },
                  {.capacity = 10}),
          policy());
  EXPECT_EQ(taken, 400);
  EXPECT_LE(most, 40);
}

// --- large jobs ---

TEST_P(Run, AThousandStages) {
  tw::any_pipeline<int, int> line = tw::map([](int x) { return x; });
  for (int i = 1; i < 1000; ++i) line = std::move(line) | tw::map([](int x) { return x + 1; });
  std::vector<int> seen;
  tw::run(count_to(100) | line | tw::sink(seen), policy());
  ASSERT_EQ(seen.size(), 100U);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i + 999);
}

TEST_P(Run, AFarmOf256Replicas) {
  std::vector<int> seen;
  tw::run(count_to(3000) | tw::farm([](int x) { return x; }, {.replicas = 256}) | tw::sink(seen), policy());
  ASSERT_EQ(seen.size(), 3000U);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

}  // namespace
