// How much work a run of items holds, changed while the run goes on.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "support/eventually.hpp"
#include "support/refusal.hpp"
#include "support/restless.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr auto item_work = 5us;

auto endless() {
  return tw::source([n = 0]() mutable -> std::optional<int> { return n++; }, {.name = "numbers"});
}

auto upto(int count) {
  return tw::source(
      [n = 0, count]() mutable -> std::optional<int> {
        return n < count ? std::optional(n++) : std::nullopt;
      },
      {.name = "numbers"});
}

int work(int x) {
  spin_for(item_work);
  return -x;
}

// A farm, a serial stage and a sink that all take a while for an item.
auto slow_job() {
  return endless() | tw::farm(work, {.replicas = 2, .name = "farm"}) | tw::map(work, {.name = "map"}) |
         tw::sink([](int x) { (void)work(x); }, {.name = "sink"});
}

// Items in each run of a stage, on average, from now on until it has had some more.
double items_in_a_run(const tw::execution& e, const std::string& stage) {
  const auto before = e.stats();
  const auto runs_before = before.stage(stage).runs();
  auto now = before;
  EXPECT_TRUE(eventually([&] { return (now = e.stats()).stage(stage).runs() > runs_before + 20; }));
  const auto seen = now.since(before);
  const auto& s = seen.stage(stage);
  return static_cast<double>(s.is_source() ? s.items_out() : s.items_in()) / static_cast<double>(s.runs());
}

struct run_length_of : testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(run_length_of, a_stage_takes_no_more_than_was_asked_for) {
  auto e = tw::launch(slow_job(), tw::policy_from(GetParam()));
  EXPECT_TRUE(eventually([&] { return items_in_a_run(e, "farm") > 4; })) << "as it sees fit";
  e.set_run_length(2 * item_work);
  // Items never take less than they spin; what had been taken before is worked on first.
  for (const auto* const stage : {"farm", "map", "sink"})
    EXPECT_TRUE(eventually([&] { return items_in_a_run(e, stage) <= 2; })) << stage;
  for (const auto* const stage : {"farm", "map", "sink"}) EXPECT_LE(items_in_a_run(e, stage), 2) << stage;
  e.set_run_length(0ns);
  EXPECT_TRUE(eventually([&] { return items_in_a_run(e, "farm") > 4; })) << "as it sees fit again";
  e.stop();
}

INSTANTIATE_TEST_SUITE_P(policies, run_length_of, testing::Values("pool:2", "threads"),
                         [](const auto& p) { return p.param == "threads" ? "threads" : "pool"; });

TEST(run_length, also_of_a_line_that_is_one_loop) {
  auto e = tw::launch(endless() | tw::farm(work, {.replicas = 2, .name = "farm"}) | tw::sink([](int) {}),
                      tw::pool{.workers = 1});
  EXPECT_TRUE(eventually([&] { return items_in_a_run(e, "numbers") > 8; }));
  e.set_run_length(2 * item_work);
  EXPECT_TRUE(eventually([&] { return items_in_a_run(e, "numbers") <= 2; }));
  EXPECT_LE(items_in_a_run(e, "numbers"), 2);
  e.stop();
}

TEST(run_length, also_of_a_source) {
  auto slow = [n = 0]() mutable -> std::optional<int> { return work(n++); };
  auto e = tw::launch(tw::source(slow, {.name = "numbers"}) | tw::sink([](int) {}), tw::threads{});
  EXPECT_TRUE(eventually([&] { return items_in_a_run(e, "numbers") > 4; }));
  e.set_run_length(2 * item_work);
  EXPECT_TRUE(eventually([&] { return items_in_a_run(e, "numbers") <= 2; }));
  EXPECT_LE(items_in_a_run(e, "numbers"), 2);
  e.stop();
}

TEST(run_length, also_of_a_farm_with_keys) {
  // All items have the same key, so one part gets all of a run.
  auto counted = tw::reduce(0, [](int n, int x) { return std::max(n, -work(x)); });
  auto e = tw::launch(endless() | tw::key_by([](int) { return 7; }) |
                          tw::farm(counted, {.replicas = 2, .name = "farm"}) | tw::sink([](const auto&) {}),
                      tw::pool{.workers = 2});
  EXPECT_TRUE(eventually([&] { return items_in_a_run(e, "farm") > 8; }));
  e.set_run_length(2 * item_work);  // for each of the two replicas
  EXPECT_TRUE(eventually([&] { return items_in_a_run(e, "farm") <= 4; }));
  EXPECT_LE(items_in_a_run(e, "farm"), 4);
  e.stop();
}

