#include <thalweg/stages/rate_meter.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class RateMeter : public under_every_policy {
 protected:
  struct said {
    double rate;
    std::uint64_t total;
    steady_clock::time_point when = steady_clock::now();
  };
  std::vector<said> log;
  std::atomic<std::size_t> spoken{0};  // the length of the log, for other threads
  const steady_clock::time_point began = steady_clock::now();

  auto meter(std::chrono::nanoseconds interval, tw::options opts = {}) {
    return tw::rate_meter(
        [this](double rate, std::uint64_t total) {
          log.push_back({rate, total});
          ++spoken;
        },
        interval, std::move(opts));
  }
  /// Whether a stream goes on until so many calls have come. Only a hang takes half a minute.
  [[nodiscard]] bool until(std::size_t enough) const {
    return spoken < enough && steady_clock::now() - began < 30s;
  }
};
FOR_EVERY_POLICY(RateMeter);

TEST_P(RateMeter, PassesEverythingOnAndSpeaksAtTheEnd) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 10'000)) | meter(1h) | tw::sink(seen), policy());
  ASSERT_EQ(seen.size(), 10'000U);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].total, 10'000U);
  EXPECT_GT(log[0].rate, 0);
}

TEST_P(RateMeter, OfAnEmptyStreamSpeaksOnce) {
  tw::run(tw::source(std::vector<int>{}) | meter(1h) | tw::sink([](int) {}), policy());
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].total, 0U);
  EXPECT_EQ(log[0].rate, 0);
}

TEST_P(RateMeter, SpeaksOncePerIntervalOfABusyStream) {
  std::uint64_t items = 0;
  tw::run(tw::source([&]() -> std::optional<int> {
            if (!until(20)) return {};
            ++items;
            return 1;
          }) | meter(10ms) |
              tw::sink([](int) {}),
          policy());
  const auto took = steady_clock::now() - began;
  EXPECT_GE(log.size(), 20U) << "it is not called while items come";
  EXPECT_LE(log.size(), static_cast<std::size_t>(took / 10ms) + 2);
  EXPECT_EQ(log.back().total, items);
  EXPECT_TRUE(std::ranges::is_sorted(log, {}, &said::total));
}

// Each rate is that of the time since the call before, so the number of items that passed, divided by it,
// gives that time. Together these times are as long as the stream: each call is made up later than the one
// before it returned, and before it comes.
TEST_P(RateMeter, TheRatesAddUpToTheTotal) {
  int n = 0;
  tw::run(
      tw::paced([&]() -> std::optional<int> { return until(6) ? std::optional(n++) : std::nullopt; }, 2000) |
          meter(20ms) | tw::sink([](int) {}),
      policy());
  ASSERT_GE(log.size(), 6U);
  std::chrono::duration<double> least{0}, most{0};
  for (std::size_t i = 1; i < log.size(); ++i) {
    const auto passed = static_cast<double>(log[i].total - log[i - 1].total);
    const std::chrono::duration<double> could_be = log[i].when - (i > 1 ? log[i - 2].when : began);
    if (passed == 0) {
      EXPECT_EQ(log[i].rate, 0);
      most += could_be;
      continue;
    }
    ASSERT_GT(log[i].rate, 0);
    const std::chrono::duration<double> between(passed / log[i].rate);
    EXPECT_LE(between.count(), could_be.count() * 1.000001);
    least += between;
    most += between;
  }
  EXPECT_LE(least, log.back().when - began);
  EXPECT_GE(most * 1.000001, log[log.size() - 2].when - log[0].when);
  EXPECT_EQ(log.back().total, static_cast<std::uint64_t>(n));
}

