// What waits in a graph: little of it, where it does not pay that more does; for whom it waits, in a farm and
// in branches of which one is slow; and that it is measured. Stages sleep, which needs no core; counts are
// looked at, not times.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <ranges>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/eventually.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

// --- how much waits in front of a slow stage ---

/// A line; or a graph in which the slow stage is behind a tee, by itself or beside a branch that is quick.
enum class shape { line, one_branch, two_branches };

void PrintTo(shape s, std::ostream* out) {
  *out << static_cast<int>(s);
}
template <class Info> std::string name_of_case(const Info& info) {
  constexpr std::array shapes{"line", "one_branch", "two_branches"};
  std::string name =
      std::get<0>(info.param) + "_" + shapes[static_cast<std::size_t>(std::get<1>(info.param))];
  std::ranges::replace(name, ':', '_');
  return name;
}

class Waiting : public testing::TestWithParam<std::tuple<std::string, shape>> {
 protected:
  struct seen {
    long waiting = 0;  // items on their way from the source to the sink, at most
    long late = 0;     // those that came to the sink after stop()
  };

  /// Lets an endless source go through `slowly` until `first` items are through, watches what is on its way
  /// until `then` more are, and stops.
  template <class Slowly> static seen watch(Slowly slowly, long first, long then) {
    std::atomic<long> given{0};
    std::atomic<long> taken{0};
    auto source = tw::source([&]() -> std::optional<int> { return static_cast<int>(given++); });
    auto stage = tw::map(std::move(slowly), {.name = "slow"});
    auto sink = tw::sink([&](int) { ++taken; });
    const auto policy = tw::policy_from(std::get<0>(GetParam()));
    tw::graph g;
    auto e = [&] {
      if (std::get<1>(GetParam()) == shape::line) return tw::launch(source | stage | sink, policy);
      auto& tee = g.add<tw::tee<int>>();
      auto added = g.add(stage);
      g.connect(g.add(source).out, tee.in);
      g.connect(tee.branch(), added.in);
      g.connect(added.out, g.add(sink).in);
      if (std::get<1>(GetParam()) == shape::two_branches)
        g.connect(tee.branch(), g.add(tw::sink([](int) {})).in);
      return tw::launch(g, policy);
    }();
    EXPECT_TRUE(eventually([&] { return taken >= first; }));
    seen s;
    EXPECT_TRUE(eventually([&] {
      const long out = taken;  // first, so that none is missed
      s.waiting = std::max(s.waiting, given - out);
      return out >= first + then;
    }));
    const long before = taken;
    e.stop();
    std::atomic<bool> over{false};
    std::thread waits([&] {
      e.wait();
      over = true;
    });
    // If hundreds of thousands are on their way, this would take for ever.
    (void)eventually([&] { return over || taken > before + 3 * bound; });
    if (!over) e.cancel();
    waits.join();
    s.late = taken - before;
    return s;
  }

  /// A slow stage takes 0.2 ms and more, so that there are at most 50 in 10 ms; and a run of items that was
  /// begun when nothing was known yet, or under other circumstances, may be longer. Several times that.
  static constexpr long bound = 400;
};
INSTANTIATE_TEST_SUITE_P(policies, Waiting,
                         testing::Combine(testing::Values(std::string("pool"), std::string("pool:4"),
                                                          std::string("threads"), std::string("sequential")),
                                          testing::Values(shape::line, shape::one_branch,
                                                          shape::two_branches)),
                         [](const auto& info) { return name_of_case(info); });

// Guards against pipes that are bounded by so many runs of as many items as are worth it for the sender: what
// waits is latency, memory, and work that stop() has to wait for. It is bounded by the work that it is for
// who receives it.
TEST_P(Waiting, InFrontOfASlowStageIsBoundedByItsWork) {
  const auto s = watch(
      [](int x) {
        std::this_thread::sleep_for(200us);
        return x;
      },
      300, 300);
  EXPECT_LT(s.waiting, bound);
  EXPECT_LT(s.late, bound) << "came after stop()";
}