TEST(run_length, results_are_those_of_the_sequential_policy_while_it_changes) {
  constexpr int count = 20'000;
  using sums = std::vector<std::pair<int, unsigned>>;
  // Each result depends on the order of the items of its key.
  const auto ran = [](const tw::any_policy& policy, bool meddle) {
    sums got;
    auto e = tw::launch(
        upto(count) | tw::farm([](int x) { return 3 * x; }, {.replicas = 2, .name = "farm"}) |
            tw::filter([](int x) { return x % 2 == 0; }) | tw::key_by([](int x) { return x % 7; }) |
            tw::farm(tw::reduce(0U, [](unsigned n, int x) { return 31 * n + static_cast<unsigned>(x); }),
                     {.replicas = 2, .name = "keyed"}) |
            tw::sink([&](const tw::keyed<int, unsigned>& k) { got.emplace_back(k.key, k.value); }),
        policy);
    std::jthread meddler([&](const std::stop_token& over) {
      constexpr std::array lengths{0us, 1us, 500us, 7us, 50us};
      for (std::size_t i = 0; meddle && !over.stop_requested(); ++i) {
        e.set_run_length(lengths[i % lengths.size()]);
        e.set_replicas("farm", static_cast<int>(1 + i % 5));
        e.set_replicas("keyed", static_cast<int>(1 + i % 3));
        std::this_thread::yield();
      }
    });
    e.wait();
    std::sort(got.begin(), got.end());
    return got;
  };
  const auto expected = ran(tw::sequential{}, false);
  EXPECT_EQ(expected.size(), 7U);
  for (const auto* const policy : {"pool", "pool:1", "pool:3", "threads"})
    EXPECT_EQ(ran(tw::policy_from(policy), true), expected) << policy;
}

