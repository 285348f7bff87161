#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
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

class TopK : public under_every_policy {};
FOR_EVERY_POLICY(TopK);

struct event {
  int key;
  std::int64_t time;
  int score;
  int number;  // in the stream
  bool operator==(const event&) const = default;
};
using keyed_windows = std::vector<tw::keyed<int, tw::windowed<std::vector<event>>>>;

// By the definition, from all items.
auto by_sorting(std::size_t k) {
  return [k](std::span<const event> all) {
    std::vector<event> found(all.begin(), all.end());
    std::sort(found.begin(), found.end(), [](const event& a, const event& b) {
      return a.score != b.score ? a.score > b.score : a.number < b.number;
    });
    found.resize(std::min(k, found.size()));
    return found;
  };
}

// Few scores, so that there are ties; times that go back by up to `shake`.
std::vector<event> random_events(std::mt19937& random, int n, int shake) {
  std::vector<event> all;
  std::int64_t now = 0;
  for (int i = 0; i < n; ++i) {
    now += random() % 4;
    all.push_back({static_cast<int>(random() % 4), now - static_cast<std::int64_t>(random() % (1U + shake)),
                   static_cast<int>(random() % 6), i});
  }
  return all;
}

// `in(agg)`: the windows.
template <class In, class Agg>
keyed_windows windows_of(const std::vector<event>& all, In in, Agg agg, const tw::any_policy& policy,
                         int replicas) {
  keyed_windows seen;
  tw::run(
      tw::source(all) | tw::key_by(&event::key) | tw::farm(in(agg), {.replicas = replicas}) | tw::sink(seen),
      policy);
  return seen;
}

TEST_P(TopK, IsWhatSortingGivesInAllKindsOfWindows) {
  std::mt19937 random(1);
  for (int round = 0; round < 4; ++round) {
    const auto k = static_cast<std::int64_t>(1 + random() % 5);
    const int shake = round % 2 == 0 ? 0 : 25;
    const auto all = random_events(random, 600, shake);
    const auto size = std::chrono::nanoseconds(10 + random() % 60);
    const auto slide = std::chrono::nanoseconds(1 + random() % 10);
    const auto times = tw::event_time(&event::time, {.disorder = 10ns, .lateness = 12ns});
    const auto agree = [&](auto in, const char* kind) {
      const auto expected = windows_of(all, in, by_sorting(static_cast<std::size_t>(k)), tw::sequential{}, 1);
      EXPECT_GT(expected.size(), 10U);
      for (const int replicas : {1, 3}) {
        ASSERT_EQ(windows_of(all, in, tw::top_k(k, &event::score), policy(), replicas), expected)
            << kind << ", round " << round << ", replicas " << replicas;
      }
    };
    agree([&](auto agg) { return tw::window(tw::tumbling(size), agg, times); }, "tumbling");
    agree([&](auto agg) { return tw::window(tw::sliding(size, slide), agg, times); }, "sliding");
    agree([&](auto agg) { return tw::window(tw::session(7ns), agg, times); }, "session");
    agree([&](auto agg) { return tw::window(tw::count(13), agg); }, "count");
    agree([&](auto agg) { return tw::window(tw::count(13, 5), agg); }, "count that slides");
  }
}

TEST_P(TopK, OfSlidingWindowsIsWhatAPlainProgramFinds) {
  std::mt19937 random(2);
  const auto all = random_events(random, 800, 20);
  std::map<std::pair<std::int64_t, int>, std::vector<event>> expected;  // by begin and key
  for (const event& e : all) {
    for (std::int64_t begin = -60; begin <= e.time; begin += 10) {
      if (e.time < begin + 30) expected[{begin, e.key}].push_back(e);
    }
  }
  for (auto& [at, items] : expected) items = by_sorting(3)(items);

  std::map<std::pair<std::int64_t, int>, std::vector<event>> seen;
  for (const auto& w : windows_of(
           all,
           [](auto agg) {
             return tw::window(tw::sliding(30ns, 10ns), agg,
                               tw::event_time(&event::time, {.disorder = 20ns}));
           },
           tw::top_k(3, &event::score), policy(), 2))
    EXPECT_TRUE(seen.emplace(std::pair(w.value.begin, w.key), w.value.value).second);
  EXPECT_EQ(seen, expected);
}

