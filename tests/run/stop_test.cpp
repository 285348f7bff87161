// A run that goes on: launch, wait, stop, cancel, pause, resume, stats, set_replicas.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
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
using testing::HasSubstr;

namespace {

class Execution : public under_every_policy {};
FOR_EVERY_POLICY(Execution);

auto endless() {
  return tw::source([n = 0]() mutable -> std::optional<int> { return n++; });
}
auto count_to(int n) {
  return tw::source(
      [i = 0, n]() mutable -> std::optional<int> { return i < n ? std::optional(i++) : std::nullopt; });
}
int same(int x) {
  return x;
}

// --- launch and wait ---

TEST_P(Execution, LaunchReturnsAtOnce) {
  std::atomic<bool> open{false};
  int n = 0;
  auto e = tw::launch(tw::source([&, i = 0]() mutable -> std::optional<int> {
                        eventually([&] { return open.load(); });
                        return i < 10 ? std::optional(i++) : std::nullopt;
                      }) | tw::sink([&](int) { ++n; }),
                      policy());
  EXPECT_FALSE(e.done());
  open = true;
  EXPECT_EQ(e.wait().items(), 10U);
  EXPECT_EQ(n, 10);
  EXPECT_TRUE(e.done());
}

TEST_P(Execution, WaitMayBeCalledAgain) {
  auto e = tw::launch(count_to(100) | tw::sink([](int) {}), policy());
  const auto first = e.wait();
  const auto second = e.wait();
  EXPECT_EQ(first.items(), 100U);
  EXPECT_EQ(second.items(), 100U);
  EXPECT_EQ(first.elapsed(), second.elapsed());
  EXPECT_TRUE(second.final());
}

TEST_P(Execution, SeveralThreadsMayWait) {
  auto e = tw::launch(count_to(5000) | tw::farm(same) | tw::sink([](int) {}), policy());
  std::vector<std::jthread> waiters;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) {
    waiters.emplace_back([&] {
      if (e.wait().items() == 5000) ++right;
    });
  }
  waiters.clear();
  EXPECT_EQ(right, 4);
}

TEST_P(Execution, IsMovable) {
  auto e = tw::launch(endless() | tw::sink([](int) {}), policy());
  tw::execution moved = std::move(e);
  moved.stop();
  EXPECT_GE(moved.wait().items(), 0U);
  std::vector<tw::execution> all;
  all.push_back(std::move(moved));
  EXPECT_TRUE(all.back().done());
}

TEST_P(Execution, AnotherOneMayTakeItsPlace) {
  std::atomic<int> a{0};
  std::atomic<int> b{0};
  auto e = tw::launch(endless() | tw::sink([&](int) { ++a; }), policy());
  e = tw::launch(count_to(10) | tw::sink([&](int) { ++b; }),
                 policy());  // cancels the first, and waits for it
  const int after = a;
  e.wait();
  EXPECT_EQ(b, 10);
  EXPECT_EQ(a, after) << "the first run has ended";
}

TEST_P(Execution, DestroyedBeforeWaitIsCancelledAndWaitedFor) {
  auto resource = std::make_shared<int>(1);
  {
    auto e = tw::launch(
        endless() | tw::farm([resource](int x) { return x + *resource; }) | tw::sink([](int) {}), policy());
  }
  EXPECT_EQ(resource.use_count(), 1);
}

TEST_P(Execution, CanBeWaitedForForAWhile) {
  auto e = tw::launch(endless() | tw::sink([](int) {}), policy());
  EXPECT_FALSE(e.wait_for(1ms));
  EXPECT_FALSE(e.done());
  e.stop();
  std::optional<tw::report> r;
  EXPECT_TRUE(eventually([&] { return (r = e.wait_for(10ms)).has_value(); }));
  EXPECT_EQ(r->items(), e.wait().items());
}

// Guards against a hang.
TEST_P(Execution, AnOperatorThatWaitsForItsOwnRunIsAnError) {
  tw::execution* me = nullptr;
  std::atomic<bool> known{false};
  auto e = tw::launch(endless() | tw::farm([&](int x) {
                        while (!known) std::this_thread::yield();
                        return x == 5 ? static_cast<int>(me->wait().items()) : x;
                      }) | tw::sink([](int) {}),
                      policy());
  me = &e;
  known = true;
  EXPECT_THAT(failure_of([&] { e.wait(); }).cause, testing::HasSubstr("would wait for itself"));
}

