// What passes some items and drops others, or looks at them: type_filter, sampler, head, tee_to.
#include <thalweg/stages/head.hpp>
#include <thalweg/stages/sampler.hpp>
#include <thalweg/stages/tee.hpp>
#include <thalweg/stages/type_filter.hpp>
#include <thalweg/thalweg.hpp>

#include <any>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class TypeFilter : public under_every_policy {};
class Sampler : public under_every_policy {};
class Head : public under_every_policy {};
class Tee : public under_every_policy {};
FOR_EVERY_POLICY(TypeFilter);
FOR_EVERY_POLICY(Sampler);
FOR_EVERY_POLICY(Head);
FOR_EVERY_POLICY(Tee);

struct base {
  virtual ~base() = default;
};
struct derived : base {
  explicit derived(int n) : value(n) {}
  int value;
};
struct further : derived {
  using derived::derived;
};
struct other : base {};

TEST_P(TypeFilter, OfVariants) {
  using item = std::variant<int, std::string>;
  std::vector<std::string> seen;
  const auto r = tw::run(tw::source(std::vector<item>{1, "a", 2, "b", 3}) |
                             tw::type_filter<std::string>({.name = "texts"}) | tw::sink(seen),
                         policy());
  EXPECT_THAT(seen, ElementsAre("a", "b"));
  EXPECT_EQ(r.stage("texts").items_in(), 5U);
  EXPECT_EQ(r.stage("texts").items_out(), 2U);
}

TEST_P(TypeFilter, OfRandomVariantsInAFarm) {
  using item = std::variant<int, double, std::string>;
  std::mt19937 random(1);
  std::vector<item> items;
  std::vector<int> expected;
  for (int i = 0; i < 5'000; ++i) {
    switch (random() % 3) {
      case 0:
        items.emplace_back(i);
        expected.push_back(i);
        break;
      case 1:
        items.emplace_back(i + 0.5);
        break;
      default:
        items.emplace_back(std::to_string(i));
    }
  }
  std::vector<int> seen;
  tw::run(tw::source(items) | tw::farm(tw::type_filter<int>(), {.replicas = 3}) | tw::sink(seen), policy());
  EXPECT_EQ(seen, expected);
}

TEST_P(TypeFilter, OfMoveOnlyAlternatives) {
  using item = std::variant<int, std::unique_ptr<int>>;
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3, 4}) | tw::map([](int x) -> item {
            if (x % 2 == 0) return std::make_unique<int>(x);
            return x;
          }) | tw::type_filter<std::unique_ptr<int>>() |
              tw::sink([&](const std::unique_ptr<int>& p) { seen.push_back(*p); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(2, 4));
}

TEST_P(TypeFilter, OfAnys) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::vector<std::any>{1, std::string("a"), {}, 2.5, std::string("b")}) |
              tw::type_filter<std::string>({.on_error = tw::skip}) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("a", "b"));
}

TEST_P(TypeFilter, OfPointersByDynamicType) {
  derived one(1);
  further two(2);
  other three;
  std::vector<int> seen;
  const auto look = tw::sink([&](const derived* d) { seen.push_back(d->value); });
  tw::run(tw::source(std::vector<base*>{&one, nullptr, &three, &two}) | tw::type_filter<derived>() | look,
          policy());
  tw::run(tw::source(std::vector<const base*>{&two, &three, &one}) | tw::type_filter<further>() | look,
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 2));
}

TEST_P(TypeFilter, OfSmartPointers) {
  std::vector<int> seen;
  const std::vector<std::shared_ptr<base>> shared{std::make_shared<derived>(1), nullptr,
                                                  std::make_shared<other>(), std::make_shared<further>(2)};
  tw::run(tw::source(shared) | tw::type_filter<derived>() |
              tw::sink([&](const std::shared_ptr<derived>& d) { seen.push_back(d->value); }),
          policy());
  tw::run(tw::source(std::vector{1, 2, 3, 4}) | tw::map([](int x) -> std::unique_ptr<base> {
            if (x % 2 == 0) return std::make_unique<other>();
            return std::make_unique<derived>(x);
          }) | tw::type_filter<derived>() |
              tw::sink([&](const std::unique_ptr<derived>& d) { seen.push_back(d->value); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 1, 3));
}

TEST_P(Sampler, PassesTheFirstOfEachN) {
  for (const int n : {1, 2, 7, 1000}) {
    std::vector<int> expected;
    for (int i = 0; i < 1000; i += n) expected.push_back(i);
    std::vector<int> seen;
    tw::run(tw::source(std::views::iota(0, 1000)) | tw::sampler(n) | tw::sink(seen), policy());
    EXPECT_EQ(seen, expected);
  }
}

TEST_P(Sampler, CopiesNothing) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::sampler(2) | tw::head(2) | tw::random_sampler(1, 0) |
              tw::sink([&](const std::unique_ptr<int>& p) { seen.push_back(*p); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 3));
}

TEST_P(Sampler, BeginsAnewInEveryRun) {
  const auto job = tw::source(std::views::iota(0, 5)) | tw::sampler(3);
  for (int i = 0; i < 2; ++i) {
    std::vector<int> seen;
    tw::run(job | tw::sink(seen), policy());
    EXPECT_THAT(seen, ElementsAre(0, 3));
  }
}