TEST(run_length, where_it_makes_no_difference_it_is_refused) {
  const auto refused = [](auto job, const char* policy) {
    auto e = tw::launch(std::move(job), tw::policy_from(policy));
    auto why = refusal_of([&] { e.set_run_length(50us); });
    e.stop();
    return why;
  };
  EXPECT_THAT(refused(slow_job(), "sequential"), HasSubstr("all stages of this job are one loop"));
  EXPECT_THAT(refused(endless() | tw::sink([](int) {}), "pool"), HasSubstr("one loop"));
  auto e = tw::launch(slow_job(), tw::pool{.workers = 2});
  for (const auto wrong : {-1ns, 999ns, 500'001ns, std::chrono::nanoseconds::max()})
    EXPECT_THAT(refusal_of([&] { e.set_run_length(wrong); }), HasSubstr("1 us to 500 us of work"));
  e.stop();
}

TEST(run_length, between_the_components_of_a_graph_one_thread_has_runs_too) {
  tw::graph g;
  auto& both = g.add<tw::split<int>>();
  g.connect(g.add(endless()).out, both.in);
  for (int i = 0; i < 2; ++i) g.connect(both.branch(), g.add(tw::sink([](int) {})).in);
  auto e = tw::launch(g, tw::sequential{});
  e.set_run_length(50us);
  e.stop();
}

TEST(run_length, a_planner_asks_for_it_and_the_report_says_so) {
  std::vector<std::optional<std::chrono::nanoseconds>> shown;
  std::atomic<std::size_t> windows{0};
  auto asks = [&](const tw::adaptation::window& seen) {
    tw::adaptation::changes wanted;
    const std::array lengths{50'000ns, 50'000ns, 1ns, std::chrono::nanoseconds(1h), 0ns};
    shown.push_back(seen.run_length);
    if (windows < lengths.size()) wanted.run_length = lengths[windows];
    wanted.reason = "items are to pass sooner";
    ++windows;
    return wanted;
  };
  auto e =
      tw::launch(slow_job(), tw::pool{.workers = 2}, {.adapt = tw::adapt{.every = 2ms, .planner = asks}});
  EXPECT_TRUE(eventually([&] { return windows > 5U; }));
  e.stop();
  const auto r = e.wait();
  std::vector<std::string> what;
  for (const auto& d : r.decisions()) what.push_back(d.what);
  EXPECT_THAT(what, ElementsAre("runs of items: as fit to 50.0 µs", "runs of items: 50.0 µs to 1.00 µs",
                                "runs of items: 1.00 µs to 500 µs", "runs of items: 500 µs to as fit"));
  EXPECT_EQ(r.decisions().front().reason, "items are to pass sooner");
  shown.resize(6);
  EXPECT_THAT(shown, ElementsAre(0ns, 50us, 50us, 1us, 500us, 0ns));
}

TEST(run_length, a_window_into_which_it_fell_says_that_something_has_changed) {
  std::atomic<bool> asked{false}, changed{false};
  std::atomic<int> windows{0};
  auto look = [&](const tw::adaptation::window& seen) {
    ++windows;
    if (asked && seen.run_length == 50us && seen.changed) changed = true;
    if (!asked) {
      EXPECT_FALSE(seen.changed);
    }
    return tw::adaptation::changes{};
  };
  auto e =
      tw::launch(slow_job(), tw::pool{.workers = 2}, {.adapt = tw::adapt{.every = 2ms, .planner = look}});
  EXPECT_TRUE(eventually([&] { return windows > 2; }));
  asked = true;
  e.set_run_length(50us);
  EXPECT_TRUE(eventually([&] { return changed.load(); }));
  e.stop();
  e.wait();
}

TEST(run_length, what_only_several_ranks_have_is_noted_once) {
  std::atomic<int> windows{0};
  auto asks = [&](const tw::adaptation::window& seen) {
    tw::adaptation::changes wanted;
    EXPECT_THAT(seen.ranks, IsEmpty());
    EXPECT_FALSE(seen.message_bytes || seen.stages[1].credits);
    EXPECT_EQ(seen.bounds.most_ranks, 1);
    wanted.ranks = 2;
    wanted.message_bytes = 4096;
    wanted.credits.push_back({"farm", 4});
    ++windows;
    return wanted;
  };
  auto e =
      tw::launch(slow_job(), tw::pool{.workers = 2}, {.adapt = tw::adapt{.every = 2ms, .planner = asks}});
  EXPECT_TRUE(eventually([&] { return windows > 4; }));
  e.stop();
  const auto r = e.wait();
  EXPECT_THAT(r.decisions(), IsEmpty());
  EXPECT_THAT(r.notes(),
              ElementsAre(HasSubstr("set_credits"), HasSubstr("set_ranks"), HasSubstr("set_message_bytes")));
}

TEST(run_length, credits_of_a_stage_that_is_not_there_end_adaptation) {
  auto asks = [](const tw::adaptation::window&) { return tw::adaptation::changes{.credits = {{"farn", 4}}}; };
  auto e =
      tw::launch(slow_job(), tw::pool{.workers = 2}, {.adapt = tw::adapt{.every = 2ms, .planner = asks}});
  EXPECT_TRUE(eventually([&] { return !e.stats().notes().empty(); }));
  e.stop();
  EXPECT_THAT(e.wait().notes(), ElementsAre(HasSubstr("there is no stage 'farn'; did you mean 'farm'?")));
}

TEST(run_length, bounds_of_ranks_must_hold_a_number) {
  for (const auto& [least, most] : {std::pair{3, 2}, {0, 2}, {-1, -1}}) {
    const tw::adapt how{.bounds = {.least_ranks = least, .most_ranks = most}};
    EXPECT_THAT(refusal_of([&] { tw::run(slow_job(), tw::pool{}, {.adapt = how}); }),
                HasSubstr("ranks hold no number above 0"));
  }
}

TEST(run_length, a_farm_with_a_range_alone_changes_nothing_else) {
  auto ranged = tw::farm([](int x) { return x; }, {.replicas = tw::adaptive(1, 4), .name = "farm"});
  auto e = tw::launch(endless() | std::move(ranged) | tw::sink([](int) {}), tw::pool{.workers = 2});
  e.set_run_length(20us);
  e.stop();
  EXPECT_THAT(e.wait().notes(), IsEmpty());
}

TEST(run_length, restless_runs_keep_their_order) {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    int next = 0;
    const auto r = tw::run(upto(20'000) | tw::farm([](int x) { return -x; }, {.replicas = 2}) |
                               tw::sink([&](int x) { EXPECT_EQ(x, -next++); }),
                           tw::threads{}, {.adapt = restless(seed)});
    EXPECT_EQ(next, 20'000);
    EXPECT_EQ(r.items(), 20'000U);
  }
}
