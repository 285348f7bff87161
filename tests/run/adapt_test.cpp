// Runs that adapt themselves: the loop between a run and its planner.
#include <thalweg/adapt/controlled_by.hpp>
#include <thalweg/run/engine.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <stdlib.h>

#include "net/raw_peer.hpp"
#include "support/eventually.hpp"
#include "support/refusal.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

auto endless() {
  return tw::source([n = 0]() mutable -> std::optional<int> { return n++; }, {.name = "numbers"});
}

auto farm_of(int replicas) {
  return tw::farm([](int x) { return -x; }, {.replicas = replicas, .name = "negate"});
}

/// A planner that asks for these numbers, one a window, and then for nothing more.
tw::adaptation::planner asks(std::vector<int> numbers, std::string stage = "negate") {
  return [numbers, stage, next = std::size_t{0}](const tw::adaptation::window&) mutable {
    tw::adaptation::changes wanted;
    if (next == numbers.size()) return wanted;
    wanted.replicas.push_back({stage, numbers[next++]});
    wanted.reason = "it is in the list";
    wanted.predicted = 12;
    return wanted;
  };
}

struct all_policies : testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(all_policies, a_planner_changes_the_replicas_and_the_report_says_why) {
  auto e = tw::launch(endless() | farm_of(1) | tw::sink([](int) {}), tw::policy_from(GetParam()),
                      {.adapt = tw::adapt{.every = 2ms, .planner = asks({3, 2})}});
  ASSERT_TRUE(eventually([&] {
    const auto now = e.stats();
    return now.decisions().size() == 2 && now.decisions().back().reached > 0;
  }));
  e.stop();
  const auto r = e.wait();
  ASSERT_THAT(r.decisions(), SizeIs(2));
  EXPECT_EQ(r.decisions()[0].what, "negate: 1 to 3 replicas");
  EXPECT_EQ(r.decisions()[1].what, "negate: 3 to 2 replicas");
  EXPECT_EQ(r.decisions()[0].planner, "custom");
  EXPECT_EQ(r.decisions()[0].reason, "it is in the list");
  EXPECT_EQ(r.decisions()[0].predicted, 12);
  EXPECT_LT(r.decisions()[0].at, r.decisions()[1].at);
  EXPECT_EQ(r.stage("negate").replicas(), 2);
  EXPECT_THAT(r.resizes(), SizeIs(2));
  EXPECT_THAT(r.to_json(), HasSubstr("\"decisions\""));
  EXPECT_THAT(r.to_string(), HasSubstr("negate: 1 to 3 replicas"));
}

TEST_P(all_policies, results_stay_in_order_while_it_changes) {
  const int count = 20'000;
  int next = 0;
  auto jumps = [n = 0](const tw::adaptation::window& w) mutable {
    tw::adaptation::changes wanted;
    for (const auto& s : w.stages) {
      if (s.farm()) wanted.replicas.push_back({s.name, 1 + (n += 3) % 7});
    }
    return wanted;
  };
  const auto r = tw::run(tw::source([n = 0]() mutable -> std::optional<int> {
                           return n < count ? std::optional(n++) : std::nullopt;
                         }) | farm_of(2) |
                             tw::sink([&](int x) { EXPECT_EQ(x, -next++); }),
                         tw::policy_from(GetParam()), {.adapt = tw::adapt{.every = 1ms, .planner = jumps}});
  EXPECT_EQ(next, count);
  EXPECT_EQ(r.items(), static_cast<std::uint64_t>(count));
}

INSTANTIATE_TEST_SUITE_P(adapt, all_policies, testing::Values("pool", "pool:2", "threads"),
                         [](const auto& p) {
                           auto name = p.param;
                           std::erase(name, ':');
                           return name;
                         });

