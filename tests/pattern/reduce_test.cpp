#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class Reduce : public under_every_policy {};
FOR_EVERY_POLICY(Reduce);

TEST_P(Reduce, SendsOneResultAtTheEnd) {
  std::vector<std::int64_t> seen;
  tw::run(tw::source(std::views::iota(0, 10'000)) | tw::farm([](int x) { return std::int64_t{x}; }) |
              tw::reduce(0, std::plus<>{}) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(49'995'000));
}

TEST_P(Reduce, FoldsInOrder) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) |
              tw::reduce("", [](std::string all, int x) { return all + std::to_string(x); }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("123"));
}

TEST_P(Reduce, InPlace) {
  std::vector<std::size_t> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) |
              tw::reduce(std::vector<int>{}, [](std::vector<int>& all, int x) { all.push_back(x); }) |
              tw::map([](const std::vector<int>& all) { return all.size(); }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(3U));
}

TEST_P(Reduce, OfNothingIsTheInitialValue) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector<int>{}) | tw::reduce(7, std::plus<>{}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(7));
  std::vector<tw::keyed<int, int>> by_key;
  tw::run(tw::source(std::vector<int>{}) | tw::key_by([](int x) { return x; }) |
              tw::reduce(7, std::plus<>{}) | tw::sink(by_key),
          policy());
  EXPECT_THAT(by_key, IsEmpty());
}

TEST_P(Reduce, TheAccumulatorIsWhatTheFunctionGives) {
  std::vector<double> seen;
  tw::run(tw::source(std::vector{0.5, 0.25}) | tw::reduce(0, std::plus<>{}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(0.75));
}

TEST_P(Reduce, OfAKeyedStreamIsPerKeyInTheOrderOfFirstAppearance) {
  std::mt19937 random(3);
  std::vector<int> items;
  for (int i = 0; i < 20'000; ++i) items.push_back(static_cast<int>(random() % 1000));
  std::vector<tw::keyed<int, std::int64_t>> expected;
  std::map<int, std::size_t> places;
  for (const int x : items) {
    const auto [at, added] = places.try_emplace(x % 77, expected.size());
    if (added) expected.push_back({x % 77, 0});
    expected[at->second].value += x;
  }
  std::vector<tw::keyed<int, std::int64_t>> seen;
  tw::run(tw::source(items) | tw::farm(tw::key_by([](int x) { return x % 77; })) |
              tw::reduce(std::int64_t{0}, std::plus<>{}) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected);
}

TEST_P(Reduce, MoveOnlyAccumulators) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2}) | tw::reduce(0, [](int sum, int x) { return sum + x; }) |
              tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::sink([&](const std::unique_ptr<int>& p) { seen.push_back(*p); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(3));
}

TEST_P(Reduce, AFailedCallLeavesTheAccumulatorAsItWas) {
  std::vector<tw::keyed<int, std::string>> seen;
  const auto r =
      tw::run(tw::source(std::vector{9, 1, 2, 3, 11, 19}) | tw::key_by([](int x) { return x % 10; }) |
                  tw::reduce(std::string{},
                             [](std::string& all, int x) {
                               all += std::to_string(x);
                               if (x == 9 || x == 3) throw std::runtime_error("no");
                             },
                             {.on_error = tw::skip, .name = "r"}) |
                  tw::sink(seen),
              policy());
  // 9 was given up, so its key appears with 19.
  EXPECT_EQ(seen, (std::vector<tw::keyed<int, std::string>>{{1, "111"}, {2, "2"}, {9, "19"}}));
  EXPECT_EQ(r.stage("r").skipped(), 2U);
}

TEST_P(Reduce, AFailureEndsTheRun) {
  const auto f = failure_of([] {
    tw::run(tw::source(std::vector{1, 2}) |
                tw::reduce(0, [](int s, int x) { return x == 2 ? throw std::runtime_error("two") : s + x; },
                           {.name = "r"}) |
                tw::sink([](int) {}),
            policy());
  });
  EXPECT_EQ(f.stage, "r");
  EXPECT_EQ(f.cause, "two");
}

TEST_P(Reduce, InAFarmIsRefused) {
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) | tw::farm(tw::reduce(0, std::plus<>{}, {.name = "r"})) |
                            tw::sink([](int) {}),
                        policy());
              }),
              ElementsAre(AllOf(HasSubstr("'r'"), HasSubstr("tw::key_by in front of the farm"))));
}

}  // namespace