// It may wait for others, also for one that it runs itself.
TEST_P(Execution, AnOperatorMayWaitForAnotherRun) {
  std::uint64_t inner = 0;
  tw::run(tw::source(std::vector{1, 2}) | tw::sink([&](int) {
            auto e = tw::launch(tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {}), policy());
            inner += e.wait().items();
          }),
          policy());
  EXPECT_EQ(inner, 6U);
}

TEST_P(Execution, OneThatHasBeenMovedFromSaysSo) {
  auto e = tw::launch(endless() | tw::sink([](int) {}), policy());
  auto f = std::move(e);
  f.stop();
  f.wait();
  const auto refused = [](auto&& call) {
    try {
      call();
    } catch (const tw::error& x) {
      return std::string(x.what()).find("moved from") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { e.wait(); }));
  EXPECT_TRUE(refused([&] { (void)e.wait_for(1ms); }));
  EXPECT_TRUE(refused([&] { e.stop(); }));
  EXPECT_TRUE(refused([&] { e.cancel(); }));
  EXPECT_TRUE(refused([&] { e.pause(); }));
  EXPECT_TRUE(refused([&] { e.resume(); }));
  EXPECT_TRUE(refused([&] { (void)e.stats(); }));
  EXPECT_TRUE(refused([&] { (void)e.done(); }));
  EXPECT_TRUE(refused([&] { e.set_replicas("f", 2); }));
  EXPECT_TRUE(refused([&] { e.set_replicas({{"f", 2}}); }));
}

TEST_P(Execution, DestroyedWhilePausedEnds) {
  auto e = tw::launch(endless() | tw::farm(same) | tw::sink([](int) {}), policy());
  e.pause();
}

TEST_P(Execution, AMoveOnlyJobIsLaunchedAsRvalue) {
  auto e = tw::launch(
      count_to(3) | tw::map([p = std::make_unique<int>(1)](int x) { return x + *p; }) | tw::sink([](int) {}),
      policy());
  EXPECT_EQ(e.wait().items(), 3U);
}

// --- stop ---

TEST_P(Execution, StopEndsTheSourcesAndDrainsTheRest) {
  std::atomic<int> made{0};
  std::vector<int> seen;
  auto e = tw::launch(tw::source([&]() -> std::optional<int> { return made++; }) |
                          tw::farm(
                              [](int x) {
                                spin_for(2us);
                                return x;
                              },
                              {.replicas = 3}) |
                          tw::map(same) | tw::sink(seen),
                      policy());
  ASSERT_TRUE(eventually([&] { return made > 500; }));
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(made)) << "all that was made must arrive";
  EXPECT_EQ(r.items(), seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i));
}

TEST_P(Execution, StopRunsTheEndHooks) {
  struct summing {
    int sum = 0;
    int operator()(int) { return ++sum; }
    void on_end(tw::emitter<int>& out) { out(-sum); }
  };
  std::vector<int> seen;
  auto e = tw::launch(endless() | tw::map(summing{}) | tw::sink(seen), policy());
  std::this_thread::sleep_for(5ms);
  e.stop();
  e.wait();
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), -static_cast<int>(seen.size() - 1));
}

TEST_P(Execution, StopEndsAnEmittingSource) {
  std::atomic<int> sent{0};
  std::atomic<bool> thrown{false};
  std::vector<int> seen;
  auto e = tw::launch(tw::source([&](tw::emitter<int>& out) {
                        try {
                          for (int i = 0;; ++i) {
                            out(i);
                            ++sent;
                          }
                        } catch (const tw::cancelled&) {
                          thrown = true;
                          throw;
                        }
                      }) | tw::farm(same, {.replicas = 2}) |
                          tw::sink(seen),
                      policy());
  ASSERT_TRUE(eventually([&] { return sent > 500; }));
  e.stop();
  e.wait();
  EXPECT_TRUE(thrown);
  EXPECT_GE(seen.size(), static_cast<std::size_t>(sent)) << "what was sent must arrive";
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i));
}

