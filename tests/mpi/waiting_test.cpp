// What waits, and for whom: a source for its next item, a rank for messages, items in front of busy workers.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "mpi/ranks.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

// An item comes when the one before has come to the sink, or gives up after a minute.
struct one_at_a_time {
  std::atomic<int> came{0};
  std::atomic<bool> gave_up{false};

  auto source(int items) {
    return tw::source([this, n = 0, items]() mutable -> std::optional<int> {
      const auto end = std::chrono::steady_clock::now() + 1min;
      while (came < n && !gave_up) {
        if (std::chrono::steady_clock::now() > end) gave_up = true;
        std::this_thread::sleep_for(100us);
      }
      return n < items && !gave_up ? std::optional(n++) : std::nullopt;
    });
  }
  auto sink() {
    return tw::sink([this](int) { ++came; });
  }
};

TEST(Waiting, ASourceThatWaitsInItsCallDoesNotHoldItsRank) {
  one_at_a_time items;
  tw::run(items.source(20) | tw::farm([](int x) { return x; }, {.replicas = 1}) | items.sink(),
          ranks::policy({.local = tw::pool{.workers = 1}}));
  EXPECT_FALSE(items.gave_up);
  if (ranks::root()) {
    EXPECT_EQ(items.came, 20);
  }
}

// The only worker of a rank is in an operator that waits for what another stage of that rank gives it.
TEST(Waiting, AnOperatorThatWaitsDoesNotHoldItsRank) {
  std::atomic<int> came{0};
  std::atomic<bool> gave_up{false};
  const auto wait_for_first = [&](int x) {
    const auto end = std::chrono::steady_clock::now() + 1min;
    while (x == 1 && came == 0 && !gave_up) {
      if (std::chrono::steady_clock::now() > end) gave_up = true;
      std::this_thread::sleep_for(100us);
    }
    return x;
  };
  const auto numbers = [n = 0]() mutable -> std::optional<int> {
    return n < 2 ? std::optional(n++) : std::nullopt;
  };
  tw::mpi_options how{.local = tw::pool{.workers = 1}, .credits = 1};
  if (ranks::count() > 1) how.place = {{"there", {1}}, {"here", {0}}};
  tw::run(tw::source(numbers) | tw::map(wait_for_first, {.name = "here"}) |
              tw::map([](int x) { return x; }, {.name = "there"}) | tw::sink([&](int) { ++came; }),
          ranks::policy(how));
  EXPECT_FALSE(gave_up);
  if (ranks::root()) {
    EXPECT_EQ(came, 2);
  }
}

TEST(Waiting, TheWorkersOfLocalAreKnownToAllRanks) {
  one_at_a_time items;
  const auto r = tw::run(items.source(3) | tw::farm([](int x) { return x; }, {.name = "work"}) | items.sink(),
                         ranks::policy({.local = tw::pool{.workers = 3}}));
  if (!ranks::root() || ranks::count() == 1) return;
  // Where there are more ranks than cores the first one leaves the work to the others.
  const bool crowded = std::thread::hardware_concurrency() < static_cast<unsigned>(ranks::count());
  EXPECT_EQ(r.stage("work").replicas(), 3 * (crowded ? ranks::count() - 1 : ranks::count()));
}

// How often the calling process' first thread has gone to sleep.
long sleeps_of_first_thread() {
  std::ifstream status("/proc/self/task/" + std::to_string(getpid()) + "/status");
  for (std::string word; status >> word;) {
    if (word != "voluntary_ctxt_switches:") continue;
    long n = 0;
    status >> n;
    return n;
  }
  return 0;
}

// The thread that called `run` speaks to the others.
TEST(Waiting, WithSpinTheCommunicationThreadDoesNotSleep) {
  if (ranks::count() == 1) GTEST_SKIP() << "needs several ranks";
  constexpr int items = 100;
  long before = 0, after = 0;
  const auto numbers = [n = 0]() mutable -> std::optional<int> {
    std::this_thread::sleep_for(2ms);
    return n < items ? std::optional(n++) : std::nullopt;
  };
  tw::run(tw::source(numbers) | tw::farm([](int x) { return x; }, {.replicas = 1}) | tw::sink([&](int x) {
            if (x == 10) before = sleeps_of_first_thread();
            if (x == items - 1) after = sleeps_of_first_thread();
          }),
          ranks::policy({.spin = true}));
  if (ranks::root()) {
    EXPECT_LT(after - before, items / 4);  // a lock may be taken now and then
  }
}

// Items of 80 ms are sent one by one, and one in advance to a worker is enough: they do not grow old. Where
// the machine does other work, more may be in advance for a while: the best moment of three runs counts.
TEST(Waiting, WhatCostsMuchDoesNotWaitInFrontOfBusyWorkers) {
  if (ranks::count() == 1) GTEST_SKIP() << "needs several ranks";
  constexpr int items = 20;
  int least = std::numeric_limits<int>::max();
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> made{0};
    int seen = 0;
    tw::run(tw::source(
                [&]() -> std::optional<int> { return made < items ? std::optional(made++) : std::nullopt; }) |
                tw::farm(
                    [](int x) {
                      std::this_thread::sleep_for(80ms);
                      return x;
                    },
                    {.replicas = 1}) |
                tw::sink([&](int) {
                  if (++seen > items / 2 && made < items) least = std::min(least, made - seen);
                }),
            ranks::policy({.local = tw::pool{.workers = 1}}));
  }
  // One is being worked on, one waits there, one is ready to be sent, one is being made.
  if (ranks::root()) {
    EXPECT_LE(least, 4);
  }
}

}  // namespace