// The same if the stage becomes slow only later, when runs of items have become long for good reasons. Those
// that were on their way then have to be worked on; from then on no more may wait than if it had always been
// slow.
TEST_P(Waiting, InFrontOfAStageThatBecomesSlowIsBoundedByItsWork) {
  const auto s = watch(
      [k = 0](int x) mutable {
        if (++k > 3'000)
          std::this_thread::sleep_for(200us);
        else
          spin_for(20us);
        return x;
      },
      5'000, 300);
  EXPECT_LT(s.waiting, bound);
  EXPECT_LT(s.late, bound) << "came after stop()";
}

// And where the items before were so cheap that runs of thousands were worth it: of these a few wait, not all
// that the pipes have places for.
TEST_P(Waiting, CheapItemsInFrontOfAStageThatBecomesSlowAreAFewRuns) {
  constexpr long longest_run = 8192;
  std::atomic<long> given{0};
  std::atomic<long> taken{0};
  auto source = tw::source([&]() -> std::optional<int> { return static_cast<int>(given++); });
  auto stage = tw::map([k = 0](int x) mutable {
    if (++k > 100'000) std::this_thread::sleep_for(200us);
    return x;
  });
  auto sink = tw::sink([&](int) { ++taken; });
  const auto policy = tw::policy_from(std::get<0>(GetParam()));
  tw::graph g;
  auto& tee = g.add<tw::tee<int>>();
  auto added = g.add(stage);
  g.connect(g.add(source).out, tee.in);
  g.connect(tee.branch(), added.in);
  g.connect(added.out, g.add(sink).in);
  if (std::get<1>(GetParam()) == shape::two_branches) g.connect(tee.branch(), g.add(tw::sink([](int) {})).in);
  auto e = std::get<1>(GetParam()) == shape::line ? tw::launch(source | stage | sink, policy)
                                                  : tw::launch(g, policy);
  EXPECT_TRUE(eventually([&] { return taken >= 100'200; }));
  // Two runs in front of the tee and of the stage, and what they and the source have in hand.
  EXPECT_LT(given - taken, 8 * longest_run);
  e.cancel();
  e.wait();
}

// --- for whom ---

class WaitingFor : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  static tw::any_policy policy() { return tw::policy_from(std::get<0>(GetParam())); }
  static bool graph() { return std::get<1>(GetParam()); }

  struct share {
    long quick = 0, slow = 0;
  };
  /// How many of `items` the slow one of the replicas of a farm took, and how many the others.
  static share of_a_farm(int items, tw::options options) {
    std::atomic<int> made{0};
    std::atomic<long> slow{0};
    std::atomic<long> quick{0};
    options.name = "work";
    auto farm = tw::farm(tw::map(tw::per_replica([&] {
                           return [&, is_slow = made++ == 0](int x) {
                             ++(is_slow ? slow : quick);
                             std::this_thread::sleep_for(is_slow ? 10ms : 50us);
                             return x;
                           };
                         })),
                         options);
    std::vector<int> seen;
    if (!graph()) {
      tw::run(tw::source(std::views::iota(0, items)) | farm | tw::sink(seen), policy());
    } else {
      tw::graph g;
      auto& tee = g.add<tw::tee<int>>();
      auto f = g.add(farm);
      g.connect(g.add(tw::source(std::views::iota(0, items))).out, tee.in);
      g.connect(tee.branch(), f.in);
      g.connect(f.out, g.add(tw::sink(seen)).in);
      tw::run(g, policy());
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(items));
    EXPECT_TRUE(options.unordered || std::ranges::is_sorted(seen));
    return {quick, slow};
  }
};
INSTANTIATE_TEST_SUITE_P(policies, WaitingFor,
                         // Under `pool` the stages of a line that follow each other are one node.
                         testing::Values(std::tuple(std::string("pool:4"), true),
                                         std::tuple(std::string("threads"), true),
                                         std::tuple(std::string("threads"), false)),
                         [](const auto& info) {
                           std::string name =
                               std::get<0>(info.param) + (std::get<1>(info.param) ? "_graph" : "_line");
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

// Guards against a farm that deals its items out before anybody is free for them. A quick replica is through
// with some fifty items while the slow one is with one; half of them each would take a hundred times as long.
TEST_P(WaitingFor, OfTwoReplicasTheQuickOneTakesMostItemsInOrder) {
  const auto s = of_a_farm(400, {.replicas = 2, .blocking = true});
  EXPECT_LT(s.slow, 100) << s.quick << " by the other one";
}
TEST_P(WaitingFor, OfTwoReplicasTheQuickOneTakesMostItemsInAnyOrder) {
  const auto s = of_a_farm(400, {.replicas = 2, .unordered = true, .blocking = true});
  EXPECT_LT(s.slow, 100) << s.quick << " by the other one";
}
TEST_P(WaitingFor, OfFourReplicasTheQuickOnesTakeMostItems) {
  for (const bool unordered : {false, true}) {
    const auto s = of_a_farm(400, {.replicas = 4, .unordered = unordered});
    EXPECT_LT(s.slow, 50) << s.quick << " by the others" << (unordered ? ", unordered" : "");
  }
}

// Guards against a split that gives a branch more than it has room for, or waits for the slow one while the
// quick one has nothing to do.
TEST_P(WaitingFor, OfTwoBranchesTheQuickOneTakesMostItems) {
  if (!graph()) GTEST_SKIP() << "a line has no branches";
  for (const auto& how : {tw::on_demand, tw::next_with_room}) {
    for (const int capacity : {1, 4, tw::automatic}) {
      long quick = 0;
      long slow = 0;
      tw::graph g;
      auto& s = g.add<tw::split<int>>(how);
      const auto branch = [&](long& n, std::chrono::microseconds time) {
        auto end = g.add(tw::sink(
            [&n, time](int) {
              ++n;
              std::this_thread::sleep_for(time);
            },
            {.blocking = true}));
        g.connect(s.branch(), end.in, {.capacity = capacity});
      };
      g.connect(g.add(tw::source(std::views::iota(0, 800))).out, s.in);
      branch(slow, 20ms);
      branch(quick, 50us);
      tw::run(g, policy());
      EXPECT_EQ(quick + slow, 800);
      EXPECT_LT(slow, 100) << "capacity " << capacity
                           << (how.how() == tw::schedule::kind::on_demand ? ", on demand"
                                                                          : ", next with room");
    }
  }
}

// --- that it is measured ---

struct passing : tw::stage {
  explicit passing(std::chrono::microseconds t) : time(t) {}
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  void on_item(tw::in<int>&, int x) {
    std::this_thread::sleep_for(time);
    out.send(x);
  }
  std::chrono::microseconds time;
};

class WaitingMeasured : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  struct outcome {
    tw::report report;
    std::string quick = "quick";
    std::string slow = "slow";
  };
  /// A quick stage, and behind it one that takes several times as long.
  static outcome two_stages() {
    constexpr int items = 400;
    const auto policy = tw::policy_from(std::get<0>(GetParam()));
    constexpr auto quick = 30us;
    constexpr auto slow = 300us;
    if (!std::get<1>(GetParam())) {
      const auto sleeps = [](std::chrono::microseconds time) {
        return [time](int x) {
          std::this_thread::sleep_for(time);
          return x;
        };
      };
      return {tw::run(tw::source(std::views::iota(0, items), {.name = "read"}) |
                          tw::map(sleeps(quick), {.capacity = 4, .name = "quick"}) |
                          tw::map(sleeps(slow), {.capacity = 4, .name = "slow"}) |
                          tw::sink([](int) {}, {.name = "end"}),
                      policy)};
    }
    tw::graph g;
    auto& a = g.add<passing>(quick);
    auto& b = g.add<passing>(slow);
    g.connect(g.add(tw::source(std::views::iota(0, items), {.name = "read"})).out, a.in, {.capacity = 4});
    g.connect(a.out, b.in, {.capacity = 4});
    g.connect(b.out, g.add(tw::sink([](int) {}, {.name = "end"})).in);
    return {tw::run(g, policy), a.name(), b.name()};
  }
  static json told_of(const tw::report& r, const std::string& stage) {
    const auto all = json::parse(r.to_json()).at("stages");
    const auto found = std::ranges::find_if(all, [&](const json& s) { return s.at("name") == stage; });
    return found == all.end() ? json{} : *found;
  }
};
INSTANTIATE_TEST_SUITE_P(policies, WaitingMeasured,
                         // Under `pool` the stages of a line that follow each other are one node.
                         testing::Values(std::tuple(std::string("pool:4"), true),
                                         std::tuple(std::string("threads"), true),
                                         std::tuple(std::string("threads"), false)),
                         [](const auto& info) {
                           std::string name =
                               std::get<0>(info.param) + (std::get<1>(info.param) ? "_graph" : "_line");
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

// Guards against reports that know nothing of the pipes of a graph.
TEST_P(WaitingMeasured, HowManyWaitInFrontOfTheSlowStage) {
  const auto [r, quick, slow] = two_stages();
  const auto level = r.stage(slow).occupancy();
  EXPECT_GT(level.mean, 0);
  EXPECT_GE(level.max, 1U);
  EXPECT_LE(level.max, 40U);
  EXPECT_EQ(level.capacity, 4U);
  const auto told = told_of(r, slow).at("occupancy");
  EXPECT_DOUBLE_EQ(told.at("mean").get<double>(), level.mean);
  EXPECT_EQ(told.at("max").get<std::uint64_t>(), level.max);
}

// The quick stage waits for room, and the sink for items. How long depends on how busy the machine is.
TEST_P(WaitingMeasured, HowLongTheQuickStagesWait) {
  const auto [r, first, second] = two_stages();
  const auto& quick = r.stage(first);
  const auto& slow = r.stage(second);
  const auto& end = r.stage("end");
  EXPECT_GT(quick.waited_for_output(), 0ns);
  EXPECT_GT(end.waited_for_input(), 0ns);
  EXPECT_EQ(end.waited_for_output(), 0ns);
  EXPECT_LE(slow.waited_for_output() + slow.waited_for_input(), r.elapsed());
  EXPECT_EQ(told_of(r, first).at("waited_for_output_ns"), quick.waited_for_output().count());
  EXPECT_EQ(told_of(r, "end").at("waited_for_input_ns"), end.waited_for_input().count());
  std::ostringstream table;
  table << r;
  EXPECT_NE(table.str().find("in pipe"), std::string::npos) << r;
  EXPECT_NE(table.str().find("wait"), std::string::npos) << r;
}

// A farm with state for each key: `quick` is the time between two items, `slow` that of one.
tw::report keyed_farm(const std::string& policy, std::chrono::microseconds quick,
                      std::chrono::microseconds slow) {
  const auto read = [quick, n = 0]() mutable -> std::optional<int> {
    if (n == 400) return std::nullopt;
    if (quick > 0us) std::this_thread::sleep_for(quick);
    return n++;
  };
  const auto add = [slow](int& sum, const int& x) {
    if (slow > 0us) std::this_thread::sleep_for(slow);
    return sum += x;
  };
  return tw::run(
      tw::source(read, {.name = "read"}) |
          tw::farm(tw::key_by([](const int& x) { return x % 7; }, add, {.capacity = 4, .name = "keyed"}),
                   {.replicas = 2}) |
          tw::sink([](int) {}, {.name = "end"}),
      tw::policy_from(policy));
}

TEST(WaitingMeasuredWithKeys, HowManyWaitInFront) {
  for (const std::string policy : {"pool:4", "threads"}) {
    const auto r = keyed_farm(policy, 0us, 300us);
    const auto level = r.stage("keyed").occupancy();
    EXPECT_GT(level.mean, 0) << policy;
    EXPECT_GE(level.max, 1U) << policy;
    EXPECT_EQ(level.capacity, 4U) << policy;
  }
}

TEST(WaitingMeasuredWithKeys, HowLongThereIsNothingToDivide) {
  for (const std::string policy : {"pool:4", "threads"}) {
    const auto r = keyed_farm(policy, 300us, 0us);
    EXPECT_GT(r.stage("keyed").waited_for_input(), 0ns) << policy;
  }
}

// --- what a source keeps ---

std::atomic<long> live_bytes{0};
std::atomic<long> most_live_bytes{0};

/// Says that it holds so many bytes.
class block {
 public:
  explicit block(long bytes) : bytes_(bytes) {
    const long now = live_bytes += bytes;
    for (long most = most_live_bytes; now > most && !most_live_bytes.compare_exchange_weak(most, now);) {
    }
  }
  block(block&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  block& operator=(block&&) = delete;
  ~block() { live_bytes -= bytes_; }
  [[nodiscard]] std::size_t size_of() const noexcept { return static_cast<std::size_t>(bytes_); }

 private:
  long bytes_;
};

// Guards against bounds by number alone in the node of a source: cheap items have made runs long, and then
// one item becomes thousands that are large, while the receiver stands still.
TEST(WhatASourceKeeps, IsBoundedByBytes) {
  constexpr long megabyte = 1 << 20;
  most_live_bytes = 0;
  auto many = tw::flat_map([](int k, tw::emitter<block>& out) {
    for (int i = 0; i < (k < 4'000 ? 100 : 1'500); ++i) out.send(block(k < 4'000 ? 64 : megabyte));
  });
  int large = 0;
  int next = 0;
  tw::run(tw::source([&]() -> std::optional<int> {
            if (next == 4'002) return std::nullopt;
            return next++;
          }) | many |
              tw::sink(
                  [&](block b) {
                    if (b.size_of() == megabyte && large++ == 50) std::this_thread::sleep_for(300ms);
                  },
                  {.blocking = true}),
          tw::pool{});
  EXPECT_EQ(large, 3'000);
  EXPECT_LT(most_live_bytes, 500 * megabyte);  // some runs of 8 MiB; without a bound it is all 1 500
}

}  // namespace