TEST_P(Execution, AnEmittingSourceMayLookWhetherItShallStop) {
  std::atomic<int> sent{0};
  std::atomic<int> seen{0};
  auto e = tw::launch(tw::source([&](tw::emitter<int>& out) {
                        while (!out.stop_requested()) {
                          out(sent);
                          ++sent;
                        }
                      }) | tw::sink([&](int) { ++seen; }),
                      policy());
  ASSERT_TRUE(eventually([&] { return sent > 100; }));
  e.stop();
  e.wait();
  // The last one may have been sent when the run was stopped already; all before it arrive.
  EXPECT_GE(seen, sent - 1);
}

TEST_P(Execution, AStopTokenWakesASourceThatWaits) {
  std::mutex lock;
  std::condition_variable_any changed;
  std::atomic<bool> waiting{false};
  std::vector<int> seen;
  auto e = tw::launch(tw::source([&, n = 0](std::stop_token stop) mutable -> std::optional<int> {
                        if (n < 3) return n++;
                        std::unique_lock hold(lock);
                        waiting = true;
                        changed.wait(hold, stop, [] { return false; });
                        return std::nullopt;
                      }) | tw::farm(same) |
                          tw::sink(seen),
                      policy());
  ASSERT_TRUE(eventually([&] { return waiting.load(); }));
  e.stop();
  EXPECT_EQ(e.wait().items(), 3U);
  EXPECT_EQ(seen.size(), 3U);
}

TEST_P(Execution, StopDoesNotRequestTheTokensOfOtherStages) {
  std::atomic<bool> asked{false};
  auto e = tw::launch(endless() | tw::map([&](int x, std::stop_token stop) {
                        if (stop.stop_requested()) asked = true;
                        return x;
                      }) | tw::sink([](int) {}),
                      policy());
  std::this_thread::sleep_for(5ms);
  e.stop();
  e.wait();
  EXPECT_FALSE(asked) << "they have items to drain";
}

TEST_P(Execution, AnExpansionMayLookWhetherTheRunIsStopping) {
  std::atomic<bool> some{false};
  std::atomic<long> sent{0};
  const auto for_ever = [&](int, tw::emitter<int>& out) {
    while (!out.stopping()) {
      out(0);
      ++sent;
    }
    EXPECT_TRUE(out.stopping_token().stop_requested());
    EXPECT_FALSE(out.stop_requested()) << "nothing forces it to end";
    out(1);  // comes through
    ++sent;
  };
  const auto look = tw::sink([&](int) { some = true; });
  for (const bool farmed : {false, true}) {
    some = false;
    sent = 0;
    auto e = farmed ? tw::launch(count_to(3) | tw::farm(tw::flat_map(for_ever)) | look, policy())
                    : tw::launch(count_to(3) | tw::flat_map(for_ever) | look, policy());
    ASSERT_TRUE(eventually([&] { return some.load(); }));
    e.stop();
    const auto came = e.wait().items();
    EXPECT_EQ(came, static_cast<std::uint64_t>(sent)) << "nothing that was sent is lost";
  }
}

TEST_P(Execution, AnExpansionThatSendsAllAtItsEndLooksToo) {
  std::atomic<bool> begun{false};
  const auto for_ever = [&](int, tw::emitter<int>& out) {
    out(1);
    begun = true;
    while (!out.stopping()) std::this_thread::yield();
  };
  auto e = tw::launch(count_to(1) | tw::flat_map(for_ever, {.on_error = tw::skip}) | tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return begun.load(); }));
  e.stop();
  EXPECT_EQ(e.wait().items(), 1U);
}

TEST_P(Execution, WhatEndHooksSendComesAfterAStopToo) {
  struct summed {
    int sum = 0;
    void operator()(int x, tw::emitter<int>&) { sum += x; }
    void on_end(tw::emitter<int>& out) {
      EXPECT_TRUE(out.stopping());
      out(-1);
    }
  };
  std::vector<int> seen;
  std::atomic<int> given{0};
  auto e = tw::launch(tw::source([&]() -> std::optional<int> { return ++given; }) |
                          tw::flat_map<int>(summed{}) | tw::sink(seen),
                      policy());
  ASSERT_TRUE(eventually([&] { return given > 0; }));
  e.stop();
  e.wait();
  EXPECT_EQ(seen, std::vector{-1});
}

TEST_P(Execution, StopOfARunThatHasEndedIsHarmless) {
  auto e = tw::launch(count_to(3) | tw::sink([](int) {}), policy());
  e.wait();
  e.stop();
  e.cancel();
  e.pause();
  e.resume();
  EXPECT_EQ(e.wait().items(), 3U);
}

