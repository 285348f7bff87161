// The pool policy: what it promises beyond what every policy does.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/policies.hpp"
#include "support/watchdog.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

/// Every test is watched: what waits for ever fails, and says where.
class Pool : public testing::TestWithParam<std::string> {
 protected:
  static tw::any_policy policy() { return tw::policy_from(GetParam()); }

  watchdog::watch limit_{std::chrono::seconds(90), [] {
                           return std::string(testing::UnitTest::GetInstance()->current_test_info()->name());
                         }};
};
INSTANTIATE_TEST_SUITE_P(workers, Pool,
                         testing::Values(std::string("pool"), std::string("pool:1"), std::string("pool:2"),
                                         std::string("pool:4")),
                         policy_name);

auto count_to(int n) {
  return tw::source(
      [i = 0, n]() mutable -> std::optional<int> { return i < n ? std::optional(i++) : std::nullopt; },
      {.name = "read"});
}

// --- the way it runs a job changes with what the stages cost ---

constexpr int cheap_items = 2'000;
constexpr int dear_items = 20;
constexpr int phases = 60;

// In turn: all is cheap, the farm is dear, all is cheap, the serial stage is dear.
enum class cost { nothing, farm, serial };
cost cost_of(int x) {
  constexpr int length = cheap_items + dear_items;
  if (x % length < cheap_items) return cost::nothing;
  return x / length % 2 == 0 ? cost::farm : cost::serial;
}
std::uint64_t mixed(std::uint64_t state, std::uint64_t x) {
  return (state ^ x) * 0x9e3779b97f4a7c15ULL;
}

TEST_P(Pool, PhasesOfCheapAndDearItemsLeaveNoTraceInTheResult) {
  constexpr int all = phases * (cheap_items + dear_items);
  std::uint64_t expected = 1;
  for (int x = 0; x < all; ++x) expected = mixed(expected, static_cast<std::uint64_t>(3 * x + 1));
  std::uint64_t last = 0;
  int taken = 0;
  const auto r = tw::run(count_to(all) | tw::farm([](int x) {
                           if (cost_of(x) == cost::farm) spin_for(50us);
                           return x;
                         }) | tw::map([state = std::uint64_t{1}](int x) mutable {
                           if (cost_of(x) == cost::serial) spin_for(50us);
                           return state = mixed(state, static_cast<std::uint64_t>(3 * x + 1));
                         }) | tw::sink([&](std::uint64_t state) {
                           ++taken;
                           last = state;
                         }),
                         policy());
  EXPECT_EQ(last, expected);
  EXPECT_EQ(taken, all);
  EXPECT_EQ(r.items(), static_cast<std::uint64_t>(all));
}

// --- an item that becomes very many ---

// What was on its way at most when each of four items became 300 000.
long most_on_its_way(const tw::any_policy& policy, const tw::options& farm, const tw::options& sink) {
  constexpr int items = 4;
  constexpr int each = 300'000;
  std::atomic<long> sent{0};
  std::atomic<long> received{0};
  std::atomic<long> most{0};
  int next = 0;
  bool in_order = true;
  tw::run(count_to(items) |
              tw::farm(tw::flat_map([&](int x, tw::emitter<int>& out) {
                         for (int i = 0; i < each; ++i) {
                           out(each * x + i);
                           const long now = ++sent - received;
                           long before = most;
                           while (now > before && !most.compare_exchange_weak(before, now)) {
                           }
                         }
                       }),
                       farm) |
              tw::sink(
                  [&](int x) {
                    in_order = in_order && x == next;
                    ++next;
                    ++received;
                  },
                  sink),
          policy);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(next, items * each);
  return most;
}