TEST_P(RateMeter, SpeaksWhenNothingComes) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  static constexpr int few = 4;  // that find room though the one worker of pool:1 is in the source
  std::atomic<int> calls{0};
  std::atomic<bool> silent{false};
  auto e = tw::launch(tw::source([n = 0](std::stop_token stop) mutable -> std::optional<int> {
                        if (n++ < few) return n;
                        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
                        return {};
                      }) |
                          tw::rate_meter(
                              [&](double rate, std::uint64_t total) {
                                ++calls;
                                if (rate == 0 && total == few) silent = true;
                              },
                              5ms) |
                          tw::sink([](int) {}),
                      policy());
  EXPECT_TRUE(eventually([&] { return calls > 5 && silent; }));
  e.stop();
  e.wait();
}

TEST_P(RateMeter, SpeaksBeforeTheFirstItemHasCome) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  std::atomic<int> calls{0};
  auto e = tw::launch(tw::source([](std::stop_token stop) -> std::optional<int> {
                        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
                        return {};
                      }) | tw::rate_meter([&](double, std::uint64_t) { ++calls; }, 5ms) |
                          tw::sink([](int) {}),
                      policy());
  EXPECT_TRUE(eventually([&] { return calls > 2; }));
  e.stop();
  e.wait();
}

TEST_P(RateMeter, SpeaksInTheMiddleOfALongCall) {
  // All items come out of one call: no timer is looked at before it has ended, under a policy of one thread.
  std::atomic<int> calls{0};
  int during = 0;
  const auto begin = steady_clock::now();
  tw::run(tw::source(std::vector{1}) | tw::flat_map([&](int, tw::emitter<int>& out) {
            while (calls < 5 && steady_clock::now() - begin < 30s) out.send(1);
            during = calls;
          }) | tw::rate_meter([&](double, std::uint64_t) { ++calls; }, 10ms) |
              tw::sink([](int) {}),
          policy());
  EXPECT_GE(during, 5) << "all at the end";
}

TEST_P(RateMeter, WhatItsHandlerThrowsEndsTheRun) {
  for (const auto interval : {std::chrono::nanoseconds(1h), std::chrono::nanoseconds(1ms)}) {
    const auto begin = steady_clock::now();
    const auto f = failure_of([&] {
      tw::run(tw::source([&]() -> std::optional<int> {
                return steady_clock::now() - begin < 30ms ? std::optional(1) : std::nullopt;
              }) |
                  tw::rate_meter([](double, std::uint64_t) { throw std::runtime_error("no"); }, interval,
                                 {.name = "meter"}) |
                  tw::sink([](int) {}),
              policy());
    });
    EXPECT_EQ(f.stage, "meter");
    EXPECT_EQ(f.cause, "no");
  }
}

TEST_P(RateMeter, InAnUnorderedFarmEachReplicaHasItsOwn) {
  std::mutex one_at_a_time;
  std::uint64_t items = 0;
  tw::run(tw::source(std::views::iota(0, 1000)) |
              tw::farm(tw::rate_meter(
                           [&](double, std::uint64_t total) {
                             const std::lock_guard hold(one_at_a_time);
                             items += total;
                           },
                           1h),
                       {.replicas = 3, .unordered = true}) |
              tw::sink([](int) {}),
          policy());
  EXPECT_EQ(items, 1000U);
}

TEST(RateMeterCheck, BadOptionsAreRefused) {
  const std::function<void(double, std::uint64_t)> null;
  const auto problems = problems_of([&] {
    tw::run(tw::source(std::vector{1}) | tw::rate_meter([](double, std::uint64_t) {}, 0s) |
            tw::rate_meter(null, 1s) |
            tw::rate_meter([](double, std::uint64_t) {}, 1s, {.on_error = tw::skip}) |
            tw::farm(tw::rate_meter([](double, std::uint64_t) {}, 1s)) | tw::sink([](int) {}));
  });
  EXPECT_THAT(problems, ElementsAre(HasSubstr("'rate_meter-1': its interval must be positive"),
                                    HasSubstr("'rate_meter-2': its handler is null"),
                                    HasSubstr("'rate_meter-3': its handler is not called for single items"),
                                    HasSubstr("'rate_meter-4': is a rate_meter in a farm")));
}

}  // namespace
