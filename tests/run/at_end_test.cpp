// The hook that is called once when a run has ended, and the error policy of a whole run.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class AtEnd : public under_every_policy {
 protected:
  tw::run_options noting() {
    tw::run_options o;
    o.at_end = [this](const tw::run_end& end) {
      ++calls;
      items = end.figures.items();
      final = end.figures.final();
      cancelled = end.cancelled;
      stopped = end.stopped;
      if (end.error) {
        try {
          std::rethrow_exception(end.error);
        } catch (const std::exception& e) {
          error = e.what();
        }
      }
    };
    return o;
  }
  static auto endless() {
    return tw::source([n = 0]() mutable -> std::optional<int> { return n++; });
  }

  std::atomic<int> calls{0};
  std::uint64_t items = 0;
  bool final = false, cancelled = false, stopped = false;
  std::string error;
};
FOR_EVERY_POLICY(AtEnd);

TEST_P(AtEnd, OfAGoodRun) {
  const auto r = tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {}), policy(), noting());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(items, r.items());
  EXPECT_TRUE(final);
  EXPECT_FALSE(cancelled);
  EXPECT_FALSE(stopped);
  EXPECT_EQ(error, "");
}

TEST_P(AtEnd, OfARunThatFails) {
  EXPECT_THROW(
      tw::run(tw::source(std::vector{1, 2, 3}) |
                  tw::map([](int x) { return x == 2 ? throw std::runtime_error("two") : x; }, {.name = "m"}) |
                  tw::sink([](int) {}),
              policy(), noting()),
      tw::stage_error);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(cancelled);
  EXPECT_TRUE(stopped);
  EXPECT_EQ(error, "stage 'm': two");
}

TEST_P(AtEnd, OfARunThatIsStopped) {
  std::atomic<int> seen{0};
  auto e = tw::launch(endless() | tw::sink([&](int) { ++seen; }), policy(), noting());
  EXPECT_TRUE(eventually([&] { return seen > 0; }));
  EXPECT_EQ(calls, 0);
  e.stop();
  e.wait();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(cancelled);
  EXPECT_TRUE(stopped);
  e.wait();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(items, static_cast<std::uint64_t>(seen));
}

TEST_P(AtEnd, OfARunThatIsGivenUp) {
  {
    const auto e = tw::launch(endless() | tw::sink([](int) {}), policy(), noting());
  }
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(cancelled);
  EXPECT_TRUE(stopped);
}

TEST_P(AtEnd, TheHookMayLookAtTheRunAndFail) {
  std::atomic<tw::execution*> run{nullptr};
  std::string refused;
  auto e = tw::launch(endless() | tw::sink([](int) {}), policy(), {.at_end = [&](const tw::run_end&) {
                        while (run == nullptr) std::this_thread::yield();
                        (void)run.load()->stats();
                        run.load()->stop();
                        run.load()->pause();
                        run.load()->resume();
                        try {
                          (void)run.load()->wait();
                        } catch (const tw::error& why) {
                          refused = why.what();
                        }
                        throw std::runtime_error("from the hook");
                      }});
  run = &e;
  e.stop();
  try {
    (void)e.wait();
    FAIL() << "what the hook has thrown is lost";
  } catch (const std::runtime_error& why) {
    EXPECT_STREQ(why.what(), "from the hook");
  }
  EXPECT_THAT(refused, HasSubstr("would wait for itself"));
}

TEST_P(AtEnd, AJobThatIsRefusedHasNoEnd) {
  EXPECT_THROW(
      tw::run(tw::source(std::vector{1}) | tw::sink([](int) {}, {.replicas = 2}), policy(), noting()),
      tw::invalid_job);
  EXPECT_EQ(calls, 0);
}

// --- the error policy of a whole run ---

class OnErrorOfARun : public under_every_policy {};
FOR_EVERY_POLICY(OnErrorOfARun);

int no_odd(int x) {
  return x % 2 == 1 ? throw std::runtime_error("odd") : x;
}

TEST_P(OnErrorOfARun, HoldsWhereNothingElseIsSaid) {
  std::vector<int> seen, refused;
  const auto letter = tw::dead_letter([&](const int& x, std::exception_ptr) { refused.push_back(x); });
  const auto r = tw::run(
      tw::source(std::vector{1, 2, 3, 4}) | tw::farm(no_odd, {.replicas = 2, .name = "farm"}) |
          tw::map([](int x) { return std::to_string(x); }) |
          tw::map([](const std::string& s) { return s == "4" ? throw std::runtime_error("four") : s; },
                  {.on_error = tw::skip, .name = "own"}) |
          tw::map([](const std::string& s) { return std::stoi(s); }) | tw::sink(seen),
      policy(), {.on_error = letter});
  EXPECT_THAT(seen, ElementsAre(2));
  EXPECT_THAT(refused, testing::UnorderedElementsAre(1, 3));
  EXPECT_EQ(r.stage("own").skipped(), 1U);
  // The handler takes no strings: such a stage ends the run.
  EXPECT_THROW(tw::run(tw::source(std::vector<std::string>{"x"}) |
                           tw::map([](const std::string& s) { return std::stoi(s); }) | tw::sink([](int) {}),
                       policy(), {.on_error = letter}),
               tw::stage_error);
}