TEST(adapt, what_is_asked_for_beyond_the_bounds_counts_as_the_bound) {
  auto e = tw::launch(
      endless() | farm_of(2) | tw::sink([](int) {}), tw::threads{},
      {.adapt = tw::adapt{
           .every = 2ms, .planner = asks({1000, -5}), .bounds = {.least_replicas = 2, .most_replicas = 4}}});
  ASSERT_TRUE(eventually([&] { return e.stats().decisions().size() == 2; }));
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(r.decisions()[0].what, "negate: 2 to 4 replicas");
  EXPECT_EQ(r.decisions()[1].what, "negate: 4 to 2 replicas");
}

TEST(adapt, a_window_shows_what_the_stages_do) {
  std::mutex lock;
  std::optional<tw::adaptation::window> seen;
  // The first one in which the farm has done something, and was timed by both clocks: it sleeps.
  auto look = [&](const tw::adaptation::window& w) {
    const std::lock_guard hold(lock);
    const auto& farm = w.stages.at(1);
    if (!seen && farm.items_in > 0 && farm.busy > 0ns && farm.computing() < 0.9) seen = w;
    return tw::adaptation::changes{};
  };
  auto slow = [](int x) {
    std::this_thread::sleep_for(1ms);
    return x;
  };
  auto e = tw::launch(endless() |
                          tw::farm(tw::map(slow, {.name = "wait"}) | tw::map([](int x) { return x; }),
                                   {.replicas = 2, .name = "work"}) |
                          tw::sink([](int) {}, {.name = "forget"}),
                      tw::threads{},
                      {.adapt = tw::adapt{.goal = tw::latency(0.9, 3ms), .every = 20ms, .planner = look}});
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard hold(lock);
    return seen.has_value();
  }));
  e.stop();
  const auto r = e.wait();
  ASSERT_THAT(seen->stages, SizeIs(3)) << "a farm is one stage";
  const auto& farm = seen->stages[1];
  EXPECT_EQ(farm.name, "work/wait");
  EXPECT_TRUE(seen->stages[0].source && seen->stages[2].sink);
  EXPECT_THAT(farm.inputs, ElementsAre(0));
  EXPECT_THAT(seen->stages[2].inputs, ElementsAre(1));
  EXPECT_EQ(farm.replicas, 2);
  EXPECT_EQ(farm.least, 1);
  EXPECT_GT(farm.most, 100);
  EXPECT_FALSE(seen->stages[0].farm() || seen->stages[2].farm());
  EXPECT_GT(seen->length, 0ns);
  EXPECT_EQ(seen->goal.limit, 3ms);
  EXPECT_EQ(seen->goal.quantile, 0.9);
  EXPECT_TRUE(r.decisions().empty());
}

TEST(adapt, a_farm_has_the_names_of_all_its_stages) {
  for (const char* name : {"work", "work/first", "work/second"}) {
    auto same = [](int x) { return x; };
    auto e = tw::launch(endless() |
                            tw::farm(tw::map(same, {.name = "first"}) | tw::map(same, {.name = "second"}),
                                     {.replicas = 1, .name = "work"}) |
                            tw::sink([](int) {}),
                        tw::threads{}, {.adapt = tw::adapt{.every = 1ms, .planner = asks({3}, name)}});
    ASSERT_TRUE(eventually([&] { return !e.stats().decisions().empty(); })) << name;
    e.stop();
    EXPECT_EQ(e.wait().decisions().front().what, "work/first: 1 to 3 replicas") << name;
  }
}

TEST(adapt, a_farm_with_more_replicas_than_cores_has_their_threads_from_the_beginning) {
  if (tw::run_detail::cores() == 1) GTEST_SKIP() << "one core: one thread does everything";
  const int many = 4 * tw::run_detail::cores();
  auto nothing = [](const tw::adaptation::window&) { return tw::adaptation::changes{}; };
  auto e = tw::launch(endless() | farm_of(many) | tw::sink([](int) {}), tw::pool{},
                      {.adapt = tw::adapt{.planner = nothing}});
  EXPECT_GE(e.stats().workers(), many);
  e.stop();
  (void)e.wait();
}