TEST_P(Execution, StopWhileASourceIsSlowTakesOneCallAtMost) {
  // Fast at first, so that many items are asked for at once; then every call takes 20 ms.
  std::atomic<int> slow{0};
  auto e = tw::launch(tw::source([&, n = 0]() mutable -> std::optional<int> {
                        if (++n > 200'000) {
                          ++slow;
                          std::this_thread::sleep_for(20ms);
                        }
                        return n;
                      }) | tw::map(same) |
                          tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return slow > 0; }));
  const int before = slow;
  e.stop();
  e.wait();
  EXPECT_LE(slow, before + 3);
}

// --- cancel ---

TEST_P(Execution, CancelEndsTheRunWithoutAnError) {
  auto e = tw::launch(endless() | tw::farm(same, {.replicas = 3}) | tw::sink([](int) {}), policy());
  std::this_thread::sleep_for(5ms);
  e.cancel();
  EXPECT_NO_THROW(e.wait());
  EXPECT_TRUE(e.done());
}

TEST_P(Execution, CancelAtOnceAfterLaunch) {
  for (int i = 0; i < 50; ++i) {
    auto e = tw::launch(endless() | tw::farm(same, {.replicas = 3}) | tw::map(same, {.blocking = true}) |
                            tw::sink([](int) {}),
                        policy());
    e.cancel();
    e.wait();
  }
  SUCCEED();
}

TEST_P(Execution, StopAtOnceAfterLaunch) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> made{0};
    int seen = 0;
    auto e = tw::launch(tw::source([&]() -> std::optional<int> { return made++; }) |
                            tw::farm(same, {.replicas = 3}) | tw::map(same, {.blocking = true}) |
                            tw::sink([&](int) { ++seen; }),
                        policy());
    e.stop();
    e.wait();
    ASSERT_EQ(seen, made);
  }
}

TEST_P(Execution, CancelDoesNotDrain) {
  if (one_thread()) GTEST_SKIP() << "nothing waits";
  std::atomic<int> seen{0};
  auto e = tw::launch(count_to(2000) | tw::sink(
                                           [&](int) {
                                             ++seen;
                                             std::this_thread::sleep_for(2ms);
                                           },
                                           {.blocking = true}),
                      policy());
  ASSERT_TRUE(eventually([&] { return seen >= 2; }));
  e.cancel();
  e.wait();
  EXPECT_LT(seen, 1000);
}

TEST_P(Execution, CancelTakesNoLongerThanTheOperatorsThatRun) {
  // Cheap items at first, so that many of them travel together; then each takes 20 ms.
  std::atomic<int> slow{0};
  auto e = tw::launch(endless() |
                          tw::farm(
                              [&](int x) {
                                if (x > 200'000) {
                                  ++slow;
                                  std::this_thread::sleep_for(20ms);
                                }
                                return x;
                              },
                              {.replicas = 2}) |
                          tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return slow > 0; }));
  e.cancel();
  const int before = slow;
  e.wait();
  EXPECT_LE(slow, before + 6);
}

TEST_P(Execution, CancelWakesEveryBlockedStage) {
  std::atomic<int> seen{0};
  auto e = tw::launch(tw::source([](tw::emitter<int>& out) {
                        for (int i = 0;; ++i) out(i);
                      }) | tw::map(same, {.capacity = 2}) |
                          tw::flat_map(
                              [](int x, tw::emitter<int>& out) {
                                for (int i = 0; i < 1000; ++i) out(x);
                              },
                              {.capacity = 2}) |
                          tw::farm(same, {.replicas = 2, .capacity = 2, .blocking = true}) |
                          tw::sink(
                              [&](int) {
                                ++seen;
                                std::this_thread::sleep_for(1ms);
                              },
                              {.capacity = 2, .blocking = true}),
                      policy());
  ASSERT_TRUE(eventually([&] { return seen > 3; }));
  e.cancel();
  e.wait();
  EXPECT_TRUE(e.done());
}