TEST_P(OnErrorOfARun, WhatCannotBeTriedAgainEndsTheRun) {
  const auto windows =
      tw::source(std::vector{1, 2, 3}) |
      tw::window(tw::count(2), [](std::span<const int>) -> int { throw std::runtime_error("in a window"); }) |
      tw::sink([](const tw::windowed<int>&) {});
  EXPECT_THROW(tw::run(windows, policy(), {.on_error = tw::skip}), tw::stage_error);
  const auto sends_all =
      tw::source([](tw::emitter<int>&) { throw std::runtime_error("at once"); }) | tw::sink([](int) {});
  EXPECT_THROW(tw::run(sends_all, policy(), {.on_error = tw::skip}), tw::stage_error);
}

TEST_P(OnErrorOfARun, AFaultyOneIsRefused) {
  const auto job = tw::source(std::vector{1}) | tw::sink([](int) {});
  const auto refused = [&](const tw::error_policy& p) -> std::string {
    try {
      tw::run(job, policy(), {.on_error = p});
    } catch (const tw::invalid_job& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(refused(tw::retry(-1)), HasSubstr("at least 0 retries"));
  EXPECT_THAT(refused(tw::retry(1, -1s)), HasSubstr("negative delay"));
  EXPECT_THAT(refused(tw::skip.then(tw::skip)), HasSubstr("nothing can follow"));
}

TEST_P(OnErrorOfARun, AHandlerDecidesHowOftenAnItemIsTried) {
  std::atomic<int> calls{0};
  std::vector<int> tries;
  std::vector<int> seen;
  const auto r = tw::run(tw::source(std::vector{7}) |
                             tw::map(
                                 [&](int x) {
                                   if (++calls < 6) throw std::runtime_error("again");
                                   return x;
                                 },
                                 {.name = "m"}) |
                             tw::sink(seen),
                         policy(), {.on_error = tw::retry(1).then(tw::decide([&](const tw::failure& f) {
                           tries.push_back(f.tries());
                           return tw::retry(2);
                         }))});
  EXPECT_THAT(seen, ElementsAre(7));
  EXPECT_THAT(tries, ElementsAre(2, 4));
  EXPECT_EQ(r.stage("m").retries(), 5U);
  EXPECT_EQ(r.stage("m").errors(), 5U);
}

TEST_P(OnErrorOfARun, AnAnswerMayBeToTryForEver) {
  std::atomic<int> calls{0};
  std::vector<int> seen;
  tw::run(tw::source(std::vector{7}) | tw::map([&](int x) {
            if (++calls < 20) throw std::runtime_error("again");
            return x;
          }) | tw::sink(seen),
          policy(), {.on_error = tw::retry(1).then(tw::decide([](const tw::failure&) {
            return tw::retry(std::numeric_limits<int>::max());
          }))});
  EXPECT_THAT(seen, ElementsAre(7));
}

TEST_P(OnErrorOfARun, WhatFollowsTheTriesOfAnAnswerHappens) {
  std::atomic<int> asked{0}, calls{0};
  std::vector<int> seen;
  const auto r = tw::run(tw::source(std::vector{1, 2, 3}) |
                             tw::map(
                                 [&](int x) {
                                   ++calls;
                                   return no_odd(x);
                                 },
                                 {.name = "m"}) |
                             tw::sink(seen),
                         policy(), {.on_error = tw::decide([&](const tw::failure&) {
                                      ++asked;
                                      return tw::retry(2).then(tw::skip);
                                    })});
  EXPECT_THAT(seen, ElementsAre(2));
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(r.stage("m").skipped(), 2U);
}

TEST_P(OnErrorOfARun, AnAnswerThatIsNotPossibleSaysSo) {
  const auto refused = [&](const tw::error_policy& answer) -> std::string {
    try {
      tw::run(tw::source(std::vector{1}) | tw::map(no_odd, {.name = "m"}) | tw::sink([](int) {}), policy(),
              {.on_error = tw::decide([answer](const tw::failure&) { return answer; })});
    } catch (const tw::stage_error& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(refused(tw::dead_letter([](const std::string&, std::exception_ptr) {})),
              testing::AllOf(HasSubstr("stage 'm'"), HasSubstr("takes std::string, but the item is int"),
                             HasSubstr("the error was: odd")));
  EXPECT_THAT(refused(tw::decide([](const tw::failure&) { return tw::skip; })), HasSubstr("cannot answer"));
  EXPECT_THAT(refused(tw::retry(-1)), HasSubstr("at least 0 retries"));
  EXPECT_EQ(refused(tw::stop), "stage 'm': odd");
}

// Guards against what the clock and the longest of all times make together.
TEST_P(AtEnd, OneMayWaitForeverForIt) {
  std::atomic<bool> go{false};
  auto e = tw::launch(tw::source([&, n = 0]() mutable -> std::optional<int> {
                        while (!go) std::this_thread::sleep_for(1ms);
                        return n < 3 ? std::optional(n++) : std::nullopt;
                      }) | tw::sink([](int) {}),
                      policy(), noting());
  std::thread opens([&] {
    std::this_thread::sleep_for(20ms);
    go = true;
  });
  const auto r = e.wait_for(std::chrono::nanoseconds::max());
  opens.join();
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->items(), 3U);
  EXPECT_EQ(calls, 1);
}

}  // namespace
