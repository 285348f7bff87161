// What a run tells of itself: its report and its trace.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

namespace {

class Report : public under_every_policy {};
FOR_EVERY_POLICY(Report);

auto count_to(int n) {
  return tw::source(
      [i = 0, n]() mutable -> std::optional<int> { return i < n ? std::optional(i++) : std::nullopt; },
      {.name = "read"});
}

tw::report example(const tw::any_policy& p, int n = 1000) {
  return tw::run(count_to(n) | tw::filter([](int x) { return x % 2 == 0; }, {.name = "even"}) |
                     tw::flat_map(
                         [](int x, tw::emitter<int>& out) {
                           out(x);
                           out(x);
                         },
                         {.name = "twice"}) |
                     tw::farm([](int x) { return x + 1; }, {.replicas = 3, .name = "add"}) |
                     tw::batch(10, 0ns, {.name = "group"}) |
                     tw::sink([](const std::vector<int>&) {}, {.name = "write"}),
                 p);
}

TEST_P(Report, CountsWhatGoesInAndOut) {
  const auto r = example(policy());
  EXPECT_EQ(r.items(), 100U) << "what entered the sink";
  EXPECT_EQ(r.stage("read").items_in(), 0U);
  EXPECT_EQ(r.stage("read").items_out(), 1000U);
  EXPECT_EQ(r.stage("even").items_in(), 1000U);
  EXPECT_EQ(r.stage("even").items_out(), 500U);
  EXPECT_EQ(r.stage("twice").items_in(), 500U);
  EXPECT_EQ(r.stage("twice").items_out(), 1000U);
  EXPECT_EQ(r.stage("add").items_in(), 1000U);
  EXPECT_EQ(r.stage("add").items_out(), 1000U);
  EXPECT_EQ(r.stage("group").items_in(), 1000U);
  EXPECT_EQ(r.stage("group").items_out(), 100U);
  EXPECT_EQ(r.stage("write").items_in(), 100U);
  EXPECT_EQ(r.stage("write").items_out(), 0U);
}

TEST_P(Report, KnowsOnlyTimesOfARunThatIsNotObserved) {
  std::vector<int> got;
  auto job = count_to(1000) | tw::farm([](int x) { return x + 1; }, {.replicas = 2}) | tw::sink(got);
  const auto r = tw::run(job, policy(), {.observe = false});
  ASSERT_EQ(got.size(), 1000U);
  EXPECT_EQ(got.back(), 1000) << "what comes out does not depend on it";
  EXPECT_FALSE(r.observed());
  EXPECT_GT(r.elapsed().count(), 0);
  EXPECT_EQ(r.items(), 0U);
  EXPECT_EQ(r.latency().count(), 0U);
  for (const auto& s : r.stages()) {
    EXPECT_EQ(s.items_in() + s.items_out() + s.runs() + s.occupancy().max, 0U) << s.name();
    EXPECT_EQ((s.busy() + s.waited_for_input() + s.waited_for_output()).count(), 0) << s.name();
  }
  EXPECT_EQ(r.bottleneck().reason, tw::limited_by::unknown);
  EXPECT_THAT(r.bottleneck().advice, HasSubstr("Nothing was counted"));
  EXPECT_THAT(r.to_string(), AllOf(HasSubstr("not observed, ran for "), Not(HasSubstr("latency"))));
  EXPECT_FALSE(json::parse(r.to_json()).at("observed"));
  EXPECT_TRUE(tw::run(job, policy()).observed());
}

TEST_P(Report, KnowsWhatFailedInARunThatIsNotObserved) {
  const auto refuse = [](int x) { return x % 100 == 0 ? throw std::domain_error("no") : x; };
  const auto r = tw::run(
      count_to(1000) | tw::map(refuse, {.on_error = tw::skip, .name = "refuse"}) | tw::sink([](int) {}),
      policy(), {.observe = false});
  EXPECT_EQ(r.stage("refuse").skipped(), 10U);
  EXPECT_EQ(r.stage("refuse").items_in(), 0U);
}

TEST_P(Report, WhileRunningCountsWhatASourceEmitsInOneCall) {
  auto e = tw::launch(tw::source<int>(
                          [](tw::emitter<int>& out) {
                            for (int i = 0;; ++i) {
                              out(i);
                              std::this_thread::sleep_for(1ms);
                            }
                          },
                          {.name = "read"}) |
                          tw::map([](int x) { return x; }, {.name = "same"}) |
                          tw::sink([](int) {}, {.name = "write"}),
                      policy());
  const auto flows = [&] {
    const auto now = e.stats();
    return now.items() > 3 && now.stage("read").items_out() > 3 && now.stage("same").items_in() > 3;
  };
  EXPECT_TRUE(eventually(flows));
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(r.stage("read").items_out(), r.stage("same").items_in());
  EXPECT_EQ(r.stage("same").items_out(), r.items());
}

TEST_P(Report, DoesNotCountAPauseAsTheWorkOfASourceThatEmits) {
  std::atomic<bool> began = false;
  auto e = tw::launch(tw::source<int>(
                          [&](tw::emitter<int>& out) {
                            for (int i = 0;; ++i) {
                              out(i);
                              began = true;
                            }
                          },
                          {.name = "read"}) |
                          tw::sink([](int) {}),
                      policy());
  while (!began) std::this_thread::yield();
  e.pause();
  std::this_thread::sleep_for(300ms);
  e.resume();
  e.stop();
  const auto r = e.wait();
  EXPECT_LT(r.stage("read").busy(), r.elapsed() - r.paused() / 2) << r;
}

TEST_P(Report, NamesThePolicyAndTheStagesInOrder) {
  const auto r = example(policy());
  EXPECT_EQ(r.policy(), GetParam());
  std::vector<std::string> names;
  std::vector<std::string> kinds;
  for (const auto& s : r.stages()) {
    names.push_back(s.name());
    kinds.push_back(s.kind());
  }
  EXPECT_THAT(names, testing::ElementsAre("read", "even", "twice", "add", "group", "write"));
  EXPECT_THAT(kinds, testing::ElementsAre("source", "filter", "flat_map", "map", "batch", "sink"));
  EXPECT_TRUE(r.stages().front().is_source());
  EXPECT_TRUE(r.stages().back().is_sink());
  EXPECT_THROW((void)r.stage("nobody"), std::out_of_range);
  EXPECT_TRUE(r.final());
  EXPECT_TRUE(r.is_root());
  EXPECT_GE(r.cores(), 1);
  EXPECT_GE(r.workers(), 1);
}

TEST_P(Report, ThroughputIsItemsPerSecondOfTheWholeRun) {
  const auto r = example(policy(), 20'000);
  ASSERT_GT(r.elapsed().count(), 0);
  EXPECT_NEAR(r.throughput(),
              static_cast<double>(r.items()) / std::chrono::duration<double>(r.elapsed()).count(), 1.0);
}

TEST_P(Report, TimeInTheOperatorsIsFound) {
  const auto r = tw::run(count_to(200) |
                             tw::map(
                                 [](int x) {
                                   std::this_thread::sleep_for(100us);
                                   return x;
                                 },
                                 {.name = "slow"}) |
                             tw::map([](int x) { return x; }, {.name = "fast"}) | tw::sink([](int) {}),
                         policy());
  EXPECT_GE(r.elapsed(), 20ms);
  EXPECT_GE(r.stage("slow").service_time().count(), 80'000);
  EXPECT_GE(r.stage("slow").busy(), 15ms);
  EXPECT_LE(r.stage("slow").busy(), r.elapsed() * 3 / 2) << "it is one stage, and serial";
  EXPECT_LT(r.stage("fast").busy(), r.stage("slow").busy());
}

TEST_P(Report, ItemsPerRunAreCounted) {
  const auto r = example(policy());
  for (const auto& s : r.stages()) {
    EXPECT_GE(s.runs(), 1U) << s.name();
    EXPECT_GE(s.items_per_run(), 0.0) << s.name();
  }
}

TEST_P(Report, LatencyIsMeasured) {
  const auto r = tw::run(count_to(300) |
                             tw::farm(
                                 [](int x) {
                                   std::this_thread::sleep_for(50us);
                                   return x;
                                 },
                                 {.replicas = 2}) |
                             tw::sink([](int) {}),
                         policy());
  EXPECT_GE(r.latency().count(), 1U);
  EXPECT_LE(r.latency().count(), 300U);
  EXPECT_FALSE(r.latency().from_due());
  EXPECT_GE(r.latency().p50(), 40us);
  EXPECT_GE(r.latency().p99(), r.latency().p50());
  EXPECT_GE(r.latency().max(), r.latency().p99() * 98 / 100);
  EXPECT_LE(r.latency().max(), r.elapsed());
  if (!r.latency().sampled()) {
    EXPECT_EQ(r.latency().count(), 300U);
  }
}

TEST_P(Report, LatencyIsThatOfWhatReachedTheSink) {
  const auto one_in = [](int n) { return tw::filter([n](int x) { return n > 0 && x % n == 0; }); };
  auto r = tw::run(count_to(1000) | one_in(10) | tw::sink([](int) {}), policy());
  EXPECT_EQ(r.items(), 100U);
  EXPECT_LE(r.latency().count(), 100U);
  r = tw::run(count_to(1000) | tw::farm(one_in(10), {.replicas = 2}) | tw::sink([](int) {}), policy());
  EXPECT_LE(r.latency().count(), 100U);
  r = tw::run(count_to(1000) | one_in(0) | tw::sink([](int) {}), policy());
  EXPECT_EQ(r.items(), 0U);
  EXPECT_EQ(r.latency().count(), 0U);
  // A source so slow that each item goes alone.
  r = tw::run(tw::source([i = 0]() mutable -> std::optional<int> {
                std::this_thread::sleep_for(200us);
                return i < 50 ? std::optional(i++) : std::nullopt;
              }) | one_in(10) |
                  tw::sink([](int) {}),
              policy());
  EXPECT_EQ(r.items(), 5U);
  EXPECT_LE(r.latency().count(), 5U);
}

// Each way to get to the sink: directly, through others, and where nothing may run inline.
template <class Check> void on_every_way(Check&& check) {
  const auto same = [](int x) { return x; };
  check(tw::map(same));
  check(tw::farm(same, {.replicas = 2}));
  check(tw::map(same, {.on_error = tw::skip}));
  check(tw::farm(same, {.replicas = 2}) | tw::map(same, {.blocking = true}));
}

TEST_P(Report, AfterACancelItCountsAllThatTheSinkSaw) {
  on_every_way([](auto middle) {
    std::atomic<std::uint64_t> seen{0};
    std::atomic<bool> known{false};
    tw::execution* self = nullptr;
    auto e = tw::launch(count_to(1'000'000'000) | middle |
                            tw::sink(
                                [&](int) {
                                  if (++seen != 1000) return;
                                  eventually([&] { return known.load(); });
                                  self->cancel();
                                },
                                {.name = "end"}),
                        policy());
    self = &e;
    known = true;
    const auto r = e.wait();
    EXPECT_GE(seen, 1000U);
    EXPECT_GE(r.stage("end").items_in(), seen);
    EXPECT_GE(r.items(), seen);
    EXPECT_GE(r.stage("read").items_out(), seen);
  });
}

TEST_P(Report, AfterAnErrorItCountsAllThatTheSinkSaw) {
  for (const std::string where : {"before", "end"}) {
    on_every_way([&](auto middle) {
      std::atomic<std::uint64_t> seen{0};
      auto e = tw::launch(
          count_to(5000) |
              tw::map(
                  [&](int x) { return x == 3000 && where == "before" ? throw std::runtime_error("x") : x; },
                  {.name = "before"}) |
              middle |
              tw::sink(
                  [&](int x) {
                    ++seen;
                    if (x == 3000) throw std::runtime_error("x");
                  },
                  {.name = "end"}),
          policy());
      EXPECT_EQ(failure_of([&] { e.wait(); }).stage, where);
      const auto r = e.stats();
      EXPECT_GE(r.stage("end").items_in(), seen);
      EXPECT_GE(r.items(), seen);
      if (where == "end") {
        EXPECT_EQ(seen, 3001U);
      }
    });
  }
}

TEST_P(Report, ReplicasAndParallelismAreTold) {
  const auto r = tw::run(count_to(300) |
                             tw::farm(
                                 [](int x) {
                                   std::this_thread::sleep_for(50us);
                                   return x;
                                 },
                                 {.replicas = 3, .name = "f", .blocking = true}) |
                             tw::sink([](int) {}),
                         policy());
  EXPECT_EQ(r.stage("f").replicas(), one_thread() ? 1 : 3);
  EXPECT_GT(r.stage("f").parallelism(), 0.3);
  EXPECT_LE(r.stage("f").parallelism(), 3.3);
  EXPECT_GT(r.parallelism(), 0.3);
}

TEST_P(Report, CapacityOfAPipeIsTold) {
  const auto r = tw::run(count_to(100) | tw::sink([](int) {}, {.capacity = 12, .name = "end"}), policy());
  EXPECT_EQ(r.stage("end").occupancy().capacity, one_thread() ? r.stage("end").occupancy().capacity : 12U);
  EXPECT_LE(r.stage("end").occupancy().mean, 40.0);
}

TEST_P(Report, JsonParsesAndHoldsTheNumbers) {
  const auto r = example(policy());
  const auto j = json::parse(r.to_json());
  EXPECT_EQ(j["policy"], GetParam());
  EXPECT_EQ(j["items"], 100);
  ASSERT_EQ(j["stages"].size(), 6U);
  EXPECT_EQ(j["stages"][3]["name"], "add");
  EXPECT_EQ(j["stages"][3]["items_in"], 1000);
  EXPECT_TRUE(j.contains("bottleneck"));
  EXPECT_TRUE(j.contains("latency_ns"));
}

TEST_P(Report, PrintsAsATable) {
  const auto r = example(policy());
  std::ostringstream text;
  text << r;
  for (const auto* name : {"read", "even", "twice", "add", "group", "write"})
    EXPECT_THAT(text.str(), HasSubstr(name));
  EXPECT_EQ(text.str(), r.to_string());
}

TEST_P(Report, TheBottleneckIsTheSlowStage) {
  const auto run = [&](std::chrono::microseconds source, std::chrono::microseconds map,
                       std::chrono::microseconds sink) {
    return tw::run(tw::source(
                       [=, i = 0]() mutable -> std::optional<int> {
                         spin_for(source);
                         return i < 400 ? std::optional(i++) : std::nullopt;
                       },
                       {.name = "read"}) |
                       tw::map(
                           [=](int x) {
                             spin_for(map);
                             return x;
                           },
                           {.name = "work"}) |
                       tw::sink([=](int) { spin_for(sink); }, {.name = "write"}),
                   policy())
        .bottleneck();
  };
  const auto blames = [](const tw::bottleneck_report& b, const std::string& stage) {
    EXPECT_FALSE(b.advice.empty());
    // On one core everything waits for the machine: then no stage is to be blamed. Where other programs have
    // the cores, a stage looks as busy as it is kept from them.
    return b.stage == stage || b.stage.empty() || b.advice.find("workers got only") != std::string::npos;
  };
  // Other programs may spoil one run: then two more must be right.
  const auto expect_blamed = [&](const std::string& stage, auto... times) {
    if (blames(run(times...), stage)) return;
    for (int i = 0; i < 2; ++i) {
      const auto b = run(times...);
      EXPECT_TRUE(blames(b, stage)) << tw::to_string(b.reason) << ": " << b.advice;
    }
  };
  expect_blamed("read", 100us, 1us, 1us);
  expect_blamed("work", 1us, 100us, 1us);
  expect_blamed("write", 1us, 1us, 100us);
}

TEST_P(Report, AWaitingSerialStageIsTheBottleneck) {
  const auto b = tw::run(count_to(300) |
                             tw::map(
                                 [](int x) {
                                   std::this_thread::sleep_for(200us);
                                   return x;
                                 },
                                 {.name = "ask", .blocking = true}) |
                             tw::sink([](int) {}),
                         policy())
                     .bottleneck();
  EXPECT_EQ(b.stage, "ask") << tw::to_string(b.reason) << ": " << b.advice;
}

TEST_P(Report, OfAnEmptyRun) {
  const auto r = tw::run(count_to(0) | tw::farm([](int x) { return x; }) | tw::sink([](int) {}), policy());
  EXPECT_EQ(r.items(), 0U);
  EXPECT_EQ(r.latency().count(), 0U);
  EXPECT_TRUE(json::accept(r.to_json()));
  EXPECT_FALSE(r.to_string().empty());
  (void)r.bottleneck();
}

TEST_P(Report, SinceGivesAWindowOfTime) {
  std::atomic<bool> go_on{false};
  auto e = tw::launch(tw::source([&, n = 0]() mutable -> std::optional<int> {
                        if (n == 100) eventually([&] { return go_on.load(); });
                        return n < 300 ? std::optional(n++) : std::nullopt;
                      }) | tw::sink([](int) {}),
                      policy());
  // While the source waits, most of the first hundred have been counted.
  std::this_thread::sleep_for(5ms);
  const auto early = e.stats();
  go_on = true;
  const auto all = e.wait();
  const auto window = all.since(early);
  EXPECT_EQ(window.items(), all.items() - early.items());
  EXPECT_EQ(window.elapsed(), all.elapsed() - early.elapsed());
}

TEST_P(Report, TheCostOfALoadIsInCpuTime) {
  const auto r = tw::run(count_to(100) | tw::map([](int x) {
                           spin_for(200us);
                           return x;
                         }) | tw::sink([](int) {}),
                         policy());
  EXPECT_GE(r.cpu_time(), 2ms);
  EXPECT_GT(r.cores_used(), 0.0);
}

// --- traces ---

class Trace : public under_every_policy {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("thalweg-trace-" + std::to_string(::getpid()) + "-" +
             std::to_string(testing::UnitTest::GetInstance()->random_seed()) + ".json");
  }
  void TearDown() override { std::filesystem::remove(path_); }
  json written() const {
    std::ifstream in(path_);
    return json::parse(in);
  }
  std::filesystem::path path_;
};
FOR_EVERY_POLICY(Trace);

// Stages that ran as one loop share an event, which bears all their names.
std::vector<std::string> phases_and_names_of(const json& trace) {
  std::vector<std::string> all;
  for (const auto& e : trace["traceEvents"])
    all.push_back(std::string(e["ph"]) + ":" + std::string(e["name"]));
  return all;
}

std::set<std::string> names_of_runs(const json& trace) {
  constexpr std::string_view between = " + ";
  std::set<std::string> names;
  for (const auto& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const std::string all = e["name"];
    for (std::size_t at = 0; at != std::string::npos;) {
      const auto end = all.find(between, at);
      names.insert(all.substr(at, end - at));
      at = end == std::string::npos ? end : end + between.size();
    }
  }
  return names;
}

TEST_P(Trace, NamesTheStages) {
  const auto r =
      tw::run(count_to(500) | tw::map([](int x) { return x; }, {.name = "here", .blocking = true}) |
                  tw::farm([](int x) { return x; }, {.replicas = 2, .name = "there"}) |
                  tw::sink([](int) {}, {.name = "end", .blocking = true}),
              policy(), {.trace = path_.string()});
  const auto names = names_of_runs(written());
  ASSERT_FALSE(names.empty());
  for (const auto* name : {"read", "here", "there", "end"}) EXPECT_THAT(names, testing::Contains(name));
  for (const auto& name : names) EXPECT_NO_THROW((void)r.stage(name)) << name;
}

TEST_P(Trace, EventsLieWithinTheRun) {
  const auto r =
      tw::run(count_to(500) | tw::farm([](int x) { return x; }, {.replicas = 2}) | tw::sink([](int) {}),
              policy(), {.trace = path_.string()});
  std::uint64_t items = 0;
  const auto all = written();
  for (const auto& e : all["traceEvents"]) {
    if (e["ph"] != "X") continue;
    EXPECT_GE(e["dur"].get<double>(), 0.0);
    const std::chrono::duration<double, std::micro> whole = r.elapsed();
    EXPECT_LE(e["dur"].get<double>(), whole.count());
    if (e["name"].get<std::string>().starts_with("read")) items += e["args"]["items"].get<std::uint64_t>();
  }
  EXPECT_EQ(items, 500U) << "each run of items of the source, with its length";
}

TEST_P(Trace, IsWrittenWhenTheRunFailsToo) {
  EXPECT_EQ(failure_of([&] {
              tw::run(count_to(500) |
                          tw::map([](int x) { return x == 400 ? throw std::runtime_error("x") : x; },
                                  {.name = "m"}) |
                          tw::sink([](int) {}),
                      policy(), {.trace = path_.string()});
            }).stage,
            "m");
  EXPECT_THAT(phases_and_names_of(written()), Contains(AllOf(HasSubstr("i:"), HasSubstr("error"))));
}

TEST_P(Trace, ShowsWhatWaitsInFrontOfASerialStage) {
  const auto r = tw::run(count_to(2'000) | tw::farm([](int x) {
                           spin_for(20us);
                           return x;
                         }) | tw::sink([](int) {}, {.name = "write"}),
                         policy(), {.trace = path_.string()});
  const auto shown = phases_and_names_of(written());
  // One worker takes each item to the end before it asks for the next: nothing waits.
  const auto times = std::count(shown.begin(), shown.end(), "C:waiting for write");
  EXPECT_EQ(times > 0, r.workers() > 1) << times << " with " << r.workers() << " workers";
}

TEST_P(Trace, FlagsChangesOfReplicas) {
  auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
                          tw::farm([](int x) { return x; }, {.replicas = 1, .name = "same"}) |
                          tw::sink([](int) {}),
                      policy(), {.trace = path_.string()});
  const bool can_resize = policy().name() != "sequential";
  if (can_resize) {
    e.set_replicas("same", 3);
  } else {
    EXPECT_THROW(e.set_replicas("same", 3), tw::error);
  }
  e.stop();
  e.wait();
  const auto shown = phases_and_names_of(written());
  EXPECT_EQ(std::count(shown.begin(), shown.end(), "i:1 to 3 replicas"), can_resize ? 1 : 0);
}

TEST_P(Trace, WaitAgainDoesNotWriteAgain) {
  auto e = tw::launch(count_to(5) | tw::sink([](int) {}), policy(), {.trace = path_.string()});
  e.wait();
  EXPECT_TRUE(std::filesystem::remove(path_));
  e.wait();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_P(Trace, AFileThatCannotBeWrittenIsAnError) {
  try {
    tw::run(count_to(5) | tw::sink([](int) {}), policy(), {.trace = "/nonexistent/folder/trace.json"});
    FAIL() << "threw nothing";
  } catch (const std::system_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("/nonexistent/folder/trace.json"));
  }
}

TEST_P(Trace, TheErrorOfAStageIsNotHiddenByATraceThatCannotBeWritten) {
  EXPECT_EQ(failure_of([&] {
              tw::run(count_to(5) |
                          tw::map([](int) -> int { throw std::runtime_error("x"); }, {.name = "m"}) |
                          tw::sink([](int) {}),
                      policy(), {.trace = "/nonexistent/folder/trace.json"});
            }).stage,
            "m");
}

}  // namespace
