#include <thalweg/thalweg.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Iterate : public under_every_policy {};
FOR_EVERY_POLICY(Iterate);

int collatz(int x) {
  return x % 2 == 0 ? x / 2 : 3 * x + 1;
}

struct path {
  int at;
  int steps = 0;
};

TEST_P(Iterate, IsThePlainLoopAlsoInAFarm) {
  std::vector<int> expected;
  for (int i = 1; i < 2000; ++i) {
    path p{i};
    while (p.at != 1) p = {collatz(p.at), p.steps + 1};
    expected.push_back(p.steps);
  }
  auto loop = tw::iterate(
      [](path p) {
        return path{collatz(p.at), p.steps + 1};
      },
      [](const path& p) { return p.at == 1; });
  auto source = tw::source(std::views::iota(1, 2000)) | tw::map([](int x) { return path{x}; });
  std::vector<int> seen;
  auto sink = tw::sink([&](const path& p) { seen.push_back(p.steps); });
  tw::run(source | loop | sink, policy());
  EXPECT_EQ(seen, expected);
  seen.clear();
  tw::run(source | tw::farm(loop, {.replicas = 3}) | sink, policy());
  EXPECT_EQ(seen, expected);
}

TEST_P(Iterate, WhatIsDoneIsNotTouched) {
  std::vector<int> seen;
  int calls = 0;
  tw::run(tw::source(std::vector{0, 2}) |
              tw::iterate([&](int x) { return ++calls, x - 1; }, [](int x) { return x == 0; }) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(0, 0));
  EXPECT_EQ(calls, 2);
}

TEST_P(Iterate, MoveOnlyItemsAndState) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{5, 6}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::iterate(
                  [total = 0](std::unique_ptr<int> p) mutable {
                    ++total;
                    *p += 10 * total;
                    return p;
                  },
                  [](const std::unique_ptr<int>& p) { return *p >= 30; }) |
              tw::sink([&](const std::unique_ptr<int>& p) { seen.push_back(*p); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(35, 36));
}

TEST_P(Iterate, TheLimitIsKept) {
  auto down = [](int x) { return x - 1; };
  auto at_zero = [](int x) { return x == 0; };
  std::vector<int> seen;
  tw::run(tw::source(std::vector{3}) | tw::iterate(down, at_zero, {.limit = 3}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(0));
  bool overflow = false;
  try {
    tw::run(tw::source(std::vector{4}) |
                tw::farm(tw::iterate(down, at_zero, {.limit = 3}, {.name = "loop"})) | tw::sink([](int) {}),
            policy());
  } catch (const tw::stage_error& e) {
    EXPECT_EQ(e.stage(), "loop");
    try {
      e.rethrow_nested();
    } catch (const tw::loop_overflow& why) {
      overflow = true;
      EXPECT_THAT(why.what(), HasSubstr("3 rounds"));
    }
  }
  EXPECT_TRUE(overflow);
}

TEST_P(Iterate, AnErrorPolicyBeginsAgainWithTheItem) {
  std::vector<int> seen;
  const auto r = tw::run(tw::source(std::vector{3, 100, 2}) |
                             tw::iterate([](int x) { return x - 1; }, [](int x) { return x == 0; },
                                         {.limit = 5}, {.on_error = tw::skip, .name = "loop"}) |
                             tw::sink(seen),
                         policy());
  EXPECT_THAT(seen, ElementsAre(0, 0));
  EXPECT_EQ(r.stage("loop").skipped(), 1U);
}

TEST_P(Iterate, CancelEndsAnEndlessLoop) {
  if (one_thread()) GTEST_SKIP() << "the loop is on the thread that would cancel";
  std::atomic<bool> begun{false};
  auto e = tw::launch(tw::source(std::vector{1}) |
                          tw::iterate([&](int x) { return begun = true, x; }, [](int) { return false; }) |
                          tw::sink([](int) {}),
                      policy());
  while (!begun) std::this_thread::yield();
  e.cancel();
  e.wait();
}

TEST(IterateProblems, AreSaid) {
  EXPECT_THAT(
      problems_of([] {
        tw::run(tw::source(std::vector{1}) |
                tw::iterate([](int x) { return x; }, [](int) { return true; }, {.limit = -1}, {.name = "l"}) |
                tw::sink([](int) {}));
      }),
      ElementsAre(AllOf(HasSubstr("'l'"), HasSubstr(".limit is negative"))));
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) |
                        tw::iterate(std::function<int(int)>{}, [](int) { return true; }) |
                        tw::sink([](int) {}));
              }),
              ElementsAre(HasSubstr("body is null")));
}

}  // namespace