TEST_P(TopK, AmongEqualOnesTheFirstToComeIsFirstAlsoIfItsTimeIsLater) {
  const std::vector<event> all{{1, 9, 5, 0}, {1, 1, 5, 1}, {1, 4, 5, 2}, {1, 12, 5, 3}};
  std::vector<int> numbers;
  tw::run(tw::source(all) |
              tw::window(tw::sliding(20ns, 2ns), tw::top_k(3, &event::score),
                         tw::event_time(&event::time, {.disorder = 20ns})) |
              tw::sink([&](const tw::windowed<std::vector<event>>& w) {
                if (w.begin != 0) return;
                for (const event& e : w.value) numbers.push_back(e.number);
              }),
          policy());
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2));
}

TEST_P(TopK, WithoutAFunctionItIsOfTheItems) {
  std::vector<tw::windowed<std::vector<int>>> seen;
  tw::run(tw::source(std::vector{3, 9, 4, 1, 2}) | tw::window(tw::count(4), tw::top_k(2)) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, (std::vector<tw::windowed<std::vector<int>>>{{0, 4, {9, 4}}, {4, 5, {2}}}));
}

TEST(TopKOf, NaNIsSmallerThanAllNumbers) {
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> seen;
  struct part {
    std::string name;
    double size;
  };
  tw::run(tw::source(std::vector<part>{{"a", nan}, {"b", -1}, {"c", nan}, {"d", 3}, {"e", 1}, {"f", nan}}) |
          tw::window(tw::count(6), tw::top_k(5, &part::size)) |
          tw::sink([&](const tw::windowed<std::vector<part>>& w) {
            for (const part& p : w.value) seen.push_back(p.name);
          }));
  EXPECT_THAT(seen, ElementsAre("d", "e", "b", "a", "c"));
}

TEST(TopKOf, AVeryLargeKGivesAllItems) {
  std::vector<tw::windowed<std::vector<int>>> seen;
  tw::run(tw::source(std::vector{1, 3, 2}) |
          tw::window(tw::count(3, 2), tw::top_k(std::numeric_limits<std::int64_t>::max())) | tw::sink(seen));
  EXPECT_EQ(seen, (std::vector<tw::windowed<std::vector<int>>>{{0, 3, {3, 2, 1}}, {2, 3, {2}}}));
}

// What an overlapping window shares with the one before it is not gone through again.
TEST(TopKOf, AnItemOfManyWindowsIsLookedAtAFewTimes) {
  constexpr int n = 20'000;
  std::int64_t calls = 0;
  const auto by = [&calls](int x) {
    ++calls;
    return x % 1'000;
  };
  std::vector<int> all;
  for (int i = 0; i < n; ++i) all.push_back(i * 7 % 1'009);
  std::int64_t windows = 0;
  tw::run(tw::source(all) |
              tw::window(tw::sliding(1'000ns, 1ns), tw::top_k(2, by),
                         tw::event_time([at = std::int64_t{0}](int) mutable { return at++; })) |
              tw::sink([&](const tw::windowed<std::vector<int>>&) { ++windows; }),
          tw::sequential{});
  EXPECT_GE(windows, n);
  EXPECT_LT(calls, 100LL * n);  // by hand: some 2 000 for each
}

TEST(TopKOf, AKBelowOneAndANullFunctionAreRefusedByName) {
  const auto problems = [](auto agg) {
    return problems_of([&] {
      tw::run(tw::source(std::vector{1}) | tw::window(tw::count(2), agg, {.name = "best"}) |
              tw::sink([](const tw::windowed<std::vector<int>>&) {}));
    });
  };
  EXPECT_THAT(problems(tw::top_k(0)),
              ElementsAre(testing::AllOf(HasSubstr("'best'"), HasSubstr("tw::top_k must be at least 1"))));
  EXPECT_THAT(problems(tw::top_k(-3)), ElementsAre(HasSubstr("tw::top_k must be at least 1")));
  EXPECT_THAT(problems(tw::top_k(1, std::function<int(int)>())), ElementsAre(HasSubstr("is null")));
}

}  // namespace
