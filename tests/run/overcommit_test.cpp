// Where operators wait for the outside there are more threads than cores, unless the user has said how many.
#include <thalweg/run/engine.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "support/ledger.hpp"
#include "support/watchdog.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

constexpr auto wait_time = 5'000us;

template <class Farm> void run_waiting(const std::string& policy, long items, Farm farm) {
  const watchdog::watch guard(60s, [&] { return "a farm that waits, under " + policy; });
  long next = 0;
  long seen = 0;
  tw::run(tw::source([&]() -> std::optional<long> {
            if (next == items) return std::nullopt;
            return next++;
          }) | farm |
              tw::sink([&](long x) { EXPECT_EQ(x, seen++); }),
          tw::policy_from(policy));
  EXPECT_EQ(seen, items);
}

auto waits(ledger& calls) {
  return [&calls](long x) {
    calls.sleep(x, wait_time);
    return x;
  };
}

class Overcommit : public testing::TestWithParam<std::string> {};

TEST_P(Overcommit, AFarmThatWaitsHasMoreThreadsThanCores) {
  if (tw::run_detail::cores() == 1) GTEST_SKIP() << "one core: one thread does everything";
  if (!std::ifstream("/proc/self/schedstat")) GTEST_SKIP() << "the system does not count waits for a core";
  for (const bool blocking : {false, true}) {
    const auto problem = problem_of([&]() -> tried {
      ledger calls;
      run_waiting(GetParam(), 60L * tw::run_detail::cores(),
                  tw::farm(tw::map(waits(calls), {.blocking = blocking})));
      if (calls.most_at_once() > tw::run_detail::cores()) return {};
      return {"at most " + std::to_string(calls.most_at_once()) + " calls at once", calls.overslept()};
    });
    EXPECT_EQ(problem, "") << (blocking ? "blocking" : "not blocking");
  }
}

INSTANTIATE_TEST_SUITE_P(AllPolicies, Overcommit, testing::Values("pool", "threads"),
                         [](const auto& p) { return p.param; });

TEST(OvercommitOfNamedNumbers, WorkersThatTheUserHasNamedAreAllThereAre) {
  ledger calls;
  run_waiting("pool:2", 60, tw::farm(tw::map(waits(calls))));
  EXPECT_LE(calls.most_at_once(), 2);
}

TEST(OvercommitOfNamedNumbers, ReplicasThatTheUserHasNamedAreAllThereAre) {
  for (const char* policy : {"pool", "threads"}) {
    ledger calls;
    run_waiting(policy, 60, tw::farm(tw::map(waits(calls)), {.replicas = 2}));
    EXPECT_LE(calls.most_at_once(), 2) << policy;
  }
}

// Which replica gets an item depends on how many there are.
TEST(OvercommitOfNamedNumbers, FarmsThatDealItemsOutStayAsTheyAre) {
  for (const char* policy : {"pool", "threads"}) {
    ledger calls;
    std::mutex lock;
    std::set<std::size_t> seen;
    const auto by = tw::route<long>([&](const long& x, std::size_t n) {
      const std::lock_guard hold(lock);
      seen.insert(n);
      return static_cast<std::size_t>(x) % n;
    });
    run_waiting(policy, 60, tw::farm(tw::map(waits(calls)), {.schedule = by}));
    EXPECT_EQ(seen.size(), 1) << policy;
  }
}

TEST(OvercommitOfNamedNumbers, ASizeGivenInTheMiddleOfTheRunStays) {
  for (const char* policy : {"pool", "threads"}) {
    ledger calls;
    long next = 0;
    auto run = tw::launch(tw::source([&]() -> std::optional<long> {
                            if (next == 60) return std::nullopt;
                            std::this_thread::sleep_for(next == 0 ? 50ms : 0ms);  // until it is resized
                            return next++;
                          }) | tw::farm(tw::map(waits(calls)), {.name = "slow"}) |
                              tw::sink([](long) {}),
                          tw::policy_from(policy));
    run.set_replicas("slow", 1);
    run.wait();
    EXPECT_EQ(calls.most_at_once(), 1) << policy;
  }
}

}  // namespace