TEST_P(Sampler, PassesAtMostOnePerInterval) {
  using clock = std::chrono::steady_clock;
  constexpr auto interval = 5ms;
  std::vector<clock::time_point> seen;
  const auto begin = clock::now();
  tw::run(tw::source([&]() -> std::optional<int> {
            return clock::now() - begin < 60ms ? std::optional(1) : std::nullopt;
          }) | tw::sampler(interval) |
              tw::sink([&](int) { seen.push_back(clock::now()); }),
          policy());
  const auto took = clock::now() - begin;
  EXPECT_GE(seen.size(), 2U);
  EXPECT_LE(seen.size(), static_cast<std::size_t>(took / interval) + 1);
}

TEST_P(Sampler, OfNoIntervalPassesAll) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 100)) | tw::sampler(0ns) | tw::sink(seen), policy());
  EXPECT_EQ(seen.size(), 100U);
}

TEST_P(Sampler, RandomOnesPassTheirShareAndAlwaysTheSame) {
  constexpr int n = 100'000;
  const auto sample = [&](double p, std::uint64_t seed) {
    std::vector<int> seen;
    tw::run(tw::source(std::views::iota(0, n)) | tw::random_sampler(p, seed) | tw::sink(seen), policy());
    return seen;
  };
  EXPECT_THAT(sample(0, 1), IsEmpty());
  EXPECT_EQ(sample(1, 1).size(), static_cast<std::size_t>(n));
  for (const double p : {0.01, 0.3, 0.9}) {
    const auto seen = sample(p, 42);
    EXPECT_NEAR(static_cast<double>(seen.size()), n * p, 6 * std::sqrt(n * p * (1 - p)));
    EXPECT_EQ(seen, sample(p, 42));
    EXPECT_NE(seen, sample(p, 43));
  }
  EXPECT_THAT(sample(0.001, 42), testing::Contains(testing::Ge(50'000))) << "not only at the beginning";
}

TEST_P(Head, PassesTheFirstAndDropsTheRest) {
  for (const int n : {0, 1, 10, 1000}) {
    std::vector<int> seen;
    const auto r = tw::run(
        tw::source(std::views::iota(0, 100)) | tw::head(n, {.name = "first"}) | tw::sink(seen), policy());
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(std::min(n, 100)));
    for (int i = 0; i < std::min(n, 100); ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(r.stage("first").items_in(), 100U) << "the source goes on";
  }
}

// Says when it is copied.
struct counted {
  explicit counted(int n) : value(n) {}
  counted(const counted& o) : value(o.value) { ++copies; }
  counted(counted&&) noexcept = default;
  counted& operator=(const counted&) = delete;
  counted& operator=(counted&&) noexcept = default;
  int value;
  static inline std::atomic<int> copies{0};
};

TEST_P(Tee, ShowsEachItemAndPassesItOn) {
  counted::copies = 0;
  std::vector<int> shown;
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 100)) | tw::map([](int x) { return counted(x); }) |
              tw::tee_to([&](const auto& c) { shown.push_back(c.value); }) |
              tw::sink([&](const counted& c) { seen.push_back(c.value); }),
          policy());
  EXPECT_EQ(shown.size(), 100U);
  EXPECT_EQ(shown, seen);
  EXPECT_EQ(counted::copies, 0);
}

TEST_P(Tee, InAFarmIsShared) {
  std::atomic<int> shown{0};
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 1000)) |
              tw::farm(tw::tee_to([&](int x) { shown += x; }), {.replicas = 3}) | tw::sink(seen),
          policy());
  EXPECT_EQ(shown, 499'500);
  EXPECT_EQ(seen.size(), 1000U);
}

TEST_P(Tee, HandlersHaveHooksAndPolicies) {
  struct watch {
    std::vector<std::string>* log;
    void on_start() { log->push_back("start"); }
    void operator()(int x) {
      if (x == 2) throw std::runtime_error("two");
      log->push_back(std::to_string(x));
    }
    void on_end() { log->push_back("end"); }
  };
  std::vector<std::string> log;
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::tee_to(watch{&log}, {.on_error = tw::skip}) | tw::sink(seen),
          policy());
  EXPECT_THAT(log, ElementsAre("start", "1", "3", "end"));
  EXPECT_THAT(seen, ElementsAre(1, 3));
  const auto f = failure_of([&] {
    tw::run(tw::source(std::vector{1, 2, 3}) | tw::tee_to(watch{&log}, {.name = "watch"}) | tw::sink(seen),
            policy());
  });
  EXPECT_EQ(f.stage, "watch");
  EXPECT_EQ(f.cause, "two");
}

TEST(FiltersCheck, BadNumbersAreAllRefused) {
  const auto problems = problems_of([] {
    tw::run(tw::source(std::vector<int>{}) | tw::sampler(0) | tw::sampler(-1ns) | tw::random_sampler(1.5, 0) |
            tw::random_sampler(std::numeric_limits<double>::quiet_NaN(), 0) | tw::head(-1) |
            tw::sink([](int) {}));
  });
  EXPECT_THAT(problems,
              ElementsAre(HasSubstr("'sampler-1': it passes one of n items, so n must be at least 1, not 0"),
                          HasSubstr("'sampler-2': its interval is negative"),
                          HasSubstr("'random_sampler-3': its probability"), HasSubstr("'random_sampler-4'"),
                          HasSubstr("'head-5': it cannot take -1 items")));
}

}  // namespace