TEST(adapt, batches_change_too) {
  auto small = [](const tw::adaptation::window& w) {
    tw::adaptation::changes wanted;
    const auto* const blocks = w.find("blocks");
    if (blocks != nullptr && blocks->batch) wanted.batches.push_back({"blocks", {.items = 5}});
    return wanted;
  };
  auto e =
      tw::launch(endless() | tw::batch(1000, {.name = "blocks"}) | tw::sink([](const std::vector<int>&) {}),
                 tw::pool{}, {.adapt = tw::adapt{.every = 2ms, .planner = small}});
  ASSERT_TRUE(eventually([&] { return !e.stats().decisions().empty(); }));
  e.stop();
  const auto r = e.wait();
  ASSERT_THAT(r.decisions(), SizeIs(1)) << "what is so already is no change";
  EXPECT_EQ(r.decisions()[0].what, "blocks: batches of 1 000 items to 5 items");
  EXPECT_EQ(r.batch_changes().front().to.items, 5);
}

TEST(adapt, a_batch_that_cannot_have_such_limits_keeps_its_own) {
  std::atomic<int> windows{0};
  auto timed = [&](const tw::adaptation::window&) {
    ++windows;
    return tw::adaptation::changes{.batches = {{"blocks", {.interval = 5ms}}}};
  };
  auto e =
      tw::launch(endless() | tw::batch(1000, {.name = "blocks"}) | tw::sink([](const std::vector<int>&) {}),
                 tw::pool{}, {.adapt = tw::adapt{.every = 1ms, .planner = timed}});
  ASSERT_TRUE(eventually([&] { return windows > 3; }));
  e.stop();
  const auto r = e.wait();
  EXPECT_THAT(r.notes(), ElementsAre(HasSubstr("made without an interval"))) << "once, and it goes on";
  EXPECT_TRUE(r.decisions().empty());
}

TEST(adapt, a_planner_that_cannot_begin_refuses_the_run) {
  const auto where = "unix:/" + std::string(300, 'x');  // longer than such an address can be
  EXPECT_THROW(tw::run(endless() | farm_of(1) | tw::sink([](int) {}), tw::pool{},
                       {.adapt = tw::adapt{.planner = tw::controlled_by(where)}}),
               tw::error);
}

TEST(adapt, a_controller_outside_changes_a_run) {
  auto path = (std::filesystem::temp_directory_path() / "thalweg-XXXXXX").string();
  ASSERT_NE(::mkdtemp(path.data()), nullptr);
  const auto socket = path + "/run.sock";
  auto e = tw::launch(endless() | farm_of(1) | tw::sink([](int) {}), tw::threads{},
                      {.adapt = tw::adapt{.every = 5ms, .planner = tw::controlled_by("unix:" + socket)}});
  {
    auto controller = raw_peer::connected_to(socket);
    int seq = 0;  // until it has seen a window, the run knows of no stages
    ASSERT_TRUE(eventually([&] {
      (void)controller.say("{\"v\": 1, \"seq\": " + std::to_string(++seq) +
                           ", \"replicas\": {\"negate\": 3}}\n");
      return e.stats().stage("negate").replicas() == 3;
    }));
  }
  e.stop();
  EXPECT_EQ(e.wait().decisions().front().what, "negate: 1 to 3 replicas");
  EXPECT_FALSE(std::filesystem::exists(socket));
  std::filesystem::remove_all(path);
}

TEST(adapt, a_range_of_one_farm_leaves_the_others_alone) {
  auto e = tw::launch(endless() |
                          tw::farm([](int x) { return x; }, {.replicas = tw::adaptive(5, 6), .name = "a"}) |
                          farm_of(1) | tw::sink([](int) {}),
                      tw::threads{});
  EXPECT_THAT(e.stats().stage("a").replicas(), testing::AllOf(testing::Ge(5), testing::Le(6)));
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(r.stage("negate").replicas(), 1);
  for (const auto& d : r.decisions()) EXPECT_THAT(d.what, testing::StartsWith("a: "));
}