TEST_P(Execution, CancelWhileTheSourceBlocksEndsWhenItsCallReturns) {
  std::atomic<bool> blocked{false};
  std::atomic<bool> release{false};
  std::atomic<bool> returned{false};
  auto e = tw::launch(tw::source([&]() -> std::optional<int> {
                        blocked = true;
                        eventually([&] { return release.load(); });
                        returned = true;
                        return 1;
                      }) | tw::farm(same, {.replicas = 2}) |
                          tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return blocked.load(); }));
  e.cancel();
  EXPECT_FALSE(e.done());
  release = true;
  e.wait();
  EXPECT_TRUE(returned);
}

TEST_P(Execution, CancelRequestsTheTokensOfAllOperators) {
  std::atomic<bool> waiting{false};
  auto e = tw::launch(count_to(1) | tw::map([&](int x, std::stop_token stop) {
                        waiting = true;
                        eventually([&] { return stop.stop_requested(); });
                        return x;
                      }) | tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return waiting.load(); }));
  e.cancel();
  e.wait();
  SUCCEED();
}

TEST_P(Execution, CancelReachesASourceThroughItsToken) {
  std::atomic<bool> waiting{false};
  auto e = tw::launch(tw::source([&](std::stop_token stop) -> std::optional<int> {
                        waiting = true;
                        eventually([&] { return stop.stop_requested(); });
                        return std::nullopt;
                      }) | tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return waiting.load(); }));
  e.cancel();
  e.wait();
  SUCCEED();
}

TEST_P(Execution, APushThatIsCancelledThrowsWhatIsNoStandardException) {
  std::atomic<int> sent{0};
  std::atomic<bool> swallowed{false};
  auto e = tw::launch(tw::source([&](tw::emitter<int>& out) {
                        try {
                          for (int i = 0;; ++i) {
                            out(i);
                            ++sent;
                          }
                        } catch (const std::exception&) {
                          swallowed = true;
                        }
                      }) | tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return sent > 10; }));
  e.cancel();
  e.wait();
  EXPECT_FALSE(swallowed);
}

TEST_P(Execution, CancelIsSeenByALongFlatMap) {
  std::atomic<int> sent{0};
  auto e = tw::launch(count_to(1) | tw::flat_map([&](int x, tw::emitter<int>& out) {
                        for (;;) {
                          out(x);
                          ++sent;
                        }
                      }) | tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return sent > 1000; }));
  e.cancel();
  e.wait();
  EXPECT_TRUE(e.done());
}

TEST_P(Execution, CancelFromAnOperatorsThread) {
  tw::execution* self = nullptr;
  std::atomic<bool> known{false};
  auto e = tw::launch(endless() | tw::map([&](int x) {
                        if (x == 100) {
                          eventually([&] { return known.load(); });
                          self->cancel();
                        }
                        return x;
                      }) | tw::sink([](int) {}),
                      policy());
  self = &e;
  known = true;
  e.wait();
  SUCCEED();
}

TEST_P(Execution, StopFromTheSink) {
  tw::execution* self = nullptr;
  std::atomic<bool> known{false};
  std::vector<int> seen;
  auto e = tw::launch(endless() | tw::farm(same) | tw::sink([&](int x) {
                        seen.push_back(x);
                        if (x == 100) {
                          eventually([&] { return known.load(); });
                          self->stop();
                        }
                      }),
                      policy());
  self = &e;
  known = true;
  EXPECT_GE(e.wait().items(), 101U);
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i));
}

TEST_P(Execution, CancelBeatsStop) {
  std::atomic<int> seen{0};
  auto e = tw::launch(endless() | tw::sink(
                                      [&](int) {
                                        ++seen;
                                        std::this_thread::sleep_for(1ms);
                                      },
                                      {.blocking = true}),
                      policy());
  ASSERT_TRUE(eventually([&] { return seen > 2; }));
  e.stop();
  e.cancel();
  e.wait();
  EXPECT_LT(seen, 1000);
}

// --- pause and resume ---

TEST_P(Execution, PauseStopsTheSourceAndResumeGoesOn) {
  std::atomic<int> made{0};
  std::vector<int> seen;
  auto e = tw::launch(tw::source([&]() -> std::optional<int> { return made++; }) |
                          tw::farm(same, {.replicas = 2}) | tw::sink(seen),
                      policy());
  ASSERT_TRUE(eventually([&] { return made > 100; }));
  for (int i = 0; i < 3; ++i) {
    e.pause();
    // It may be in a run of items; then it stands still.
    int before = -1;
    ASSERT_TRUE(eventually([&] {
      const int now = made;
      std::this_thread::sleep_for(20ms);
      return std::exchange(before, now) == made;
    }));
    e.resume();
    ASSERT_TRUE(eventually([&] { return made > before + 100; })) << "it must go on";
  }
  e.stop();
  e.wait();
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(made));
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i));
}

