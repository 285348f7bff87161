// The threads policy: what it promises beyond what every policy does, and how it ends.
#include <thalweg/run/engine.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <limits>
#include <map>
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

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/asleep.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/scale.hpp"
#include "support/watchdog.hpp"
#include "support/work.hpp"

namespace {

namespace tw = thalweg;
using namespace std::chrono_literals;

/// Every test is watched: what waits for ever fails, and says where.
class Threads : public testing::Test {
 protected:
  watchdog::watch limit_{std::chrono::seconds(90), [] {
                           return std::string(testing::UnitTest::GetInstance()->current_test_info()->name());
                         }};
};

std::vector<long> numbers(long n) {
  std::vector<long> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0L);
  return all;
}

/// A source that gives 0, 1, ... and may have to be called for each.
auto counting(long n) {
  return tw::source([n, next = 0L]() mutable { return next < n ? std::optional(next++) : std::nullopt; });
}

/// The same numbers, all emitted in one call.
auto emitting(long n) {
  return tw::source([n](tw::emitter<long>& out) {
    for (long x = 0; x < n; ++x) out(x);
  });
}

/// Some items take longer than others.
long uneven(long x) {
  if (x % 97 == 0) spin_for(20us);
  return x;
}

// --- the same output as the sequential policy ---

using part = tw::any_pipeline<long, long>;

std::vector<long> seen(const tw::any_pipeline<void, long>& source, const part& middle,
                       const tw::any_policy& policy) {
  std::vector<long> out;
  tw::run(source | middle | tw::sink(out), policy);
  return out;
}

auto times(long k) {
  return tw::flat_map([k](long x, tw::emitter<long>& out) {
    for (long i = 0; i < x % (k + 1); ++i) out(x * k + i);
  });
}
auto keep(long k) {
  return tw::filter([k](long x) { return x % k != 0; });
}
auto plus(long k) {
  return tw::map([k](long x) { return uneven(x) + k; });
}
auto running_sum() {
  return tw::map([sum = 0L](long x) mutable { return sum += x; });
}

/// Lines of stages in which every kind of neighbours occurs.
std::map<std::string, part> lines() {
  std::map<std::string, part> all;
  const auto farm = [](auto what, int n) { return tw::farm(std::move(what), {.replicas = n}); };
  all.emplace("serial", plus(1) | keep(3) | times(3) | running_sum());
  all.emplace("farm", farm(plus(1), 3));
  all.emplace("farm of one", farm(plus(1), 1) | farm(times(2), 1));
  all.emplace("filter that keeps nothing",
              farm(tw::filter([](long) { return false; }), 3) | farm(plus(1), 2));
  all.emplace("line in a farm", farm(plus(1) | keep(2) | times(4), 3) | running_sum());
  all.emplace("adjacent", farm(keep(3), 3) | farm(times(3), 2) | farm(plus(1), 4));
  all.emplace("apart", farm(plus(1), 2) | running_sum() | farm(keep(5), 3) | keep(2) | farm(times(2), 2));
  all.emplace("nested", farm(plus(1) | tw::farm(times(2)) | keep(3), 2));
  all.emplace("round robin", tw::farm(times(2), {.replicas = 3, .schedule = tw::round_robin}));
  all.emplace(
      "routed behind a farm",
      farm(times(2), 3) | tw::farm(keep(4), {.replicas = 2, .schedule = tw::route([](long x, std::size_t) {
                                                              return static_cast<std::size_t>(x / 7);
                                                            })}));
  all.emplace("small pipes", tw::farm(plus(1), {.replicas = 3, .capacity = 1}) |
                                 tw::map([](long x) { return x + 1; }, {.capacity = 2}) |
                                 tw::farm(times(2), {.replicas = 2}) |
                                 tw::farm(keep(3), {.replicas = 3, .capacity = 1}));
  all.emplace("errors", tw::farm([](long x) { return x % 5 == 0 ? throw std::runtime_error("five") : x; },
                                 {.replicas = 3, .on_error = tw::skip}) |
                            tw::map([](long x) { return x % 7 == 0 ? throw std::runtime_error("seven") : x; },
                                    {.on_error = tw::retry(1).then(tw::skip)}) |
                            running_sum());
  all.emplace("groups",
              tw::batch(7) | tw::farm(tw::unbatch(), {.replicas = 3}) | tw::batch(3) | tw::unbatch());
  return all;
}

class SameAsSequential : public Threads, public testing::WithParamInterface<std::string> {};

