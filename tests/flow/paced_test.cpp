// Paced sources: due times, latency from due, pauses.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "support/eventually.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

class Paced : public under_every_policy {};
FOR_EVERY_POLICY(Paced);

TEST_P(Paced, ItemsAreNotGivenBeforeTheyAreDue) {
  std::vector<steady_clock::time_point> given;
  std::vector<int> seen;
  // The schedule begins a little later than this, and a little before the first item: how late that one comes
  // is up to the machine, so the others are not held to it.
  const auto before = steady_clock::now();
  tw::run(tw::paced(
              [&]() -> std::optional<int> {
                if (given.size() == 60) return {};
                given.push_back(steady_clock::now());
                return static_cast<int>(given.size()) - 1;
              },
              2000.0) |
              tw::farm([](int x) { return x; }, {.replicas = 2}) | tw::sink(seen),
          policy());
  ASSERT_EQ(given.size(), 60U);
  for (std::size_t k = 1; k < given.size(); ++k) {
    EXPECT_GE(given[k] - before, k * 500us) << "the " << k << "th came early";
  }
  ASSERT_EQ(seen.size(), 60U);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

// Items so dense that a source which spins does not sleep between them.
TEST(PacedOptions, ASourceThatShallNotSpinSleeps) {
  const auto sleeps = [&](bool spin) {
    int n = 0;
    long first = 0, last = 0;
    tw::run(tw::paced(
                [&]() -> std::optional<int> {
                  rusage use{};
                  getrusage(RUSAGE_THREAD, &use);
                  if (n == 0) first = use.ru_nvcsw;
                  last = use.ru_nvcsw;
                  return n < 2'000 ? std::optional(n++) : std::nullopt;
                },
                40'000.0, {.spin = spin}) |
                tw::sink([](int) {}),
            tw::sequential{});
    EXPECT_EQ(n, 2'000);
    return last - first;
  };
  EXPECT_TRUE(eventually([&] { return sleeps(false) > 10; }));
  EXPECT_TRUE(eventually([&] { return sleeps(true) < 5; }));
}

TEST(PacedOptions, OthersThanPacedSourcesDoNotSpin) {
  const auto problem = [](auto&& job) -> std::string {
    try {
      tw::run(job, tw::sequential{});
    } catch (const tw::invalid_job& e) {
      return e.what();
    }
    return "";
  };
  auto numbers = tw::source(std::vector{1});
  EXPECT_THAT(problem(numbers | tw::sink([](int) {}, {.name = "end", .spin = false})),
              testing::HasSubstr("stage 'end': follows no schedule, so .spin does nothing"));
  EXPECT_THAT(problem(tw::source(std::vector{1}, {.spin = false}) | tw::sink([](int) {})),
              testing::HasSubstr(".spin does nothing"));
}

TEST_P(Paced, FallingBehindIsCaughtUp) {
  // The first item takes as long as all others have to come; they follow without a wait between.
  int n = 0;
  const auto r = tw::run(
      tw::paced([&]() -> std::optional<int> { return n < 100 ? std::optional(n++) : std::nullopt; }, 2000.0) |
          tw::map([](int x) {
            if (x == 0) std::this_thread::sleep_for(60ms);
            return x;
          }) |
          tw::sink([](int) {}),
      policy());
  EXPECT_EQ(r.items(), 100U);
  EXPECT_GE(r.elapsed(), 60ms);
  // The first half was due within 25 ms, and none of it could be taken before 60 ms were over.
  EXPECT_GE(r.latency().p50(), 30ms) << "60 ms of waiting did not put off what was due meanwhile";
}

TEST_P(Paced, LatencyCountsFromTheDueTime) {
  // Items that wait behind a slow one are late though they are handled quickly once their turn comes.
  int n = 0;
  const auto r = tw::run(
      tw::paced([&]() -> std::optional<int> { return n < 50 ? std::optional(n++) : std::nullopt; }, 5000.0) |
          tw::map([](int x) {
            if (x == 0) std::this_thread::sleep_for(50ms);
            return x;
          }) |
          tw::sink([](int) {}),
      policy());
  EXPECT_TRUE(r.latency().from_due());
  EXPECT_FALSE(r.latency().sampled());
  EXPECT_EQ(r.latency().count(), 50U) << "each item is timed";
  EXPECT_GE(r.latency().max(), 50ms);
  EXPECT_GE(r.latency().p50(), 30ms) << "25 items were due 5 ms after the first";
}

struct total final : tw::stage {
  tw::in<int> numbers{this, "numbers"};
  tw::out<int> sum{this, "sum"};
  int seen = 0;
  void on_item(tw::in<int>&, int x) { seen += x; }
  void on_end() override { sum.send(seen); }
};

// What an end hook sends has no due time, so it has that of the newest item.
TEST_P(Paced, LatencyOfWhatEndHooksSend) {
  const auto numbers = [](int many) {
    return tw::paced([many, n = 0]() mutable { return n < many ? std::optional(n++) : std::nullopt; },
                     20'000.0);
  };
  const auto add = [] { return tw::reduce(0, [](int sum, int x) { return sum + x; }); };
  const auto by_digit = [] { return tw::key_by([](const int& x) { return x % 10; }); };
  const auto ignore = [](const auto&) {};
  const auto expect = [](const tw::report& r, std::uint64_t items) {
    EXPECT_EQ(r.latency().count(), items);
    EXPECT_LE(r.latency().max(), r.elapsed()) << "all were due in this run";
  };
  expect(tw::run(numbers(50) | add() | tw::sink(ignore), policy()), 1);
  expect(tw::run(numbers(0) | add() | tw::sink(ignore), policy()), 1);
  expect(tw::run(numbers(50) | tw::map(std::negate<>()) | add() | tw::map(std::negate<>()) | tw::sink(ignore),
                 policy()),
         1);
  expect(tw::run(numbers(50) | by_digit() | add() | tw::sink(ignore), policy()), 10);
  expect(tw::run(numbers(50) | by_digit() | tw::farm(add(), {.replicas = 2}) | tw::sink(ignore), policy()),
         10);

  for (const int many : {0, 50}) {
    tw::graph g;
    auto& t = g.add<total>();
    g.connect(g.add(numbers(many)).out, t.numbers);
    g.connect(t.sum, g.add(tw::sink([](int) {})).in);
    expect(tw::run(g, policy()), 1);
  }
}

TEST_P(Paced, LatencyPassesFarmsFiltersAndEveryChild) {
  int n = 0;
  const auto r =
      tw::run(tw::paced([&]() -> std::optional<int> { return n < 30 ? std::optional(n++) : std::nullopt; },
                        10'000.0) |
                  tw::farm(tw::filter([](int x) { return x % 3 != 0; }) |
                               tw::flat_map([](int x, tw::emitter<int>& out) {
                                 out(x);
                                 out(x);
                               }),
                           {.replicas = 2}) |
                  tw::map([](int x) { return x; }) | tw::sink([](int) {}),
              policy());
  EXPECT_EQ(r.items(), 40U);
  EXPECT_EQ(r.latency().count(), 40U);
  EXPECT_LE(r.latency().max(), r.elapsed());
}

TEST_P(Paced, AGroupIsAsOldAsItsOldestItem) {
  int n = 0;
  const auto r = tw::run(
      tw::paced([&]() -> std::optional<int> { return n < 40 ? std::optional(n++) : std::nullopt; }, 1000.0) |
          tw::batch(20) | tw::sink([](const std::vector<int>&) {}),
      policy());
  EXPECT_EQ(r.latency().count(), 2U);
  EXPECT_GE(r.latency().min(), 19ms * 98 / 100);
}

TEST_P(Paced, APauseFreezesTheSchedule) {
  std::atomic<int> given{0};
  auto e = tw::launch(
      tw::paced([&]() -> std::optional<int> { return given < 200 ? std::optional(given++) : std::nullopt; },
                2000.0) |
          tw::farm([](int x) { return x; }) | tw::sink([](int) {}),
      policy());
  ASSERT_TRUE(eventually([&] { return given >= 20; }));
  e.pause();
  std::this_thread::sleep_for(300ms);
  const int before = given;
  e.resume();
  const auto resumed = steady_clock::now();
  ASSERT_TRUE(eventually([&] { return given == 200; }));
  // Had the schedule run on, the rest would have been due already. (What was late when the pause came is
  // still late: a slow machine has some of that.)
  EXPECT_GE(steady_clock::now() - resumed, (200 - before - 3) * 500us / 2);
  const auto r = e.wait();
  EXPECT_GE(r.paused(), 300ms);
  EXPECT_EQ(r.items(), 200U);
}

TEST_P(Paced, APauseBetweenTheTriesOfACallDoesNotBeginThemAnew) {
  std::atomic<tw::execution*> run = nullptr;
  int tries = 0;
  auto e = tw::launch(tw::paced(
                          [&]() -> std::optional<int> {
                            if (++tries == 2) {
                              (void)eventually([&] { return run != nullptr; });
                              run.load()->pause();
                            }
                            if (tries <= 4) throw std::runtime_error("not yet");
                            return std::nullopt;
                          },
                          1000.0, {.on_error = tw::retry(3).then(tw::skip)}) |
                          tw::sink([](int) {}),
                      policy());
  run = &e;
  std::this_thread::sleep_for(20ms);
  e.resume();
  const auto r = e.wait();
  EXPECT_EQ(r.stages().front().retries(), 3U);
  EXPECT_EQ(r.stages().front().skipped(), 1U);
}

TEST_P(Paced, APauseBeforeTheFirstItemMovesNothing) {
  std::atomic<int> given{0};
  auto e = tw::launch(
      tw::paced([&]() -> std::optional<int> { return given < 3 ? std::optional(given++) : std::nullopt; },
                1000.0) |
          tw::sink([](int) {}),
      policy());
  e.pause();
  std::this_thread::sleep_for(20ms);
  e.resume();
  const auto r = e.wait();
  EXPECT_EQ(r.items(), 3U);
  EXPECT_EQ(r.latency().count(), 3U);
}

TEST_P(Paced, StopWakesASourceThatWaitsForItsTime) {
  int n = 0;
  auto e = tw::launch(tw::paced([&]() -> std::optional<int> { return n++; }, 0.001) | tw::sink([](int) {}),
                      policy());
  std::this_thread::sleep_for(5ms);
  e.stop();
  EXPECT_LE(e.wait().items(), 1U);  // the next would be due in a quarter of an hour
}

TEST_P(Paced, CancelWakesASourceThatWaitsForItsTime) {
  int n = 0;
  auto e = tw::launch(tw::paced([&]() -> std::optional<int> { return n++; }, 0.001) | tw::sink([](int) {}),
                      policy());
  std::this_thread::sleep_for(5ms);
  e.cancel();
  e.wait();
  EXPECT_TRUE(e.done());
}

TEST_P(Paced, AStopTokenReachesItsOperator) {
  std::atomic<bool> waiting{false};
  auto e = tw::launch(tw::paced(
                          [&](std::stop_token stop) -> std::optional<int> {
                            waiting = true;
                            eventually([&] { return stop.stop_requested(); });
                            return std::nullopt;
                          },
                          1000.0) |
                          tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return waiting.load(); }));
  e.stop();
  e.wait();
}

TEST_P(Paced, QuickPausesLoseNothing) {
  int n = 0;
  auto e = tw::launch(
      tw::paced([&]() -> std::optional<int> { return n < 400 ? std::optional(n++) : std::nullopt; },
                20'000.0) |
          tw::sink([](int) {}),
      policy());
  while (!e.done()) {
    e.pause();
    e.resume();
    std::this_thread::yield();
  }
  EXPECT_EQ(e.wait().items(), 400U);
}

TEST_P(Paced, ACallThatIsTriedAgainKeepsItsDueTime) {
  int n = 0;
  bool failed = false;
  std::vector<int> seen;
  const auto r = tw::run(tw::paced(
                             [&]() -> std::optional<int> {
                               if (n == 1 && !std::exchange(failed, true))
                                 throw std::runtime_error("not yet");
                               return n < 20 ? std::optional(n++) : std::nullopt;
                             },
                             1000.0, {.on_error = tw::retry(3), .name = "clock"}) |
                             tw::sink(seen),
                         policy());
  ASSERT_EQ(seen.size(), 20U);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(r.stage("clock").retries(), 1U);
  EXPECT_TRUE(r.latency().from_due());
  EXPECT_EQ(r.latency().count(), 20U);
  EXPECT_GE(r.elapsed(), 18ms);
}

TEST_P(Paced, ACallIsTriedAgainAtOnceNotAtTheNextDueTime) {
  // The next would be due in a quarter of an hour.
  std::atomic<int> calls{0};
  auto e = tw::launch(tw::paced(
                          [&]() -> std::optional<int> {
                            if (++calls == 1) throw std::runtime_error("not yet");
                            return calls.load();
                          },
                          0.001, {.on_error = tw::retry(3), .name = "clock"}) |
                          tw::sink([](int) {}),
                      policy());
  EXPECT_TRUE(eventually([&] { return calls >= 2; }, 20s));
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(r.items(), 1U);
  EXPECT_EQ(r.stage("clock").retries(), 1U);
}

TEST_P(Paced, TheReportSaysThatTheScheduleIsTheLimit) {
  int n = 0;
  const auto r =
      tw::run(tw::paced([&]() -> std::optional<int> { return n < 200 ? std::optional(n++) : std::nullopt; },
                        1000.0, {.name = "clock"}) |
                  tw::sink([](int) {}),
              policy());
  EXPECT_EQ(r.bottleneck().reason, tw::limited_by::schedule) << r.bottleneck().advice;
}

TEST_P(Paced, TheTimeUntilTheNextItemIsDueIsNobodysWork) {
  int n = 0;
  const auto work_a_little = [](int) {
    for (const auto until = std::chrono::steady_clock::now() + 200us;
         std::chrono::steady_clock::now() < until;) {
    }
  };
  const auto r =
      tw::run(tw::paced([&]() -> std::optional<int> { return n < 100 ? std::optional(n++) : std::nullopt; },
                        500.0, {.name = "clock"}) |
                  tw::sink(work_a_little),
              policy());
  EXPECT_EQ(r.bottleneck().reason, tw::limited_by::schedule) << r.bottleneck().advice;
  EXPECT_LT(nlohmann::json::parse(r.to_json()).at("work").at("busy_ns").get<double>(),
            0.7 * static_cast<double>(r.elapsed().count()));
}

TEST_P(Paced, ASourceMayEndBeforeItsFirstItem) {
  const auto r =
      tw::run(tw::paced([]() -> std::optional<int> { return {}; }, 100.0) | tw::sink([](int) {}), policy());
  EXPECT_EQ(r.items(), 0U);
}

TEST_P(Paced, AJobRunsAgainWithANewSchedule) {
  const auto job =
      tw::paced([n = 0]() mutable -> std::optional<int> { return n < 5 ? std::optional(n++) : std::nullopt; },
                5000.0) |
      tw::sink([](int) {});
  for (int i = 0; i < 3; ++i) {
    const auto r = tw::run(job, policy());
    EXPECT_EQ(r.items(), 5U);
    EXPECT_GE(r.elapsed(), 700us);
    std::this_thread::sleep_for(3ms);
  }
}

TEST_P(Paced, ItsRateChangesWhileItRuns) {
  tw::pace pace(0.1);  // the second item would come after ten seconds
  std::atomic<int> given{0};
  auto e = tw::launch(tw::paced([&]() -> std::optional<int> { return given++; }, pace) | tw::sink([](int) {}),
                      policy());
  EXPECT_TRUE(eventually([&] { return given >= 1; }, 20s));
  const auto changed = steady_clock::now();
  pace.set(2'000.0);
  EXPECT_TRUE(eventually([&] { return given >= 100; }, 9s));
  EXPECT_GE(steady_clock::now() - changed, 45ms);
  e.stop();
  e.wait();
}

TEST_P(Paced, WhatIsLateIsPassedOverIfThatIsAskedFor) {
  tw::pace pace(tw::rate(1'000.0), tw::when_late::skip);
  std::vector<steady_clock::time_point> given;
  const auto r = tw::run(tw::paced(
                             [&]() -> std::optional<int> {
                               given.push_back(steady_clock::now());
                               if (given.size() == 3) std::this_thread::sleep_for(100ms);
                               return given.size() == 20 ? std::nullopt : std::optional(0);
                             },
                             pace) |
                             tw::sink([](int) {}),
                         policy());
  EXPECT_EQ(r.items(), 19U);
  EXPECT_GE(pace.passed_over(), 95U);
  EXPECT_GE(r.elapsed(), 110ms);  // the sixteen behind the late one are not made up for
}

TEST_P(Paced, InAClosedLoopTheScheduleWaitsForTheSource) {
  int n = 0;
  const auto r = tw::run(tw::paced(
                             [&]() -> std::optional<int> {
                               if (n == 1) std::this_thread::sleep_for(50ms);
                               return n == 60 ? std::nullopt : std::optional(n++);
                             },
                             tw::pace(tw::rate(1'000.0), tw::when_late::closed_loop)) |
                             tw::sink([](int) {}),
                         policy());
  EXPECT_EQ(r.items(), 60U);
  EXPECT_GE(r.elapsed(), 105ms);  // an open loop takes 60
}

TEST_P(Paced, ATraceOfMomentsEndsTheStream) {
  const auto file = testing::TempDir() + "moments_" + std::to_string(::getpid());
  std::ofstream(file) << "0\n0.01\n0.01\n0.03\n";
  int n = 0;
  std::vector<int> seen;
  const auto r = tw::run(
      tw::paced([&] { return std::optional(n++); }, tw::rate::trace(file)) | tw::sink(seen), policy());
  EXPECT_EQ(seen, (std::vector{0, 1, 2, 3}));
  EXPECT_GE(r.elapsed(), 29ms);
  std::filesystem::remove(file);
}

}  // namespace