TEST_P(Execution, WhatIsOnItsWayDrainsDuringAPause) {
  if (one_thread()) GTEST_SKIP() << "nothing is on its way";
  std::atomic<int> made{0};
  std::atomic<int> seen{0};
  auto e = tw::launch(tw::source([&]() -> std::optional<int> { return made++; }) |
                          tw::farm(same, {.replicas = 2}) | tw::sink([&](int) { ++seen; }),
                      policy());
  ASSERT_TRUE(eventually([&] { return made > 1000; }));
  e.pause();
  EXPECT_TRUE(eventually([&] { return seen == made; }));
  e.resume();
  e.stop();
  e.wait();
}

TEST_P(Execution, StopEndsAPausedRun) {
  auto e = tw::launch(endless() | tw::farm(same) | tw::sink([](int) {}), policy());
  e.pause();
  std::this_thread::sleep_for(2ms);
  e.stop();
  e.wait();
  EXPECT_TRUE(e.done());
}

TEST_P(Execution, CancelEndsAPausedRun) {
  auto e = tw::launch(endless() | tw::farm(same) | tw::sink([](int) {}), policy());
  e.pause();
  std::this_thread::sleep_for(2ms);
  e.cancel();
  e.wait();
  EXPECT_TRUE(e.done());
}

TEST_P(Execution, PauseStopsAnEmittingSource) {
  std::atomic<int> sent{0};
  std::atomic<int> seen{0};
  auto e = tw::launch(tw::source([&](tw::emitter<int>& out) {
                        for (;;) {
                          out(sent);
                          ++sent;
                        }
                      }) | tw::sink([&](int) { ++seen; }),
                      policy());
  ASSERT_TRUE(eventually([&] { return sent > 100; }));
  e.pause();
  int before = -1;
  EXPECT_TRUE(eventually([&] {
    const int now = sent;
    std::this_thread::sleep_for(20ms);
    return std::exchange(before, now) == sent;
  }));
  e.resume();
  EXPECT_TRUE(eventually([&] { return sent > before + 100; }));
  e.stop();
  e.wait();
}

TEST_P(Execution, ThePauseIsInTheReport) {
  auto e = tw::launch(endless() | tw::sink([](int) {}), policy());
  std::this_thread::sleep_for(2ms);
  e.pause();
  e.pause();  // again changes nothing
  std::this_thread::sleep_for(30ms);
  EXPECT_GE(e.stats().paused(), 30ms) << "while it lasts";
  e.resume();
  e.resume();
  e.stop();
  const auto r = e.wait();
  EXPECT_GE(r.paused(), 30ms);
  EXPECT_LT(r.paused(), r.elapsed());
}

TEST_P(Execution, APauseThatIsNotResumedIsInTheReportToo) {
  auto e = tw::launch(endless() | tw::sink([](int) {}), policy());
  std::this_thread::sleep_for(2ms);
  e.pause();
  std::this_thread::sleep_for(20ms);
  e.stop();
  EXPECT_GE(e.wait().paused(), 20ms);
}

// --- stats ---

TEST_P(Execution, StatsWhileRunningOnlyGrow) {
  auto e =
      tw::launch(endless() | tw::filter([](int x) { return x % 2 == 0; }, {.name = "even"}) |
                     tw::farm(same, {.replicas = 2, .name = "f"}) | tw::sink([](int) {}, {.name = "end"}),
                 policy());
  ASSERT_TRUE(eventually([&] { return e.stats().items() > 0; }));
  auto before = e.stats();
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(200us);
    const auto now = e.stats();
    EXPECT_FALSE(now.final());
    EXPECT_GE(now.items(), before.items());
    EXPECT_GE(now.elapsed(), before.elapsed());
    EXPECT_GE(now.latency().count(), before.latency().count());
    ASSERT_EQ(now.stages().size(), 4U);
    for (std::size_t s = 0; s < 4; ++s) {
      EXPECT_GE(now.stages()[s].items_in(), before.stages()[s].items_in());
      EXPECT_GE(now.stages()[s].items_out(), before.stages()[s].items_out());
      EXPECT_GE(now.stages()[s].runs(), before.stages()[s].runs());
    }
    before = now;
  }
  e.stop();
  const auto last = e.wait();
  EXPECT_TRUE(last.final());
  EXPECT_GE(last.items(), before.items());
  EXPECT_EQ(last.stage("even").items_out(), last.stage("end").items_in());
}