TEST_P(Pool, AHugeExpansionInAFarmBeforeABlockingSinkIsBounded) {
  EXPECT_LT(most_on_its_way(policy(), {.replicas = 4}, {.capacity = 1000, .blocking = true}), 100'000);
}

TEST_P(Pool, AHugeExpansionInABlockingFarmIsBounded) {
  EXPECT_LT(most_on_its_way(policy(), {.replicas = 4, .blocking = true}, {.capacity = 1000}), 100'000);
  // 64 runs of 8 192 items, and some more in the hands of threads.
  EXPECT_LT(most_on_its_way(policy(), {.replicas = 4, .blocking = true}, {}), 80 * 8'192);
}

// What is first may need the replica that the second holds: the second waits a while, and then lets it go.
TEST_P(Pool, AHugeExpansionBehindAFarmThatLetsOthersPastEnds) {
  constexpr int each = 40'000;
  long taken = 0;
  bool in_order = true;
  tw::run(count_to(40) |
              tw::farm(
                  [](int x) {
                    if (x % 8 == 0) spin_for(1ms);
                    return x;
                  },
                  {.replicas = 4}) |
              tw::farm(tw::flat_map([](int x, tw::emitter<int>& out) {
                         for (int i = 0; i < each; ++i) out(each * x + i);
                       }),
                       {.replicas = 1}) |
              tw::sink([&](int x) { in_order = in_order && x == taken++; }),
          policy());
  EXPECT_TRUE(in_order);
  EXPECT_EQ(taken, 40L * each);
}

// --- who calls the source ---

// A source that makes its caller wait is kept for the worker that has just left it. Now and then an item
// takes so long that there is no room behind it, and the one for whom the source is kept comes back to no
// purpose.
TEST_P(Pool, ASourceIsNotKeptForAWorkerThatSleeps) {
  constexpr int items = 30'000;
  int taken = 0;
  bool in_order = true;
  tw::run(tw::source([i = 0]() mutable -> std::optional<int> {
            if (i == items) return std::nullopt;
            spin_for(3us);
            return i++;
          }) | tw::farm([](int x) {
            spin_for(x % 100 == 0 ? 600us : 6us);
            return x;
          }) | tw::sink([&](int x) { in_order = in_order && x == taken++; }),
          policy());
  EXPECT_TRUE(in_order);
  EXPECT_EQ(taken, items);
}

// For dear items it is not kept: whoever is through with one takes the next, even while it is being found out
// whether that is worth a wake-up.
TEST_P(Pool, DearItemsOfASlowSourceAreWorkedOnTogether) {
  constexpr int items = 80;
  const auto worked_on_alone = [&] {
    std::atomic<int> at_work{0};
    std::atomic<int> alone{0};
    tw::run(tw::source([i = 0]() mutable -> std::optional<int> {
              if (i == items) return std::nullopt;
              spin_for(10us);
              return i++;
            }) |
                tw::farm(
                    [&](int x) {
                      ++at_work;
                      std::this_thread::sleep_for(4ms);
                      if (at_work-- == 1) ++alone;
                      return x;
                    },
                    {.replicas = 4}) |
                tw::sink([](int) {}),
            policy());
    return alone.load();
  };
  if (GetParam() == "pool:1") {
    EXPECT_EQ(worked_on_alone(), items);
  } else if (GetParam() == "pool:4") {
    // On a machine that is busy with something else a worker may get its turn late.
    int fewest = items;
    for (int attempt = 0; attempt < 5 && fewest >= items / 4; ++attempt)
      fewest = std::min(fewest, worked_on_alone());
    EXPECT_LT(fewest, items / 4);
  }
}

// Nor does a source wait that now and then takes long over an item, as one that reads a file block by block.
TEST_P(Pool, AQuickSourceMayTakeLongNowAndThen) {
  if (THALWEG_ADDRESS_SANITIZER || THALWEG_THREAD_SANITIZER) GTEST_SKIP() << "no source is quick here";
  constexpr int items = 40'000;
  const auto items_at_once = [&] {
    const auto report = tw::run(tw::source([i = 0]() mutable -> std::optional<int> {
                                  if (i == items) return std::nullopt;
                                  if (i % 256 == 255) spin_for(10us);
                                  return i++;
                                }) |
                                    tw::farm(
                                        [](int x) {
                                          spin_for(1us);
                                          return x;
                                        },
                                        {.replicas = 4, .name = "work"}) |
                                    tw::sink([](int) {}),
                                policy());
    return report.stage("work").items_per_run();
  };
  // On a machine that is busy with something else any call may take long.
  double most = 0;
  for (int attempt = 0; attempt < 5 && most < 4; ++attempt) most = std::max(most, items_at_once());
  EXPECT_GE(most, 4);
}

// --- timers ---

TEST_P(Pool, TheEndHooksOfAFarmWaitForItsTimers) {
  constexpr int items = 200;
  for (int repeat = 0; repeat < 40; ++repeat) {
    std::atomic<int> taken{0};
    tw::run(count_to(items) | tw::farm(tw::batch(7, 50us), {.replicas = 3, .unordered = true}) |
                tw::map([](const std::vector<int>& group) { return static_cast<int>(group.size()); },
                        {.blocking = true}) |
                tw::sink([&](int n) { taken += n; }),
            policy());
    ASSERT_EQ(taken, items);
  }
}

// --- what the report says ---

TEST(PoolReport, TheTimeOfTheStagesBehindIsNotThatOfASourceThatEmits) {
  const auto r = tw::run(tw::source(
                             [](tw::emitter<int>& out) {
                               for (int i = 0; i < 400; ++i) out(i);
                             },
                             {.name = "read"}) |
                             tw::map(
                                 [](int x) {
                                   spin_for(200us);
                                   return x;
                                 },
                                 {.name = "work"}) |
                             tw::sink([](int) {}, {.name = "write"}),
                         tw::pool{.workers = 1});
  const auto& source = r.stage("read");
  const auto& map = r.stage("work");
  EXPECT_EQ(r.items(), 400U);
  EXPECT_GE(map.busy(), 60ms);
  EXPECT_LT(source.busy(), map.busy() / 3);
  EXPECT_LT(source.service_time(), map.service_time() / 3);
  const auto b = r.bottleneck();
  EXPECT_EQ(b.stage, "work") << tw::to_string(b.reason) << ": " << b.advice;
}

}  // namespace