TEST(adapt, it_can_begin_later_and_end) {
  auto e = tw::launch(endless() | farm_of(1) | tw::sink([](int) {}), tw::threads{});
  e.adapt(tw::adapt{.every = 1ms, .planner = asks({2})});
  ASSERT_TRUE(eventually([&] { return e.stats().stage("negate").replicas() == 2; }));
  e.adapt(tw::adapt{.every = 1ms, .planner = asks({4})});
  ASSERT_TRUE(eventually([&] { return e.stats().stage("negate").replicas() == 4; }));
  e.adapt(std::nullopt);
  e.set_replicas("negate", 3);
  e.stop();
  EXPECT_EQ(e.wait().stage("negate").replicas(), 3);
  e.adapt(tw::adapt{});  // the run is over: nothing happens
}

TEST(adapt, a_planner_that_fails_leaves_the_run_alone) {
  auto bad = [](const tw::adaptation::window&) -> tw::adaptation::changes {
    throw std::runtime_error("no idea");
  };
  auto worse = [](const tw::adaptation::window&) -> tw::adaptation::changes { throw 42; };
  for (const auto& planner : {tw::adaptation::planner(bad), tw::adaptation::planner(worse),
                              asks({2}, "nobody"), asks({2}, "numbers")}) {
    auto e = tw::launch(endless() | farm_of(1) | tw::sink([](int) {}), tw::threads{},
                        {.adapt = tw::adapt{.every = 1ms, .planner = planner}});
    ASSERT_TRUE(eventually([&] { return !e.stats().notes().empty(); }));
    e.stop();
    const auto r = e.wait();
    EXPECT_THAT(r.notes(), ElementsAre(HasSubstr(".adapt has ended")));
    EXPECT_EQ(r.stage("negate").replicas(), 1);
  }
}

TEST(adapt, what_was_done_before_a_planner_failed_is_noted) {
  auto half = [](const tw::adaptation::window&) {
    return tw::adaptation::changes{.replicas = {{"negate", 3}, {"nobody", 2}}};
  };
  auto e = tw::launch(endless() | farm_of(1) | tw::sink([](int) {}), tw::threads{},
                      {.adapt = tw::adapt{.every = 1ms, .planner = half}});
  ASSERT_TRUE(eventually([&] { return !e.stats().notes().empty(); }));
  e.stop();
  const auto r = e.wait();
  ASSERT_THAT(r.decisions(), SizeIs(1));
  EXPECT_EQ(r.decisions()[0].what, "negate: 1 to 3 replicas");
  EXPECT_EQ(r.stage("negate").replicas(), 3);
}

TEST(adapt, a_planner_that_would_wait_for_itself_is_refused) {
  tw::execution* run = nullptr;
  std::atomic<bool> there{false};
  auto waits = [&](const tw::adaptation::window&) {
    while (!there) std::this_thread::yield();
    run->wait();
    return tw::adaptation::changes{};
  };
  auto ends = [&](const tw::adaptation::window&) {
    while (!there) std::this_thread::yield();
    run->adapt(std::nullopt);
    return tw::adaptation::changes{};
  };
  for (const auto& [planner, says] :
       {std::pair{tw::adaptation::planner(waits), "would wait for itself"},
        std::pair{tw::adaptation::planner(ends), "the planner of the same run"}}) {
    there = false;
    auto e = tw::launch(endless() | farm_of(1) | tw::sink([](int) {}), tw::threads{},
                        {.adapt = tw::adapt{.every = 1ms, .planner = planner}});
    run = &e;
    there = true;
    ASSERT_TRUE(eventually([&, now = &e] { return !now->stats().notes().empty(); }));
    e.stop();
    EXPECT_THAT(e.wait().notes(), ElementsAre(HasSubstr(says)));
  }
}

TEST(adapt, where_nothing_can_be_changed_it_says_so) {
  int left = 10;
  auto few = [&]() -> std::optional<int> { return left > 0 ? std::optional(left--) : std::nullopt; };
  const auto serial = tw::run(tw::source(few) | tw::sink([](int) {}), tw::pool{}, {.adapt = tw::adapt{}});
  EXPECT_THAT(serial.notes(), ElementsAre(HasSubstr("nothing that could be changed")));
  left = 10;
  const auto alone =
      tw::run(tw::source(few) | farm_of(2) | tw::sink([](int) {}), tw::sequential{}, {.adapt = tw::adapt{}});
  EXPECT_THAT(alone.notes(), ElementsAre(HasSubstr("nothing that could be changed")));
}