TEST_P(Execution, StatsKeepUpWithASourceThatHasBecomeSlow) {
  std::atomic<int> given{0};
  auto e = tw::launch(tw::source([&]() -> std::optional<int> {
                        if (given >= 200'000) std::this_thread::sleep_for(5ms);
                        return given++;
                      }) | tw::map(same) |
                          tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return given >= 200'010; }));
  // A run of items may have begun while they were cheap, thousands of them.
  EXPECT_TRUE(eventually([&] { return e.stats().items() >= 200'010; })) << e.stats().items();
  EXPECT_LT(given, 201'000);
  e.cancel();
  e.wait();
}

TEST_P(Execution, ManyThreadsMayLookAndSteer) {
  auto e =
      tw::launch(endless() | tw::farm(same, {.replicas = 2, .name = "f"}) | tw::sink([](int) {}), policy());
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < 4; ++t) {
      all.emplace_back([&, t] {
        for (int i = 0; i < 30; ++i) {
          (void)e.stats().items();
          if (t == 0) {
            e.pause();
            e.resume();
          }
          (void)e.done();
        }
      });
    }
  }
  e.stop();
  e.wait();
  SUCCEED();
}

// --- set_replicas ---

TEST_P(Execution, SetReplicasChangesAFarmOrSaysThatItCannot) {
  std::vector<int> seen;
  std::atomic<int> made{0};
  auto e = tw::launch(tw::source([&]() -> std::optional<int> { return made++; }) |
                          tw::farm(
                              [](int x) {
                                spin_for(1us);
                                return x;
                              },
                              {.replicas = 1, .name = "f"}) |
                          tw::sink(seen),
                      policy());
  ASSERT_TRUE(eventually([&] { return made > 100; }));
  if (policy().name() == "sequential") {
    EXPECT_THROW(e.set_replicas("f", 2), tw::error);
    e.stop();
    e.wait();
    return;
  }
  for (const int n : {3, 1, 4, 2}) {
    e.set_replicas("f", n);
    EXPECT_EQ(e.stats().stage("f").replicas(), n);
    const int before = made;
    ASSERT_TRUE(eventually([&] { return made > before + 200; }));
  }
  e.stop();
  const auto r = e.wait();
  ASSERT_EQ(r.resizes().size(), 4U);
  EXPECT_EQ(r.resizes()[0].stage, "f");
  EXPECT_EQ(r.resizes()[0].from, 1);
  EXPECT_EQ(r.resizes()[0].to, 3);
  EXPECT_EQ(r.resizes()[3].to, 2);
  EXPECT_LE(r.resizes()[0].at, r.resizes()[3].at);
  e.set_replicas("f", 5);  // what nobody follows any more has not been done
  EXPECT_EQ(e.stats().resizes().size(), 4U);
  EXPECT_EQ(e.stats().stage("f").replicas(), 2);
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(made));
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i));
}

TEST_P(Execution, SetReplicasRefusesWhatMakesNoSense) {
  auto e = tw::launch(endless() | tw::farm(same, {.replicas = 2, .name = "f"}) |
                          tw::map(same, {.name = "serial"}) | tw::sink([](int) {}),
                      policy());
  EXPECT_THROW(e.set_replicas("f", 0), tw::error);
  EXPECT_THROW(e.set_replicas("f", -1), tw::error);
  EXPECT_THROW(e.set_replicas("nobody", 2), tw::error);
  EXPECT_THROW(e.set_replicas("serial", 2), tw::error);
  // Each says what to do.
  const auto said = [&](auto&& f) {
    try {
      f();
    } catch (const tw::error& why) {
      return std::string(why.what());
    }
    return std::string();
  };
  EXPECT_THAT(said([&] { e.set_replicas("serial", 2); }),
              HasSubstr(policy().name() == "sequential" ? "thalweg::pool or thalweg::threads" : "tw::farm"));
  EXPECT_THAT(said([&] { e.set_replicas({{"f", 1}, {"serial", 2}}); }), HasSubstr("tw::farm"));
  e.stop();
  e.wait();
}

TEST_P(Execution, GrowthCallsFactoriesAndTheEndEveryHook) {
  if (!is_pool()) GTEST_SKIP() << "cannot resize";
  struct counted {
    std::atomic<int>* ended;
    int operator()(int x) {
      spin_for(5us);
      return x;
    }
    void on_end() { ++*ended; }
  };
  std::atomic<int> started{0};
  std::atomic<int> ended{0};
  auto e = tw::launch(endless() |
                          tw::farm(tw::per_replica([&] {
                                     ++started;
                                     return counted{&ended};
                                   }),
                                   {.replicas = 1, .name = "f"}) |
                          tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return started == 1; }));
  e.set_replicas("f", 4);
  if (GetParam() == "pool:4") {
    EXPECT_TRUE(eventually([&] { return started > 1; }));
  }
  std::this_thread::sleep_for(5ms);
  e.set_replicas("f", 1);
  std::this_thread::sleep_for(5ms);
  e.stop();
  e.wait();
  EXPECT_LE(started, 4);
  EXPECT_EQ(started, ended);
}

