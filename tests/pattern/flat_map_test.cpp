#include <thalweg/thalweg.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <ranges>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class FlatMap : public under_every_policy {};
FOR_EVERY_POLICY(FlatMap);

TEST_P(FlatMap, SendsAnyNumberOfItems) {
  std::vector<char> seen;
  tw::run(tw::source(std::vector<std::string>{"ab", "", "c"}) |
              tw::flat_map([](std::string s, tw::emitter<char>& out) {
                for (const char c : s) out(c);
              }) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre('a', 'b', 'c'));
}

TEST_P(FlatMap, AGenericEmitterNamesItsType) {
  std::vector<long> seen;
  tw::run(tw::source(std::vector{1, 2}) | tw::flat_map<long>([](auto x, auto& out) {
            out.send(x);
            out(-x);
          }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, -1, 2, -2));
}

TEST_P(FlatMap, MaySendNothingAtAll) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 10'000)) |
              tw::farm(tw::flat_map([](int, tw::emitter<int>&) {}), {.replicas = 3}) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, IsEmpty());
}

TEST_P(FlatMap, OutputsTakeThePlaceOfTheirItem) {
  // In farms, with very different numbers of outputs.
  std::vector<int> expected;
  const auto count_of = [](int x) { return x % 97 == 0 ? 500 : x % 3; };
  for (int x = 0; x < 3000; ++x) {
    for (int i = 0; i < count_of(x); ++i) expected.push_back(x * 1000 + i);
  }
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 3000)) |
              tw::farm(tw::flat_map([=](int x, tw::emitter<int>& out) {
                         for (int i = 0; i < count_of(x); ++i) out(x * 1000 + i);
                       }) | tw::map([](int x) { return x; }),
                       {.replicas = 4}) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected);
}

TEST_P(FlatMap, TakesMoveOnlyItemsAndSendsThem) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2}) | tw::map([](int x) {
            return std::make_unique<int>(x);
          }) | tw::flat_map([](std::unique_ptr<int> p, tw::emitter<std::unique_ptr<int>>& out) {
            out(std::make_unique<int>(-*p));
            out(std::move(p));
          }) | tw::sink([&](const std::unique_ptr<int>& p) { seen.push_back(*p); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(-1, 1, -2, 2));
}

TEST_P(FlatMap, MayBeGivenAStopToken) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1}) | tw::flat_map([](int x, tw::emitter<int>& out, std::stop_token stop) {
            out(stop.stop_requested() || out.stop_requested() ? -1 : x);
          }) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1));
}

TEST_P(FlatMap, OneMayFollowAnother) {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  const auto split = tw::flat_map([](int x, tw::emitter<int>& out) {
    for (int i = 0; i < 10; ++i) out(x * 10 + i);
  });
  tw::run(tw::source(std::vector{1, 2, 3}) | split | tw::farm(split, {.replicas = 2}) | split | split |
              tw::sink([&](int x) {
                sum += x;
                ++count;
              }),
          policy());
  EXPECT_EQ(count, 30'000);
  std::int64_t expected = 0;
  for (int x = 10'000; x < 40'000; ++x) expected += x;
  EXPECT_EQ(sum, expected);
}

// An item that says how many of its kind there are.
std::atomic<std::int64_t> alive{0};
std::atomic<std::int64_t> most_alive{0};
struct weighed {
  int value = 0;
  explicit weighed(int v) : value(v) { born(); }
  weighed(const weighed& o) : value(o.value) { born(); }
  weighed(weighed&& o) noexcept : value(o.value) { born(); }
  weighed& operator=(const weighed&) = default;
  ~weighed() { alive.fetch_sub(1, std::memory_order_relaxed); }
  static void born() {
    const auto n = alive.fetch_add(1, std::memory_order_relaxed) + 1;
    auto most = most_alive.load(std::memory_order_relaxed);
    while (n > most && !most_alive.compare_exchange_weak(most, n, std::memory_order_relaxed)) {
    }
  }
};

// One item becomes a million. However many there are, they are handed on in bounded runs.
template <class Middle> std::int64_t most_alive_of(const tw::any_policy& policy, Middle middle) {
  constexpr int many = 1'000'000;
  alive = most_alive = 0;
  std::int64_t expected = 0;
  bool in_order = true;
  tw::run(tw::source(std::vector{0, many}) | std::move(middle) | tw::sink([&](const weighed& w) {
            in_order = in_order && w.value == expected;
            ++expected;
          }),
          policy);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(expected, 2 * many);
  EXPECT_EQ(alive, 0);
  return most_alive;
}

// 64 runs of 8 192 items may lie between two serial stages; some more are in the hands of threads.
constexpr int bound = 80 * 8'192;

auto expand() {
  return tw::flat_map([](int x, tw::emitter<weighed>& out) {
    for (int i = 0; i < 1'000'000; ++i) out(weighed(x + i));
  });
}

TEST_P(FlatMap, AHugeExpansionPassesInBoundedMemory) {
  EXPECT_LT(most_alive_of(policy(), expand()), bound);
}

TEST_P(FlatMap, AHugeExpansionBeforeAFarmPassesInBoundedMemory) {
  EXPECT_LT(most_alive_of(policy(), expand() | tw::farm([](weighed w) { return w; }, {.replicas = 2})),
            bound);
}

// Sends everything when the stream has ended.
struct at_the_end {
  void operator()(int, tw::emitter<weighed>&) {}
  void on_end(tw::emitter<weighed>& out) {
    for (int i = 0; i < 2'000'000; ++i) out(weighed(i));
  }
};

TEST_P(FlatMap, AHugeEndHookPassesInBoundedMemory) {
  EXPECT_LT(most_alive_of(policy(), tw::flat_map(at_the_end{})), bound);
}

TEST_P(FlatMap, AHugeEndHookBetweenOtherStagesPassesInBoundedMemory) {
  EXPECT_LT(most_alive_of(policy(), tw::map([](int x) { return x; }) | tw::flat_map(at_the_end{}) |
                                        tw::map([](weighed w) { return w; }) |
                                        tw::farm([](weighed w) { return w; }, {.replicas = 2})),
            bound);
}

TEST_P(FlatMap, AHugeExpansionInAFarmPassesInBoundedMemory) {
  EXPECT_LT(most_alive_of(policy(), tw::farm(expand())), bound);
}

TEST_P(FlatMap, AHugeExpansionInAFarmBetweenOtherStagesPassesInBoundedMemory) {
  EXPECT_LT(most_alive_of(policy(), tw::farm(tw::map([](int x) { return x; }) | expand() |
                                             tw::map([](weighed w) { return w; })) |
                                        tw::map([](weighed w) { return w; })),
            bound);
}

TEST_P(FlatMap, AHugeExpansionInAFarmBeforeASmallerFarmPassesInBoundedMemory) {
  EXPECT_LT(most_alive_of(policy(), tw::farm(expand(), {.replicas = 4}) |
                                        tw::farm([](weighed w) { return w; }, {.replicas = 1})),
            bound);
}

}  // namespace
