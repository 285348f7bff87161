// Nothing is left lying while everybody sleeps: sources that wait for what they have sent, replicas that are
// taken away.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
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

}  // namespace