TEST(adapt, what_makes_no_sense_is_refused) {
  auto with = [](tw::run_options options) {
    return refusal_of([&] { tw::run(endless() | farm_of(1) | tw::sink([](int) {}), tw::pool{}, options); });
  };
  EXPECT_THAT(with({.adapt = tw::adapt{.every = 10us}}), HasSubstr(".every must be at least 1 ms"));
  EXPECT_THAT(with({.adapt = tw::adapt{.bounds = {.least_replicas = 3, .most_replicas = 2}}}),
              HasSubstr("from 3 to 2 replicas"));
  EXPECT_THAT(
      with({.adapt = tw::adapt{.bounds = {.most_processors = std::numeric_limits<double>::quiet_NaN()}}}),
      HasSubstr(".most_processors"));
  EXPECT_THAT(with({.observe = false, .adapt = tw::adapt{}}), HasSubstr("without .observe"));
  auto farmed = [](tw::replica_count n) {
    return refusal_of([&] {
      tw::run(endless() | tw::farm([](int x) { return x; }, {.replicas = n, .name = "f"}) |
              tw::sink([](int) {}));
    });
  };
  EXPECT_THAT(farmed(tw::adaptive(0, 3)), HasSubstr("is no range of replicas"));
  EXPECT_THAT(farmed(tw::adaptive(4, 3)), HasSubstr("is no range of replicas"));
  EXPECT_THAT(refusal_of([] {
                tw::run(endless() | tw::map([](int x) { return x; }, {.replicas = tw::adaptive(1, 2)}) |
                        tw::sink([](int) {}));
              }),
              HasSubstr("is serial, so tw::adaptive does nothing"));
  EXPECT_THAT(refusal_of([] {
                tw::run(endless() |
                        tw::farm(tw::farm([](int x) { return x; }, {.replicas = tw::adaptive(1, 2)}),
                                 {.replicas = 2}) |
                        tw::sink([](int) {}));
              }),
              HasSubstr("give it to the farm around it"));
}

TEST(adapt, the_environment_asks_for_programs_that_know_nothing_of_it) {
  int left = 10;
  auto few = [&]() -> std::optional<int> { return left > 0 ? std::optional(left--) : std::nullopt; };
  auto notes = [&](const tw::run_options& options = {}) {
    left = 10;
    return tw::run(tw::source(few) | tw::sink([](int) {}), tw::pool{}, options).notes();
  };
  EXPECT_TRUE(notes().empty());
  ::setenv("THALWEG_ADAPT", "planner=mpr every=5ms", 1);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("nothing that could be changed")));
  EXPECT_TRUE(notes({.observe = false}).empty());
  ::setenv("THALWEG_ADAPT", "planner=mrp", 1);
  EXPECT_THAT(refusal_of([&] { (void)notes(); }), HasSubstr("THALWEG_ADAPT=planner=mrp: "));
  ::unsetenv("THALWEG_ADAPT");
}

TEST(adapt, pause_stop_and_cancel_work_meanwhile) {
  auto jumps = [n = 0](const tw::adaptation::window& w) mutable {
    tw::adaptation::changes wanted;
    for (const auto& s : w.stages) {
      if (s.farm()) wanted.replicas.push_back({s.name, 1 + ++n % 5});
    }
    return wanted;
  };
  for (int round = 0; round < 10; ++round) {
    auto e = tw::launch(endless() | farm_of(2) | tw::sink([](int) {}), tw::threads{},
                        {.adapt = tw::adapt{.every = 1ms, .planner = jumps}});
    ASSERT_TRUE(eventually([&] { return e.stats().items() > 100; }));
    e.pause();
    e.resume();
    if (round % 2 == 0) {
      e.stop();
    } else {
      e.cancel();
    }
    (void)e.wait();
  }
}