TEST_P(SameAsSequential, InEveryWayToRunIt) {
  const auto all = lines();
  const auto& middle = all.at(GetParam());
  for (const long n : {0L, 1L, 2L, 300L, static_cast<long>(scaled(4'000))}) {
    const auto expected = seen(counting(n), middle, tw::sequential{});
    EXPECT_EQ(seen(counting(n), middle, tw::threads{}), expected) << n;
    EXPECT_EQ(seen(tw::source(numbers(n)), middle, tw::threads{}), expected) << n << ", in memory";
    EXPECT_EQ(seen(emitting(n), middle, tw::threads{}), expected) << n << ", emitted";
    EXPECT_EQ(seen(counting(n), middle, tw::threads{.fuse = true}), expected) << n << ", fused";
    EXPECT_EQ(seen(tw::source(numbers(n)), middle, tw::threads{.slots = 1}), expected)
        << n << ", short rings";
    EXPECT_EQ(seen(counting(n), middle, tw::threads{.replicas = 2}), expected) << n << ", few replicas";
  }
}

INSTANTIATE_TEST_SUITE_P(Lines, SameAsSequential, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& [name, line] : lines()) names.push_back(name);
                           return names;
                         }()),
                         [](const auto& info) {
                           auto name = info.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST_F(Threads, UnorderedFarmsLoseNothing) {
  const long n = scaled(20'000);
  std::vector<long> out;
  tw::run(counting(n) | tw::farm(tw::map(uneven), {.replicas = 3, .unordered = true}) |
              tw::farm(tw::flat_map([](long x, tw::emitter<long>& to) {
                         to(2 * x);
                         to(2 * x + 1);
                       }),
                       {.replicas = 2}) |
              tw::sink(out),
          tw::threads{});
  std::sort(out.begin(), out.end());
  EXPECT_EQ(out, numbers(2 * n));
}

TEST_F(Threads, AReplicatedSinkGetsEverything) {
  const long n = scaled(20'000);
  std::atomic<long> sum{0}, items{0};
  const auto add = tw::sink([&](long x) {
    sum += uneven(x);
    ++items;
  });
  const auto r =
      tw::run(counting(n) | tw::farm(tw::map(uneven), {.replicas = 2}) | tw::farm(add, {.replicas = 3}),
              tw::threads{});
  EXPECT_EQ(items, n);
  EXPECT_EQ(sum, n * (n - 1) / 2);
  EXPECT_EQ(r.items(), static_cast<std::uint64_t>(n));
}

TEST_F(Threads, MoveOnlyItemsPass) {
  std::vector<std::unique_ptr<std::string>> out;
  tw::run(tw::source([n = 0]() mutable -> std::optional<std::unique_ptr<std::string>> {
            if (n == 1'000) return std::nullopt;
            return std::make_unique<std::string>(std::to_string(n++));
          }) | tw::farm([](std::unique_ptr<std::string> s) { return s; }, {.replicas = 3}) |
              tw::sink(out),
          tw::threads{});
  ASSERT_EQ(out.size(), 1'000U);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(*out[i], std::to_string(i));
}

// --- who runs what ---

struct places {
  std::mutex lock;
  std::map<std::string, std::set<std::thread::id>> of;
  void here(const std::string& stage) {
    const std::lock_guard hold(lock);
    of[stage].insert(std::this_thread::get_id());
  }
  [[nodiscard]] std::size_t all() const {
    std::set<std::thread::id> ids;
    for (const auto& [stage, some] : of) ids.insert(some.begin(), some.end());
    return ids.size();
  }
};

auto noting(places& p, const std::string& stage) {
  return [&p, stage](long x) {
    p.here(stage);
    return x;
  };
}

TEST_F(Threads, OneThreadForEachStageAndReplica) {
  places p;
  const auto r = tw::run(tw::source([&, n = 0L]() mutable {
                           p.here("source");
                           return n < 3'000 ? std::optional(n++) : std::nullopt;
                         }) | tw::map(noting(p, "map")) |
                             tw::farm(noting(p, "farm"), {.replicas = 3, .schedule = tw::round_robin}) |
                             tw::sink([&](long) { p.here("sink"); }),
                         tw::threads{});
  EXPECT_EQ(p.of["source"].size(), 1U);
  EXPECT_EQ(p.of["map"].size(), 1U);
  EXPECT_EQ(p.of["farm"].size(), 3U);
  EXPECT_EQ(p.of["sink"].size(), 1U);
  EXPECT_EQ(p.all(), 6U);
  EXPECT_EQ(r.workers(), 6);
  EXPECT_EQ(r.stages()[2].replicas(), 3);
}

TEST_F(Threads, FusedSerialStagesShareAThread) {
  places p;
  const auto r = tw::run(counting(100) | tw::map(noting(p, "before")) | tw::map(noting(p, "before")) |
                             tw::farm(noting(p, "farm"), {.replicas = 2, .schedule = tw::round_robin}) |
                             tw::map(noting(p, "behind")) | tw::sink([&](long) { p.here("behind"); }),
                         tw::threads{.fuse = true});
  EXPECT_EQ(p.of["before"].size(), 1U);
  EXPECT_EQ(p.of["behind"].size(), 1U);
  EXPECT_EQ(p.all(), 4U);
  EXPECT_EQ(r.workers(), 4);
  EXPECT_EQ(r.stages()[0].data().segment, r.stages()[2].data().segment);
  EXPECT_NE(r.stages()[0].data().segment, -1);
  EXPECT_NE(r.stages()[0].data().segment, r.stages()[4].data().segment);
}

TEST_F(Threads, AWholeJobFusesIntoOneThread) {
  std::vector<long> out;
  const auto r = tw::run(counting(10'000) | keep(2) | tw::sink(out), tw::threads{.fuse = true});
  EXPECT_EQ(r.workers(), 1);
  EXPECT_EQ(out.size(), 5'000U);
  EXPECT_TRUE(r.latency().sampled());
}

TEST_F(Threads, ReplicasOfAllFarmsTogetherAreCapped) {
  const auto job = [] {
    return counting(10) | tw::farm([](long x) { return x; }, {.replicas = 6}) |
           tw::map([](long x) { return x; }) | tw::farm([](long x) { return x; }, {.replicas = 3}) |
           tw::farm([](long x) { return x; }) | tw::sink([](long) {});
  };
  const auto replicas = [&](tw::threads policy) {
    std::vector<int> found;
    const auto r = tw::run(job(), policy);
    for (const auto& s : r.stages()) found.push_back(s.replicas());
    return std::vector{found[1], found[3], found[4]};
  };
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  EXPECT_EQ(replicas({}), (std::vector{6, 3, cores}));
  const auto five = replicas({.replicas = 5});
  EXPECT_EQ(std::accumulate(five.begin(), five.end(), 0), std::min(5, 9 + cores));
  EXPECT_GE(*std::min_element(five.begin(), five.end()), 1);
  EXPECT_EQ(replicas({.replicas = 1}), (std::vector{1, 1, 1}));
}

// A pause holds the source back, nothing else: what a batch of the source's own thread has collected comes
// out in time.
TEST_F(Threads, ABatchBesideAPausedSourceKeepsItsInterval) {
  std::atomic<int> given{0};
  std::atomic<std::size_t> taken{0};
  auto execution = tw::launch(tw::source([&]() -> std::optional<int> {
                                std::this_thread::sleep_for(1ms);
                                return given++;
                              }) | tw::batch(1'000'000, 100ms) |
                                  tw::sink([&](const std::vector<int>& group) { taken += group.size(); }),
                              tw::threads{.fuse = true});
  EXPECT_TRUE(eventually([&] { return given > 5; }));
  execution.pause();
  EXPECT_TRUE(eventually([&] { return given > 0 && taken == static_cast<std::size_t>(given.load()); }, 10s));
  execution.stop();
  execution.wait();
  EXPECT_EQ(taken, static_cast<std::size_t>(given.load()));
}

TEST_F(Threads, ImpossiblePoliciesAreRefused) {
  const auto job = counting(3) | tw::sink([](long) {});
  EXPECT_EQ(problems_of([&] { tw::run(job, tw::threads{.replicas = 0}); }).size(), 1U);
  EXPECT_EQ(problems_of([&] { tw::run(job, tw::threads{.replicas = -2, .slots = 0}); }).size(), 2U);
}

TEST_F(Threads, StagesRunOnTheCallersThread) {
  const auto me = std::this_thread::get_id();
  places p;
  std::vector<long> out;
  tw::run(tw::source(
              [&, n = 0L]() mutable {
                p.here("source");
                return n < 5'000 ? std::optional(n++) : std::nullopt;
              },
              {.on = tw::caller_thread}) |
              tw::farm(noting(p, "farm"), {.replicas = 2}) |
              tw::map(noting(p, "middle"), {.on = tw::caller_thread}) |
              tw::farm([](long x) { return x; }, {.replicas = 2}) |
              tw::sink(
                  [&](long x) {
                    p.here("sink");
                    out.push_back(x);
                  },
                  {.on = tw::caller_thread}),
          tw::threads{});
  const std::set<std::thread::id> only{me};
  EXPECT_EQ(p.of["source"], only);
  EXPECT_EQ(p.of["middle"], only);
  EXPECT_EQ(p.of["sink"], only);
  EXPECT_EQ(p.of["farm"].count(me), 0U);
  EXPECT_EQ(out, numbers(5'000));
}

TEST_F(Threads, TheThreadThatWaitsIsTheCallers) {
  places p;
  auto e = tw::launch(counting(100) | tw::sink([&](long) { p.here("sink"); }, {.on = tw::caller_thread}),
                      tw::threads{});
  std::thread::id waiter;
  std::thread([&] {
    waiter = std::this_thread::get_id();
    e.wait();
  }).join();
  EXPECT_EQ(p.of["sink"], std::set<std::thread::id>{waiter});
}

TEST_F(Threads, PinnedStagesAreBound) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = 0;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &allowed)) last = i;
  }
  const auto bound_to = [] {
    cpu_set_t now;
    std::vector<int> found;
    sched_getaffinity(0, sizeof now, &now);
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(static_cast<std::size_t>(i), &now)) found.push_back(i);
    }
    return found;
  };
  const auto before = bound_to();
  std::vector<int> farm, sink;
  std::mutex lock;
  tw::run(counting(10) |
              tw::farm(
                  [&](long x) {
                    const std::lock_guard hold(lock);
                    farm = bound_to();
                    return x;
                  },
                  {.replicas = 2, .pin = {last}}) |
              tw::sink([&](long) { sink = bound_to(); }, {.pin = {last}, .on = tw::caller_thread}),
          tw::threads{});
  EXPECT_EQ(farm, std::vector{last});
  EXPECT_EQ(sink, std::vector{last});
  EXPECT_EQ(bound_to(), before) << "the caller's thread is given back as it was";
}

// --- which replica takes which item ---

struct recorder {
  std::mutex lock;
  std::vector<std::shared_ptr<std::vector<long>>> replicas;
  auto make() {
    return tw::per_replica([this] {
      auto mine = std::make_shared<std::vector<long>>();
      const std::lock_guard hold(lock);
      replicas.push_back(mine);
      return [mine](long x) {
        mine->push_back(x);
        return x;
      };
    });
  }
  /// What the replicas took, sorted by their first item.
  std::vector<std::vector<long>> taken() {
    std::vector<std::vector<long>> all;
    for (const auto& r : replicas) all.push_back(*r);
    std::sort(all.begin(), all.end());
    return all;
  }
};

TEST_F(Threads, RoundRobinIsByItem) {
  recorder first, second;
  std::vector<long> out;
  tw::run(tw::source(numbers(999)) | tw::farm(first.make(), {.replicas = 3, .schedule = tw::round_robin}) |
              tw::farm(second.make(), {.replicas = 2, .schedule = tw::round_robin}) | tw::sink(out),
          tw::threads{});
  EXPECT_EQ(out, numbers(999));
  for (auto* r : {&first, &second}) {
    const auto taken = r->taken();
    const auto n = static_cast<long>(taken.size());
    ASSERT_EQ(n, r == &first ? 3 : 2);
    for (long i = 0; i < n; ++i) {
      std::vector<long> every;
      for (long x = i; x < 999; x += n) every.push_back(x);
      EXPECT_EQ(taken[static_cast<std::size_t>(i)], every);
    }
  }
}

TEST_F(Threads, RoutedItemsGoWhereTheyShall) {
  recorder r;
  std::vector<long> out;
  tw::run(tw::source(numbers(2'000)) | tw::farm([](long x) { return x; }, {.replicas = 2}) |
              tw::farm(r.make(), {.replicas = 4, .schedule = tw::route([](long x, std::size_t n) {
                                                   EXPECT_EQ(n, 4U);
                                                   return static_cast<std::size_t>(x / 10);
                                                 })}) |
              tw::sink(out),
          tw::threads{});
  EXPECT_EQ(out, numbers(2'000));
  const auto taken = r.taken();
  ASSERT_EQ(taken.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(taken[i].size(), 500U);
    for (const long x : taken[i]) EXPECT_EQ(static_cast<std::size_t>(x / 10) % 4, i);
  }
}

TEST_F(Threads, ARouteThatThrowsNamesItsFarm) {
  const auto f = failure_of([] {
    tw::run(
        counting(100) | tw::map([](long x) { return x; }) |
            tw::farm([](long x) { return x; }, {.replicas = 2,
                                                .name = "routed",
                                                .schedule = tw::route([](long x, std::size_t) -> std::size_t {
                                                  return x == 50 ? throw std::runtime_error("nowhere") : 0;
                                                })}) |
            tw::sink([](long) {}),
        tw::threads{});
  });
  EXPECT_EQ(f.stage, "routed");
  EXPECT_EQ(f.cause, "nowhere");
}

TEST_F(Threads, OnDemandLeavesABusyReplicaAlone) {
  // One replica holds an item until the others have passed. One of them may wait behind it: it is handed over
  // before it is known who will be free first. No second one: a ring would take more.
  constexpr long items = 30;
  std::atomic<long> passed{0};
  long n = 0;
  tw::run(tw::source([&]() -> std::optional<long> {
            if (n == items) return std::nullopt;
            // One item at a time, so that there is always somebody free, or soon will be.
            if (n > 2) {
              EXPECT_TRUE(eventually([&] { return passed >= n - 2; })) << passed << " of " << n;
            }
            return n++;
          }) |
              tw::farm(
                  [&](long x) {
                    if (x == 0) {
                      EXPECT_TRUE(eventually([&] { return passed >= items - 2; })) << passed;
                    } else {
                      ++passed;
                    }
                    return x;
                  },
                  {.replicas = 2}) |
              tw::sink([](long) {}),
          tw::threads{});
  EXPECT_EQ(passed, items - 1);
}

// --- bounds ---

/// Lets the sink take its first item and holds it there.
struct brake {
  std::promise<void> go;
  std::shared_future<void> released{go.get_future().share()};
};

TEST_F(Threads, CapacityBoundsWhatWaits) {
  for (const long capacity : {1L, 2L, 10L, 300L}) {
    brake b;
    std::atomic<long> given{0}, begun{0};
    auto e = tw::launch(tw::source([&]() -> std::optional<long> {
                          // All that were given before have been let in.
                          EXPECT_LE(given - begun, capacity + 1);
                          return given < 2'000 ? std::optional(given++) : std::nullopt;
                        }) |
                            tw::sink(
                                [&](long) {
                                  ++begun;
                                  b.released.wait();
                                },
                                {.capacity = capacity}),
                        tw::threads{});
    // One in the sink, so many before it, and one in the hands of the source. A ring may have been full
    // before.
    EXPECT_TRUE(eventually([&] { return given > std::min(capacity, 30L); })) << given << " at " << capacity;
    std::this_thread::sleep_for(10ms);
    EXPECT_LE(given, capacity + 2);
    b.go.set_value();
    EXPECT_EQ(e.wait().items(), 2'000U);
  }
}

TEST_F(Threads, CapacityOfAFarmCountsForAllItsReplicas) {
  brake b;
  std::atomic<long> given{0}, begun{0};
  auto e = tw::launch(tw::source([&]() -> std::optional<long> {
                        return given < 500 ? std::optional(given++) : std::nullopt;
                      }) |
                          tw::farm(
                              [&](long x) {
                                ++begun;
                                b.released.wait();
                                return x;
                              },
                              {.replicas = 3, .capacity = 5}) |
                          tw::sink([](long) {}),
                      tw::threads{});
  EXPECT_TRUE(eventually([&] { return begun == 3 && given >= 3 + 5; })) << begun << " " << given;
  std::this_thread::sleep_for(10ms);
  EXPECT_LE(given, 3 + 5 + 1);
  b.go.set_value();
  EXPECT_EQ(e.wait().items(), 500U);
}

TEST_F(Threads, CapacityBehindAFarmCountsForAllItsReplicas) {
  brake b;
  std::atomic<long> finished{0};
  std::vector<long> out;
  auto e = tw::launch(counting(500) |
                          tw::farm(
                              [&](long x) {
                                ++finished;
                                return x;
                              },
                              {.replicas = 3}) |
                          tw::sink(
                              [&](long x) {
                                out.push_back(x);
                                b.released.wait();
                              },
                              {.capacity = 4}),
                      tw::threads{});
  // One in the sink, so many before it, and what the replicas hold: one each.
  EXPECT_TRUE(eventually([&] { return finished >= 1 + 4; })) << finished;
  std::this_thread::sleep_for(10ms);
  EXPECT_LE(finished, 1 + 4 + 3);
  b.go.set_value();
  EXPECT_EQ(e.wait().items(), 500U);
  EXPECT_EQ(out, numbers(500));
}

TEST_F(Threads, ItemsAreBoundedWithoutACapacityToo) {
  brake b;
  std::atomic<long> sent{0};
  auto e = tw::launch(counting(4) |
                          tw::farm(tw::flat_map([&](long, tw::emitter<long>& out) {
                                     for (long i = 0; i < 1'000'000; ++i) {
                                       out(i);
                                       ++sent;
                                     }
                                   }),
                                   {.replicas = 2}) |
                          tw::farm(tw::flat_map([](long x, tw::emitter<long>& out) {
                                     if (x % 1'000 == 0) out(x);
                                   }),
                                   {.replicas = 2}) |
                          tw::sink([&](long) { b.released.wait(); }),
                      tw::threads{});
  // Somebody must run into a full ring: from then on nothing moves.
  long before = -1;
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(50ms);
    return sent > 0 && std::exchange(before, sent.load()) == sent;
  }));
  EXPECT_LT(sent, 1'000'000);
  b.go.set_value();
  EXPECT_EQ(e.wait().items(), 4'000U);
}

TEST_F(Threads, BytesAreBounded) {
  struct frame {
    std::vector<char> data = std::vector<char>(1 << 20);
  };
  brake b;
  std::atomic<long> given{0};
  auto e = tw::launch(tw::source([&]() -> std::optional<std::vector<char>> {
                        if (given == 200) return std::nullopt;
                        ++given;
                        return std::vector<char>(1 << 20);
                      }) | tw::sink([&](const std::vector<char>&) { b.released.wait(); }),
                      tw::threads{});
  long before = -1;
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(50ms);
    return given > 0 && std::exchange(before, given.load()) == given;
  }));
  EXPECT_LE(given, 64 + 4);
  b.go.set_value();
  EXPECT_EQ(e.wait().items(), 200U);
}

TEST_F(Threads, WhatExpandsHugelyPasses) {
  const long each = scaled(300'000);
  long next = 0;
  std::vector<long> out_of_order;
  const auto r = tw::run(counting(5) |
                             tw::farm(tw::flat_map([=](long x, tw::emitter<long>& out) {
                                        for (long i = 0; i < each; ++i) out(x * each + i);
                                      }),
                                      {.replicas = 3}) |
                             tw::farm([](long x) { return x; }, {.replicas = 2}) | tw::sink([&](long x) {
                               if (x != next++) out_of_order.push_back(x);
                             }),
                         tw::threads{});
  EXPECT_EQ(r.items(), static_cast<std::uint64_t>(5 * each));
  EXPECT_TRUE(out_of_order.empty());
}

// --- nothing waits in a half-filled chunk ---

/// A source of whatever kind that waits, at every item, until the sink has all before it.
template <class Make> void items_come_through(Make&& make) {
  for (const auto& policy : {tw::threads{}, tw::threads{.fuse = true}}) {
    std::atomic<long> arrived{0};
    const auto give = [&](long x) {
      EXPECT_TRUE(eventually([&] { return arrived >= x; })) << x << " given, " << arrived << " arrived";
      return x;
    };
    make(
        give, [&](long) { ++arrived; }, policy);
    EXPECT_EQ(arrived, 200);
  }
}

TEST_F(Threads, ASourceThatStallsHoldsNothingBack) {
  items_come_through([](auto give, auto take, tw::threads policy) {
    tw::run(tw::source([=, n = 0L]() mutable { return n < 200 ? std::optional(give(n++)) : std::nullopt; }) |
                tw::map([](long x) { return x; }) | tw::sink(take),
            policy);
  });
}

TEST_F(Threads, AnEmitterThatStallsHoldsNothingBack) {
  items_come_through([](auto give, auto take, tw::threads policy) {
    tw::run(tw::source([=](tw::emitter<long>& out) {
              for (long x = 0; x < 200; ++x) out(give(x));
            }) | tw::farm([](long x) { return x; }, {.replicas = 3}) |
                tw::farm([](long x) { return x; }, {.replicas = 2}) | tw::sink(take),
            policy);
  });
}

TEST_F(Threads, AStageThatStallsHoldsNothingBack) {
  // All items are in memory and reach the stage at once; each one's successor waits for it to arrive.
  items_come_through([](auto give, auto take, tw::threads policy) {
    policy.fuse = false;
    tw::run(tw::source(numbers(200)) | tw::map(give) | tw::map([](long x) { return x; }) | tw::sink(take),
            policy);
  });
}

TEST_F(Threads, AReplicaThatStallsHoldsNothingBack) {
  items_come_through([](auto give, auto take, tw::threads policy) {
    tw::run(tw::source(numbers(200)) | tw::farm(give, {.replicas = 2}) | tw::sink(take), policy);
  });
}

TEST_F(Threads, TimersFireWhileNothingComes) {
  for (const bool fuse : {false, true}) {
    std::atomic<long> arrived{0};
    tw::run(tw::source([&, n = 0L]() mutable -> std::optional<long> {
              if (n == 3) {
                EXPECT_TRUE(eventually([&] { return arrived == 3; }));
              }
              return n < 4 ? std::optional(n++) : std::nullopt;
            }) | tw::farm([](long x) { return x; }, {.replicas = 2}) |
                tw::batch(1'000, 3ms) | tw::map([](std::vector<long> group) { return group; }) |
                tw::sink([&](const std::vector<long>& group) { arrived += static_cast<long>(group.size()); }),
            tw::threads{.fuse = fuse});
    EXPECT_EQ(arrived, 4);
  }
}

TEST_F(Threads, TimersOfEachReplicaFire) {
  std::atomic<long> arrived{0};
  tw::run(
      tw::source([&, n = 0L]() mutable -> std::optional<long> {
        if (n == 6) {
          EXPECT_TRUE(eventually([&] { return arrived == 6; }));
        }
        return n < 8 ? std::optional(n++) : std::nullopt;
      }) | tw::farm(tw::batch(1'000, 3ms), {.replicas = 3, .unordered = true, .schedule = tw::round_robin}) |
          tw::sink([&](const std::vector<long>& group) { arrived += static_cast<long>(group.size()); }),
      tw::threads{});
  EXPECT_EQ(arrived, 8);
}

TEST_F(Threads, IdleThreadsSleep) {
  bool asleep = false;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            if (n == 1) asleep = eventually(all_others_asleep);
            return n < 2 ? std::optional(n++) : std::nullopt;
          }) | tw::farm([](int x) { return x; }, {.replicas = 4}) |
              tw::farm([](int x) { return x; }, {.replicas = 4}) | tw::sink([](int) {}),
          tw::threads{});
  EXPECT_TRUE(asleep);
}

// The stacks of a hundred threads need more memory than this process may still take.
void needs_too_many_threads() {
  rlimit now{};
  ::getrlimit(RLIMIT_AS, &now);
  std::ifstream sizes("/proc/self/statm");
  rlim_t pages = 0;
  sizes >> pages;
  now.rlim_cur = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{200} << 20U);
  ::setrlimit(RLIMIT_AS, &now);
  try {
    tw::run(tw::source(std::views::iota(0, 10)) | tw::farm([](int x) { return x; }, {.replicas = 100}) |
                tw::sink([](int) {}),
            tw::threads{});
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
  }
  std::_Exit(3);
}

TEST(ThreadsThatCannotBeMade, SaysHowManyAndWhatToDo) {
  if (THALWEG_ADDRESS_SANITIZER || THALWEG_THREAD_SANITIZER) GTEST_SKIP() << "its memory is no measure";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(needs_too_many_threads(), testing::ExitedWithCode(3),
              "the policy threads needs 102 threads for this job, but the system gave [0-9]+ "
              "\\(Resource temporarily unavailable\\): raise its limit .*thalweg::pool");
}

// --- ends ---

/// Sends its number at the end, and notes on which threads it lived.
struct closing {
  long number;
  places* where;
  std::string name = "replica " + std::to_string(number);
  void on_start() { where->here(name); }
  long operator()(long x) {
    where->here(name);
    return x;
  }
  void on_end(tw::emitter<long>& out) {
    where->here(name);
    out(1'000'000 + number);
    out(2'000'000 + number);
  }
};

TEST_F(Threads, EndHooksSendAfterAllItems) {
  places p;
  std::atomic<long> made{0};
  std::vector<long> out;
  const auto replica = tw::per_replica([&] { return closing{made++, &p}; });
  tw::run(tw::source(numbers(500)) | tw::farm(tw::map(replica), {.replicas = 3}) |
              tw::farm([](long x) { return x; }, {.replicas = 2}) | tw::sink(out),
          tw::threads{});
  ASSERT_EQ(out.size(), 506U);
  EXPECT_EQ(std::vector<long>(out.begin(), out.begin() + 500), numbers(500));
  EXPECT_EQ(p.of.size(), 3U);
  for (const auto& [name, threads] : p.of) EXPECT_EQ(threads.size(), 1U) << name;
  EXPECT_EQ(p.all(), 3U);
  // Each replica's two items follow each other; all are there.
  std::set<long> ended;
  for (std::size_t i = 500; i < 506; i += 2) {
    EXPECT_EQ(out[i] + 1'000'000, out[i + 1]);
    ended.insert(out[i]);
  }
  EXPECT_EQ(ended, (std::set<long>{1'000'000, 1'000'001, 1'000'002}));
}

struct last_of {
  std::string name;
  std::vector<std::string>* log;
  std::string operator()(std::string x) { return x; }
  void on_end(tw::emitter<std::string>& out) {
    log->push_back(name);
    out(name);
  }
};

TEST_F(Threads, TheEndRunsDownTheStream) {
  std::vector<std::string> log, out;
  for (const bool fuse : {false, true}) {
    log.clear();
    out.clear();
    tw::run(tw::source(std::vector<std::string>{"item"}) | tw::map(last_of{"first", &log}) |
                tw::farm([](std::string x) { return x + "."; }, {.replicas = 3}) |
                tw::map(last_of{"second", &log}) | tw::sink(out),
            tw::threads{.fuse = fuse});
    EXPECT_EQ(log, (std::vector<std::string>{"first", "second"}));
    EXPECT_EQ(out, (std::vector<std::string>{"item.", "first.", "second"}));
  }
}

// --- errors ---

enum class where { source, map, farm, second_farm, sink, factory, start_hook, end_hook };

struct bomb {
  where me, there;
  long at;
  void on_start() const {
    if (me == there && me == where::start_hook) throw std::runtime_error("boom");
  }
  long operator()(long x) const {
    if (me == there && x == at) throw std::runtime_error("boom");
    return x;
  }
  void on_end() const {
    if (me == there && me == where::end_hook) throw std::runtime_error("boom");
  }
};

class ErrorAt : public Threads, public testing::WithParamInterface<where> {};

TEST_P(ErrorAt, EndsTheRunAndNamesTheStage) {
  const auto there = GetParam();
  const std::map<where, std::string> names{
      {where::source, "the source"},           {where::map, "the map"},     {where::farm, "the farm"},
      {where::second_farm, "the second farm"}, {where::sink, "the sink"},   {where::factory, "the factory"},
      {where::start_hook, "the start"},        {where::end_hook, "the end"}};
  for (const long at : {0L, 1L, 700L}) {
    for (const int slots : {1, 64}) {
      std::vector<long> out;
      const long n = there == where::end_hook ? 1'000 : 1'000'000'000;
      const auto f = failure_of([&] {
        tw::run(
            tw::source(
                [&, x = 0L]() mutable -> std::optional<long> {
                  if (there == where::source && x == at) throw std::runtime_error("boom");
                  return x < n ? std::optional(x++) : std::nullopt;
                },
                {.name = "the source"}) |
                tw::map(bomb{where::map, there, at}, {.name = "the map"}) |
                tw::farm(bomb{where::farm, there, at}, {.replicas = 3, .name = "the farm"}) |
                tw::farm(tw::map(bomb{where::start_hook, there, -1}, {.name = "the start"}),
                         {.replicas = 2}) |
                tw::farm(bomb{where::second_farm, there, at}, {.replicas = 2, .name = "the second farm"}) |
                tw::farm(tw::per_replica([=] {
                           if (there == where::factory) throw std::runtime_error("boom");
                           return [](long x) { return x; };
                         }),
                         {.replicas = 2, .name = "the factory"}) |
                tw::map(bomb{where::end_hook, there, -1}, {.name = "the end"}) |
                tw::sink(
                    [&](long x) {
                      out.push_back(x);
                      if (there == where::sink && x == at) throw std::runtime_error("boom");
                    },
                    {.name = "the sink"}),
            tw::threads{.slots = slots});
      });
      EXPECT_EQ(f.stage, names.at(there));
      EXPECT_EQ(f.cause, "boom");
      EXPECT_EQ(out, numbers(static_cast<long>(out.size()))) << "the sink saw no prefix";
      if (there == where::map || there == where::farm || there == where::second_farm) {
        EXPECT_LE(static_cast<long>(out.size()), at);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, ErrorAt,
                         testing::Values(where::source, where::map, where::farm, where::second_farm,
                                         where::sink, where::factory, where::start_hook, where::end_hook));

TEST_F(Threads, TheLowestOfSeveralErrorsComesOut) {
  for (int round = 0; round < scaled(20); ++round) {
    std::atomic<bool> five_began{false}, late_threw{false};
    const auto f = failure_of([&] {
      tw::run(counting(1'000) |
                  tw::farm(
                      [&](long x) -> long {
                        if (x == 5) {
                          five_began = true;
                          EXPECT_TRUE(eventually([&] { return late_threw.load(); }));
                          throw std::runtime_error("five");
                        }
                        if (x == 6) {
                          EXPECT_TRUE(eventually([&] { return five_began.load(); }));
                          late_threw = true;
                          throw std::runtime_error("six");
                        }
                        return x;
                      },
                      {.replicas = 2, .schedule = tw::round_robin}) |
                  tw::sink([](long) {}),
              tw::threads{});
    });
    EXPECT_EQ(f.cause, "five");
    EXPECT_EQ(f.replica, 1);
  }
}

TEST_F(Threads, AnErrorReachesThoseWhoAreBlocked) {
  // Everybody before the sink waits for room, everybody behind the source for items.
  brake b;
  std::atomic<long> given{0};
  const auto f = failure_of([&] {
    tw::run(tw::source([&]() -> std::optional<long> { return given++; }) | tw::map([](long x) { return x; }) |
                tw::farm([](long x) { return x; }, {.replicas = 4}) | tw::sink([&](long) {
                  long before = -1;
                  eventually([&] {
                    std::this_thread::sleep_for(20ms);
                    return std::exchange(before, given.load()) == given;
                  });
                  throw std::runtime_error("enough");
                }),
            tw::threads{.slots = 2});
  });
  EXPECT_EQ(f.cause, "enough");
}

TEST_F(Threads, DeadLettersAndSkipsKeepTheOrder) {
  std::vector<long> buried, out;
  const auto r = tw::run(
      counting(3'000) |
          tw::farm([](long x) { return x % 3 == 0 ? throw std::runtime_error("three") : uneven(x); },
                   {.replicas = 3,
                    .on_error = tw::retry(1).then(
                        tw::dead_letter([&](long x, const std::exception_ptr&) { buried.push_back(x); })),
                    .name = "farm"}) |
          tw::sink(out),
      tw::threads{});
  std::vector<long> expected;
  for (const long x : numbers(3'000)) {
    if (x % 3 != 0) expected.push_back(x);
  }
  EXPECT_EQ(out, expected);
  EXPECT_EQ(buried.size(), 1'000U);
  EXPECT_EQ(r.stage("farm").dead_lettered(), 1'000U);
  EXPECT_EQ(r.stage("farm").retries(), 1'000U);
  EXPECT_EQ(r.stage("farm").errors(), 2'000U);
}

// --- stop, cancel, pause ---

auto endless(std::atomic<long>& given) {
  return tw::source([&]() -> std::optional<long> { return given++; });
}

auto meddled(std::atomic<long>& given, std::vector<long>& out, std::atomic<long>& arrived) {
  return endless(given) | tw::map([](long x) { return x; }) |
         tw::farm(tw::map(uneven) | tw::filter([](long) { return true; }), {.replicas = 3}) |
         tw::farm([](long x) { return x; }, {.replicas = 2}) | tw::sink([&](long x) {
           out.push_back(x);
           ++arrived;
         });
}

TEST_F(Threads, StopDrainsWhatWasGiven) {
  for (int round = 0; round < scaled(40); ++round) {
    std::atomic<long> given{0}, arrived{0};
    std::vector<long> out;
    auto e = tw::launch(meddled(given, out, arrived), tw::threads{.slots = 1 + round % 5});
    EXPECT_TRUE(eventually([&] { return arrived >= round * 7; }));
    e.stop();
    const auto r = e.wait();
    EXPECT_EQ(out, numbers(given));
    EXPECT_EQ(r.items(), static_cast<std::uint64_t>(given));
  }
}

TEST_F(Threads, StopEndsASourceThatEmits) {
  std::atomic<long> arrived{0};
  std::vector<long> out;
  auto e = tw::launch(tw::source([](tw::emitter<long>& to) {
                        for (long x = 0;; ++x) to(x);
                      }) | tw::farm([](long x) { return x; }, {.replicas = 2}) |
                          tw::sink([&](long x) {
                            out.push_back(x);
                            ++arrived;
                          }),
                      tw::threads{});
  EXPECT_TRUE(eventually([&] { return arrived > 100; }));
  e.stop();
  const auto items = e.wait().items();
  EXPECT_EQ(items, out.size());
  EXPECT_EQ(out, numbers(static_cast<long>(out.size())));
}

TEST_F(Threads, CancelEndsAtOnce) {
  for (int round = 0; round < scaled(40); ++round) {
    std::atomic<long> given{0}, arrived{0};
    std::vector<long> out;
    auto e = tw::launch(meddled(given, out, arrived), tw::threads{.slots = 1 + round % 3});
    if (round % 4 != 0) {
      EXPECT_TRUE(eventually([&] { return arrived >= round; }));
    }
    e.cancel();
    EXPECT_FALSE(e.wait().items() > static_cast<std::uint64_t>(given));
    EXPECT_EQ(out, numbers(static_cast<long>(out.size())));
  }
}

TEST_F(Threads, CancelWakesThoseWhoWaitForRoom) {
  std::atomic<bool> refused{false};
  std::atomic<long> sent{0};
  auto e = tw::launch(counting(1) | tw::flat_map([&](long, tw::emitter<long>& out) {
                        try {
                          for (;;) {
                            out(0);
                            ++sent;
                          }
                        } catch (const tw::cancelled&) {
                          refused = true;
                          throw;
                        }
                      }) | tw::sink([&](long) { std::this_thread::sleep_for(1ms); }, {.capacity = 3}),
                      tw::threads{});
  EXPECT_TRUE(eventually([&] { return sent > 3; }));
  e.cancel();
  e.wait();
  EXPECT_TRUE(refused);
}

TEST_F(Threads, ABlockedSourceHoldsTheEndUntilItReturns) {
  std::promise<void> go;
  std::atomic<bool> in_source{false};
  std::atomic<bool> told{false};
  auto e = tw::launch(tw::source([&](const std::stop_token& stop) -> std::optional<long> {
                        in_source = true;
                        go.get_future().wait();
                        told = stop.stop_requested();
                        return 1;
                      }) | tw::farm([](long x) { return x; }, {.replicas = 2}) |
                          tw::sink([](long) {}),
                      tw::threads{});
  EXPECT_TRUE(eventually([&] { return in_source.load(); }));
  e.cancel();
  std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(e.done());
  go.set_value();
  e.wait();
  EXPECT_TRUE(e.done());
  EXPECT_TRUE(told);
}

TEST_F(Threads, PausedSourcesGiveNothing) {
  for (const bool emits : {false, true}) {
    std::atomic<long> given{0}, arrived{0};
    const auto take = tw::sink([&](long) { ++arrived; });
    auto e = emits ? tw::launch(tw::source([&](tw::emitter<long>& out) {
                                  for (;;) out(given++);
                                }) | take,
                                tw::threads{})
                   : tw::launch(endless(given) | take, tw::threads{});
    for (int round = 0; round < 5; ++round) {
      const auto before = arrived.load();
      EXPECT_TRUE(eventually([&] { return arrived > before; }));
      e.pause();
      // What is on its way drains, however slowly threads get their turn; then nothing moves.
      EXPECT_TRUE(eventually([&] {
        const auto rest = arrived.load();
        const auto out = given.load();
        std::this_thread::sleep_for(5ms);
        return out - rest <= 1 && given == out && arrived == rest;
      }));
      e.resume();
    }
    e.stop();
    const auto r = e.wait();
    EXPECT_EQ(arrived, static_cast<long>(r.items()));
    EXPECT_GT(r.paused(), 0ns);
  }
}

TEST_F(Threads, APausedRunCanBeStoppedAndCancelled) {
  for (const bool cancel : {false, true}) {
    std::atomic<long> given{0};
    auto e = tw::launch(endless(given) | tw::sink([](long) {}), tw::threads{});
    EXPECT_TRUE(eventually([&] { return given > 10; }));
    e.pause();
    std::this_thread::sleep_for(2ms);
    cancel ? e.cancel() : e.stop();
    e.wait();
    EXPECT_TRUE(e.done());
  }
}

TEST_F(Threads, AnExecutionThatIsDroppedEnds) {
  for (int round = 0; round < scaled(30); ++round) {
    std::atomic<long> given{0};
    auto e = tw::launch(
        endless(given) | tw::farm([](long x) { return x; }, {.replicas = 2}) |
            tw::sink([](long) {}, {.on = round % 2 == 0 ? tw::placement::anywhere : tw::caller_thread}),
        tw::threads{});
    if (round % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(round * 10));
  }
}

// --- many threads, many runs ---

TEST_F(Threads, AThousandStagesStartAndStop) {
  part line = plus(1);
  const int stages = std::max(50, std::min(1'000, scaled(1'000)));
  for (int i = 1; i < stages; ++i) line = std::move(line) | tw::map([](long x) { return x + 1; });
  std::vector<long> out;
  const auto r =
      tw::run(tw::any_pipeline<void, long>(tw::source(numbers(50))) | line | tw::sink(out), tw::threads{});
  EXPECT_EQ(r.workers(), stages + 2);
  ASSERT_EQ(out.size(), 50U);
  EXPECT_EQ(out.front(), stages);
  EXPECT_EQ(out.back(), 49 + stages);
}

TEST_F(Threads, ManyReplicasStartAndStop) {
  const int replicas = std::max(16, std::min(256, scaled(256)));
  std::vector<long> out;
  const auto r = tw::run(counting(3'000) | tw::farm(tw::map(uneven), {.replicas = replicas}) | tw::sink(out),
                         tw::threads{});
  EXPECT_EQ(r.workers(), replicas + 2);
  EXPECT_EQ(out, numbers(3'000));
  out.clear();
  tw::run(counting(3'000) | tw::farm(tw::map(uneven), {.replicas = 24}) |
              tw::farm([](long x) { return x; }, {.replicas = 24}) | tw::sink(out),
          tw::threads{});
  EXPECT_EQ(out, numbers(3'000));
}

TEST_F(Threads, ShortRunsComeAndGo) {
  for (int i = 0; i < scaled(300); ++i) {
    std::vector<long> out;
    tw::run(counting(i % 4) | tw::farm([](long x) { return x; }, {.replicas = 1 + i % 3}) |
                tw::farm([](long x) { return x; }, {.replicas = 2}) | tw::sink(out),
            tw::threads{});
    ASSERT_EQ(out, numbers(i % 4));
  }
}

TEST_F(Threads, SeveralRunsAtOnce) {
  const auto job =
      counting(2'000) | tw::farm(tw::map(uneven), {.replicas = 2}) | tw::map([](long x) { return x; });
  std::vector<std::vector<long>> out(4);
  std::vector<tw::execution> runs;
  for (auto& o : out) runs.push_back(tw::launch(job | tw::sink(o), tw::threads{}));
  for (auto& r : runs) r.wait();
  for (const auto& o : out) EXPECT_EQ(o, numbers(2'000));
}

// --- what the report says ---

TEST_F(Threads, TheReportCountsEverything) {
  const auto r = tw::run(counting(5'000) |
                             tw::map(
                                 [](long x) {
                                   spin_for(1us);
                                   return x;
                                 },
                                 {.name = "map"}) |
                             tw::farm(keep(2), {.replicas = 2, .name = "farm"}) |
                             tw::sink([](long) {}, {.name = "sink"}),
                         tw::threads{});
  EXPECT_EQ(r.policy(), "threads");
  EXPECT_EQ(r.items(), 2'500U);
  EXPECT_EQ(r.stage("map").items_in(), 5'000U);
  EXPECT_EQ(r.stage("farm").items_in(), 5'000U);
  EXPECT_EQ(r.stage("farm").items_out(), 2'500U);
  EXPECT_EQ(r.stage("sink").items_in(), 2'500U);
  EXPECT_EQ(r.latency().count(), 2'500U);
  EXPECT_FALSE(r.latency().from_due());
  EXPECT_GT(r.latency().p50(), 0ns);
  EXPECT_GE(r.stage("map").busy(), 5ms);
  EXPECT_GT(r.stage("sink").waited_for_input(), 0ns);
  EXPECT_GT(r.stage("map").occupancy().max, 0U);
}

TEST_F(Threads, WaitingForRoomIsCounted) {
  const auto r = tw::run(counting(60) | tw::sink([](long) { std::this_thread::sleep_for(200us); },
                                                 {.capacity = 2, .name = "sink"}),
                         tw::threads{});
  EXPECT_GE(r.stages().front().waited_for_output(), 5ms);
  EXPECT_LT(r.stages().front().busy(), r.stage("sink").busy());
  EXPECT_LE(r.stage("sink").occupancy().max, 3U);
}

TEST_F(Threads, OrderThatHadToBeRestoredIsCounted) {
  const auto r = tw::run(counting(400) |
                             tw::farm(
                                 [](long x) {
                                   if (x % 2 == 0) std::this_thread::sleep_for(100us);
                                   return x;
                                 },
                                 {.replicas = 2, .schedule = tw::round_robin}) |
                             tw::sink([](long) {}, {.name = "sink"}),
                         tw::threads{});
  EXPECT_GT(r.stage("sink").displacement().max, 0U);
  EXPECT_GT(r.stage("sink").reorder().max, 0U);
}

TEST_F(Threads, APacedStreamCountsFromDueTimes) {
  std::vector<long> out;
  const auto r = tw::run(
      tw::paced([n = 0L]() mutable { return n < 300 ? std::optional(n++) : std::nullopt; }, 20'000.0) |
          tw::map([](long x) { return x; }) | tw::farm(times(2), {.replicas = 2}) | tw::batch(10, 1ms) |
          tw::unbatch() | tw::sink(out),
      tw::threads{});
  EXPECT_EQ(out, seen(counting(300), times(2), tw::sequential{}));
  EXPECT_TRUE(r.latency().from_due());
  EXPECT_EQ(r.latency().count(), out.size());
  EXPECT_GE(r.elapsed(), 14ms);
}

// A thread that begins on another processor may go anywhere afterwards.
TEST(BeginElsewhere, LeavesTheThreadAllProcessors) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  for (int i = 0; i < 50; ++i) {
    cpu_set_t seen;
    CPU_ZERO(&seen);
    auto made = tw::run_detail::begin_elsewhere([&] { sched_getaffinity(0, sizeof seen, &seen); });
    made.join();
    EXPECT_TRUE(CPU_EQUAL(&seen, &allowed));
  }
}

}  // namespace
