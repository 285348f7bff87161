// States of keys that have seen nothing for long.
#include <thalweg/test.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
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
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

int itself(int key) {
  return key;
}

// How often the key has come.
auto times(tw::key_by_options how) {
  return tw::key_by(
      itself, [](int& n, int) { return ++n; }, how);
}

TEST(ExpiryInVirtualTime, ANewItemOfAKeyFindsANewState) {
  tw::test<int>(times({.expire_after = 10s}))
      .send(1, 1, 2)
      .expect(1, 2, 1)
      .at(10s - 1ns)
      .send(1)
      .expect(3)
      .at(10s)
      .send(2)  // 10 s after the last one
      .expect(1)
      .at(20s - 2ns)
      .send(1)
      .expect(4)
      .at(1h)
      .send(1, 2, 1)
      .expect(1, 1, 2);
}

TEST(ExpiryInVirtualTime, RandomTimesAsTheNaiveWay) {
  std::mt19937 random(21);
  for (int round = 0; round < 20; ++round) {
    const std::chrono::nanoseconds age(1 + random() % 50);
    const unsigned keys = 1 + random() % 30;
    struct known {
      int n = 0;
      std::chrono::nanoseconds seen{0};
    };
    std::map<int, known> all;
    auto t = tw::test<int>(times({.expire_after = age}));
    std::chrono::nanoseconds now{0};
    for (int i = 0; i < 200; ++i) {
      now += std::chrono::nanoseconds(random() % 6);
      const int key = static_cast<int>(random() % keys);
      auto& k = all[key];
      if (now - k.seen >= age) k.n = 0;
      k.seen = now;
      t.at(now).send(key).expect(++k.n);
    }
  }
}

TEST(ExpiryInVirtualTime, WhatIsThereAtTheEndComesInTheOrderInWhichItAppeared) {
  struct listing {
    int operator()(int& n, int) { return ++n; }
    void on_end(const int& key, int& n, tw::emitter<int>& out) { out(100 * key + n); }
  };
  // 3 takes the place that 1 has left; 1 appears again behind it.
  tw::test<int>(tw::key_by(itself, listing{}, {.expire_after = 10s}))
      .send(1)
      .at(5s)
      .send(2)
      .at(12s)
      .send(3, 1, 2, 3)
      .expect(1, 1, 1, 1, 2, 2)
      .end()
      .expect(202, 302, 101);
}

TEST(ExpiryInVirtualTime, AFailedFirstItemLeavesNothing) {
  auto update = [](int& n, int x) {
    ++n;
    return x < 0 ? throw std::runtime_error("negative") : n;
  };
  tw::test<int>(
      tw::key_by([](int x) { return x < 0 ? -x : x; }, update, {.expire_after = 10s}, {.on_error = tw::skip}))
      .send(-1, 1, -1, 1)
      .expect(1, 2)
      .at(10s)
      .send(-1, 1)
      .expect(1)
      .at(1h)
      .send(2)
      .expect(1);
}

TEST(ExpiryInVirtualTime, OptionsThatMakeNoSense) {
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) | times({.expire_after = -1s}) | tw::sink([](int) {}));
              }),
              ElementsAre(HasSubstr(".expire_after is negative")));
}

// --- in time ---

std::atomic<int> alive{0};
struct counted {
  int n = 0;
  counted() { ++alive; }
  counted(const counted& o) : n(o.n) { ++alive; }
  counted(counted&& o) noexcept : n(o.n) { ++alive; }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) = default;
  ~counted() { --alive; }
};

class Expiry : public under_every_policy {};
FOR_EVERY_POLICY(Expiry);

TEST_P(Expiry, GivesTheMemoryBackWhenOtherItemsCome) {
  if (GetParam() == "pool:1") GTEST_SKIP() << "its one worker is in the source";
  constexpr int keys = 1'000;
  for (const bool farmed : {false, true}) {
    std::atomic<int> seen{0};
    std::vector<int> counts;
    int alive_at_the_end = 0;
    // All keys, and after a pause all of them once more, and after a pause as many others.
    auto source = tw::source([&, n = 0]() mutable -> std::optional<int> {
      if (n > 0 && n % keys == 0) {
        EXPECT_TRUE(eventually([&] { return seen == n; }));
        if (n == 3 * keys) alive_at_the_end = alive;
        std::this_thread::sleep_for(30ms);
      }
      if (n == 3 * keys) return {};
      const int key = n < 2 * keys ? n % keys : n;
      ++n;
      return key;
    });
    auto stage = tw::key_by(itself, [](counted& c, int) { return ++c.n; }, {.expire_after = 20ms});
    auto note = tw::sink([&](int n) {
      counts.push_back(n);
      ++seen;
    });
    if (farmed) {
      tw::run(source | tw::farm(stage, {.replicas = 3}) | note, policy());
    } else {
      tw::run(source | stage | note, policy());
    }
    EXPECT_EQ(counts, std::vector<int>(3 * keys, 1));
    EXPECT_LE(alive_at_the_end, keys);
    EXPECT_EQ(alive, 0);
  }
}

TEST_P(Expiry, WithoutItStatesStay) {
  std::vector<int> counts;
  tw::run(tw::source(std::vector{1, 2, 1}) | tw::farm(times({})) | tw::sink(counts), policy());
  EXPECT_THAT(counts, ElementsAre(1, 1, 2));
}

}  // namespace
