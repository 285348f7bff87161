// Nothing is left lying while everybody sleeps: sources that wait for what they have sent, replicas that are
// taken away.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/eventually.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

// Gives an item when the last one has arrived: each one is the last for as long as it is on its way.
auto one_at_a_time(const std::atomic<int>& arrived, int most) {
  return tw::source([&arrived, most, n = 0]() mutable -> std::optional<int> {
    while (arrived.load() < n) std::this_thread::yield();
    if (n == most) return std::nullopt;
    return n++;
  });
}

template <class Stages> void expect_all_arrive(Stages stages, const std::string& policy, int most) {
  std::atomic<int> arrived{0};
  auto e = tw::launch(one_at_a_time(arrived, most) | std::move(stages) | tw::sink([&](int) { ++arrived; }),
                      tw::policy_from(policy));
  int seen = -1;
  while (seen < most) {
    const bool moved = eventually([&] { return arrived > seen; });
    EXPECT_TRUE(moved) << "behind item " << seen << ", with " << policy;
    seen = moved ? arrived.load() : most;
    if (!moved) arrived = most;  // the source need not wait any more
  }
  e.wait();
}

TEST(Waking, PartsOfTheKeysThatFoundAllPlacesTaken) {
  for (const int replicas : {1, 2, 3}) {
    const auto add = [](int& sum, const int& x) { return sum += x; };
    auto keys = tw::key_by([](const int& x) { return x % 7; }, add);
    expect_all_arrive(tw::farm(std::move(keys), {.replicas = replicas}), "pool:4", 10'000);
  }
}

TEST(Waking, DealtItemsWhoseReplicaIsTakenAway) {
  constexpr int most = 300;
  std::atomic<bool> go{false};
  std::atomic<int> worked{0};
  std::vector<int> seen;
  tw::graph g;
  auto from = g.add(tw::source(
      [n = 0]() mutable -> std::optional<int> { return n == most ? std::nullopt : std::optional(n++); }));
  // Item 0 keeps the first replica at work. Behind it the third and the fourth fill the window.
  const auto deal = [](const int& x, std::size_t n) -> std::size_t {
    return x == 0 ? 0 : x < 9 ? 1 % n : (2 + static_cast<std::size_t>(x) % 2) % n;
  };
  auto work = g.add(tw::farm(
      [&](int x) {
        while (x == 0 && !go) std::this_thread::sleep_for(1ms);
        ++worked;
        return x;
      },
      {.replicas = 4, .name = "f", .schedule = tw::route<int>(deal)}));
  g.connect(from.out, work.in, {.capacity = 10 * most});
  g.connect(work.out, g.add(tw::sink(seen)).in);
  auto e = tw::launch(g, tw::policy_from("pool:4"));
  ASSERT_TRUE(eventually([&] { return worked > 60; }));
  std::this_thread::sleep_for(20ms);
  e.set_replicas("f", 1);
  std::this_thread::sleep_for(20ms);
  go = true;
  ASSERT_TRUE(eventually([&] { return worked == most; }));
  e.wait();
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(most));
  for (int i = 0; i < most; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

// Reads all of `b` first.
struct one_after_the_other : tw::stage {
  tw::in<int> a{this, "a"};
  tw::in<int> b{this, "b"};
  tw::out<int> out{this, "out"};
  void on_run() override {
    while (b.available()) out.send(b.take());
    if (!b.ended()) return;
    while (a.available()) out.send(a.take());
    if (a.ended()) end();
  }
};

// One replica waits for room in front of the input that is not read, another one with more than it may keep
// for its turn.
TEST(Waking, ReplicasThatWaitForTheirTurnWhereAChannelHasToGrow) {
  constexpr long items = 4;
  constexpr long each = 20'000;
  for (const std::string policy : {"pool:1", "pool:2", "pool:3", "threads"}) {
    long n = 0;
    tw::graph g;
    auto& both = g.add<tw::tee<int>>();
    auto& later = g.add<one_after_the_other>();
    auto many = g.add(tw::farm(tw::flat_map([](int x, tw::emitter<int>& to) {
                                 for (int i = 0; i < each; ++i) to.send(x + i);
                               }),
                               {.replicas = 2}));
    g.connect(g.add(tw::source(std::vector<int>(items))).out, both.in);
    g.connect(both.branch(), many.in);
    g.connect(many.out, later.a);
    g.connect(both.branch(), later.b);
    g.connect(later.out, g.add(tw::sink([&](int) { ++n; })).in);
    tw::run(g, tw::policy_from(policy));
    EXPECT_EQ(n, items * each + items) << policy;
  }
}

// The error comes while `launch` still makes threads, and in the middle of a call that lasts long.
TEST(Waking, AnErrorWhileThreadsAreBeingMade) {
  for (int i = 0; i < 10; ++i) {
    const std::vector<int> items(100);
    const auto same = [](int x) { return x; };
    tw::graph g;
    g.add(tw::source(items) | tw::flat_map([](int x, tw::emitter<int>& to) {
            to.send(x);
            std::this_thread::sleep_for(3ms);
            throw std::runtime_error("as it shall");
          }) |
          tw::farm(tw::map(same), {.replicas = 2}) | tw::sink([](int) {}));
    g.add(tw::source(items) | tw::farm(tw::map(same), {.replicas = 32, .blocking = true}) |
          tw::sink([](int) {}));
    auto run = tw::launch(g, tw::policy_from("pool:8"));
    EXPECT_THROW(run.wait(), std::runtime_error);
  }
}

}  // namespace