TEST_P(Execution, ShrinkingIsObeyed) {
  if (!is_pool()) GTEST_SKIP() << "cannot resize";
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<bool> count{false};
  auto e = tw::launch(endless() |
                          tw::farm(
                              [&](int x) {
                                const int now = ++inside;
                                if (count && now > most) most = now;
                                spin_for(5us);
                                --inside;
                                return x;
                              },
                              {.replicas = 4, .name = "f"}) |
                          tw::sink([](int) {}),
                      policy());
  std::this_thread::sleep_for(10ms);
  e.set_replicas("f", 1);
  // Those at work finish their run of items; then there is one at a time.
  EXPECT_TRUE(eventually([&] {
    most = 0;
    count = true;
    std::this_thread::sleep_for(20ms);
    count = false;
    return most == 1;
  }));
  e.stop();
  e.wait();
}

// --- threads that can be resized ---

TEST(ResizableThreads, ALineGetsThreadsForItsReplicas) {
  std::vector<int> seen;
  std::atomic<int> made{0};
  std::atomic<int> inside{0}, most{0};
  auto e = tw::launch(tw::source([&]() -> std::optional<int> { return made++; }) |
                          tw::farm(
                              [&](int x) {
                                const int now = ++inside;
                                if (now > most) most = now;
                                std::this_thread::sleep_for(200us);
                                --inside;
                                return x;
                              },
                              {.replicas = 1, .name = "f"}) |
                          tw::sink(seen),
                      tw::threads{});
  ASSERT_TRUE(eventually([&] { return made > 10 && most > 0; }));
  EXPECT_EQ(most, 1);
  EXPECT_EQ(e.stats().workers(), 3);
  for (const int n : {4, 2, 6, 1}) {
    most = 0;
    e.set_replicas("f", n);
    EXPECT_EQ(e.stats().stage("f").replicas(), n);
    if (n > 2) {
      EXPECT_TRUE(eventually([&] { return most >= n; })) << "replicas without threads";
    }
    const int before = made;
    ASSERT_TRUE(eventually([&] { return made > before + 30; }));
  }
  EXPECT_EQ(e.stats().workers(), 2 + 6);
  EXPECT_TRUE(eventually([&] {
    most = 0;
    std::this_thread::sleep_for(10ms);
    return most == 1;
  })) << "one replica is left";
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(r.resizes().size(), 4U);
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(made));
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i));
  e.set_replicas("f", 9);  // the run is over: no more threads
}

TEST(ResizableThreads, MayGrowUntilTheEnd) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> over{false};
    auto e =
        tw::launch(tw::source([n = 0]() mutable { return n < 200 ? std::optional(n++) : std::nullopt; }) |
                       tw::farm(same, {.replicas = 1, .name = "f"}) | tw::sink([](int) {}),
                   tw::threads{});
    std::thread other([&] {
      for (int n = 2; !over; ++n) e.set_replicas("f", 1 + n % 5);
    });
    EXPECT_EQ(e.wait().items(), 200U);
    over = true;
    other.join();
  }
}

}  // namespace
