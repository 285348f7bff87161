// No item waits in a half-filled chunk: what a source gave before it stalls reaches the sink while it stalls.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

enum class giving { pulls, emits, from_a_slow_start };
enum class shape { map, farm, farm_of_two, two_farms, serial_stages };

struct scene {
  std::string policy;
  giving how;
  shape middle;
  std::int64_t work_ns;
};

std::string scene_name(const testing::TestParamInfo<scene>& info) {
  const auto& s = info.param;
  std::string name = s.policy;
  for (char& c : name) {
    if (c == ':') c = '_';
  }
  constexpr const char* hows[] = {"pull", "emit", "slow_start"};
  constexpr const char* shapes[] = {"map", "farm", "farm_of_two", "two_farms", "serial_stages"};
  return name + "_" + hows[static_cast<int>(s.how)] + "_" + shapes[static_cast<int>(s.middle)] + "_" +
         std::to_string(s.work_ns) + "ns";
}

std::vector<scene> all_scenes() {
  std::vector<scene> all;
#if THALWEG_THREAD_SANITIZER
  // Each scene is a lot of work here, and they differ in time, not in who meets whom.
  for (const auto how : {giving::pulls, giving::emits, giving::from_a_slow_start}) {
    for (const auto middle : {shape::farm_of_two, shape::two_farms, shape::serial_stages}) {
      all.push_back({"pool:4", how, middle, 0});
      all.push_back({"threads", how, middle, 100});
    }
  }
#else
  for (const auto* policy : {"pool:2", "pool:4", "threads", "threads:2"}) {
    for (const auto how : {giving::pulls, giving::emits, giving::from_a_slow_start}) {
      for (const auto middle :
           {shape::map, shape::farm, shape::farm_of_two, shape::two_farms, shape::serial_stages}) {
        for (const std::int64_t work : {0, 100, 10'000}) all.push_back({policy, how, middle, work});
      }
    }
  }
  // With one worker there is nobody else: it can be kept where the worker carries each item to its end.
  for (const auto middle : {shape::map, shape::farm}) {
    for (const std::int64_t work : {0, 100, 10'000}) {
      all.push_back({"pool:1", giving::pulls, middle, work});
      all.push_back({"sequential", giving::pulls, middle, work});
    }
  }
#endif
  return all;
}

class Stall : public testing::TestWithParam<scene> {};
INSTANTIATE_TEST_SUITE_P(scene, Stall, testing::ValuesIn(all_scenes()), scene_name);

// Stalls twice, after different numbers of items: in the middle of whatever is being filled.
constexpr int first_stall = 20'011;
constexpr int second_stall = 20'011 + 1'237;
constexpr int all_items = second_stall + 100;

struct watched {
  std::atomic<int> arrived{0};
  std::vector<int> missing;  // at the end of each stall
  std::int64_t longest_ms = 0;

  // The source stalls until all items have arrived that it gave, or until it is clear that they will not.
  void stall(int given) {
    const auto begin = std::chrono::steady_clock::now();
    eventually([&] { return arrived == given; }, 20s);
    const auto took = std::chrono::steady_clock::now() - begin;
    longest_ms = std::max<std::int64_t>(longest_ms,
                                        std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
    missing.push_back(given - arrived);
  }
};

template <class Source> void run(const scene& s, Source source, watched& w) {
  const std::chrono::nanoseconds work(s.work_ns);
  const auto f = [work](int x) {
    spin_for(work);
    return x;
  };
  const auto sink = tw::sink([&w](int) { ++w.arrived; });
  const auto policy = tw::policy_from(s.policy);
  switch (s.middle) {
    case shape::map:
      tw::run(source | tw::map(f) | sink, policy);
      break;
    case shape::farm:
      tw::run(source | tw::farm(f, {.replicas = 2}) | sink, policy);
      break;
    case shape::farm_of_two:
      tw::run(source | tw::farm(tw::map(f) | tw::map(f), {.replicas = 2}) | sink, policy);
      break;
    case shape::two_farms:
      tw::run(source | tw::farm(f, {.replicas = 2}) | tw::map([](int x) { return x; }) |
                  tw::farm(f, {.replicas = 2}) | sink,
              policy);
      break;
    case shape::serial_stages:
      tw::run(source | tw::map(f) | tw::map(f) | tw::filter([](int) { return true; }) | sink, policy);
      break;
  }
}

TEST_P(Stall, NothingWaitsForTheSource) {
  const auto& s = GetParam();
  watched w;
  // Fewer items where each takes long.
  const int scale = s.work_ns > 1000 ? 10 : 1;
  const int first = first_stall / scale;
  const int second = second_stall / scale;
  const int all = all_items / scale;
  const bool slowly = s.how == giving::from_a_slow_start;
  const auto pull = [&, n = 0]() mutable -> std::optional<int> {
    if (n == first || n == second) w.stall(n);
    if (slowly && n < 30) std::this_thread::sleep_for(200us);
    return n < all ? std::optional(n++) : std::nullopt;
  };
  switch (s.how) {
    case giving::pulls:
    case giving::from_a_slow_start:
      run(s, tw::source(pull), w);
      break;
    case giving::emits:
      run(s, tw::source([&](tw::emitter<int>& out) {
            for (int n = 0; n < all; ++n) {
              if (n == first || n == second) w.stall(n);
              out(n);
            }
          }),
          w);
      break;
  }
  EXPECT_EQ(w.arrived, all);
  EXPECT_EQ(w.missing, (std::vector{0, 0})) << "items waited for the source";
  EXPECT_LT(w.longest_ms, 10'000);
}

// A source that is always slow: each item has to arrive before the next is given.
class SlowSource : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(policy, SlowSource,
                         testing::Values("sequential", "pool:1", "pool:2", "pool:4", "threads"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (c == ':') c = '_';
                           }
                           return name;
                         });

TEST_P(SlowSource, EachItemArrivesBeforeTheNextIsGiven) {
  std::atomic<int> arrived{0};
  int late = 0;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            if (n > 0) {
              std::this_thread::sleep_for(100us);
              if (!eventually([&] { return arrived == n; }, 5s)) ++late;
            }
            return n < 50 ? std::optional(n++) : std::nullopt;
          }) | tw::farm([](int x) { return x; }, {.replicas = 2}) |
              tw::sink([&](int) { ++arrived; }),
          tw::policy_from(GetParam()));
  EXPECT_EQ(late, 0);
  EXPECT_EQ(arrived, 50);
}

}  // namespace
