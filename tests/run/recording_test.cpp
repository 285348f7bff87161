// A trace that is recorded for a while, of a run that goes on.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "support/eventually.hpp"
#include "support/policies.hpp"
#include "support/refusal.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;

namespace {

class Recording : public under_every_policy {};
FOR_EVERY_POLICY(Recording);

auto endless() {
  return tw::source([n = 0]() mutable -> std::optional<int> { return n++; }, {.name = "read"}) |
         tw::farm([](int x) { return -x; }, {.replicas = 2, .name = "negate"}) |
         tw::sink([](int) {}, {.name = "write"});
}

// The first item is given when the gate opens.
auto gated(std::atomic<bool>& open, int items) {
  return tw::source(
             [&open, items, n = 0]() mutable -> std::optional<int> {
               while (!open) std::this_thread::yield();
               return n < items ? std::optional(n++) : std::nullopt;
             },
             {.name = "read"}) |
         tw::map([](int x) { return x; }, {.name = "pass", .blocking = true}) |
         tw::farm([](int x) { return -x; }, {.replicas = 2, .name = "negate"}) |
         tw::sink([](int) {}, {.name = "write"});
}

// Items in the bars of each stage, of those that no bar has only as a further one.
std::map<std::size_t, std::uint64_t> items_by_stage(const json& trace) {
  std::map<std::size_t, std::uint64_t> items;
  std::vector<std::size_t> within;
  for (const auto& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const auto stage = e["args"]["stage"].get<std::size_t>();
    items[stage] += e["args"].value("items", std::uint64_t{0});
    for (std::size_t more = 1; more < e["args"].value("stages", std::size_t{1}); ++more)
      within.push_back(stage + more);
  }
  for (const auto stage : within) items.erase(stage);
  return items;
}

std::size_t bars_of(const json& trace) {
  return static_cast<std::size_t>(
      std::ranges::count_if(trace["traceEvents"], [](const auto& e) { return e["ph"] == "X"; }));
}

std::uint64_t out_of(const tw::report& r, std::size_t stage) {
  const auto& s = r.stages()[stage];
  return s.items_in() == 0 ? s.items_out() : s.items_in();
}

TEST_P(Recording, HasWhatTheReportCounts) {
  std::atomic<bool> open = false;
  auto e = tw::launch(gated(open, 5'000), policy());
  e.start_trace();
  open = true;
  const auto r = e.wait();
  const auto trace = json::parse(e.stop_trace());
  const auto items = items_by_stage(trace);
  EXPECT_TRUE(items.contains(0));
  for (const auto& [stage, n] : items) EXPECT_EQ(n, out_of(r, stage)) << r.stages()[stage].name();
  EXPECT_EQ(trace["otherData"]["dropped_events"], 0);
  EXPECT_FALSE(trace["otherData"].contains("scope"));
}

TEST_P(Recording, HasOnlyWhatHappenedMeanwhile) {
  auto e = tw::launch(endless(), policy());
  ASSERT_TRUE(eventually([&] { return e.stats().items() > 1'000; }));
  for (int round = 0; round < 3; ++round) {
    const auto before = e.stats();
    const auto begin = std::chrono::steady_clock::now();
    e.start_trace();
    ASSERT_TRUE(eventually([&] { return bars_of(json::parse(e.last_of_trace(1h, 100))) > 3; }));
    const auto trace = json::parse(e.stop_trace());
    const std::chrono::duration<double, std::micro> longest = std::chrono::steady_clock::now() - begin;
    const auto after = e.stats();
    for (const auto& x : trace["traceEvents"]) {
      if (x["ph"] != "X") continue;
      EXPECT_GE(x["ts"].get<double>(), 0);
      EXPECT_GE(x["dur"].get<double>(), 0);
      EXPECT_LE(x["ts"].get<double>() + x["dur"].get<double>(), longest.count());
    }
    for (const auto& [stage, n] : items_by_stage(trace))
      EXPECT_LE(n, out_of(after, stage) - out_of(before, stage)) << after.stages()[stage].name();
  }
}

TEST_P(Recording, EndsWithTheRun) {
  auto e = tw::launch(endless(), policy());
  e.start_trace();
  ASSERT_TRUE(eventually([&] { return bars_of(json::parse(e.last_of_trace(1h, 100))) > 3; }));
  e.stop();
  const auto r = e.wait();
  EXPECT_THAT(refusal_of([&] { e.start_trace(); }), HasSubstr("over"));
  const auto trace = json::parse(e.stop_trace());
  EXPECT_GT(bars_of(trace), 0U);
  const std::chrono::duration<double, std::micro> whole = r.elapsed();
  for (const auto& x : trace["traceEvents"]) {
    if (x["ph"] != "X") continue;
    EXPECT_LE(x["ts"].get<double>() + x["dur"].get<double>(), whole.count());
    EXPECT_FALSE(x["args"].contains("running"));
  }
  EXPECT_THAT(refusal_of([&] { (void)e.stop_trace(); }), HasSubstr("no trace is being recorded"));
}

TEST_P(Recording, ShowsWhatBeganEarlierFromItsBeginningOn) {
  std::atomic<bool> called = false, open = false;
  auto e = tw::launch(tw::source(
                          [&, n = 0]() mutable -> std::optional<int> {
                            called = true;
                            while (!open) std::this_thread::yield();
                            return n++ == 0 ? std::optional(1) : std::nullopt;
                          },
                          {.name = "read"}) |
                          tw::sink([](int) {}),
                      policy());
  ASSERT_TRUE(eventually([&] { return called.load(); }));
  std::this_thread::sleep_for(2ms);  // a time that can be told from none
  e.start_trace();
  open = true;
  e.wait();
  const auto trace = json::parse(e.stop_trace());
  double before_us = 0;
  for (const auto& x : trace["traceEvents"]) {
    if (x["ph"] != "X" || !x["args"].contains("began_before_us")) continue;
    EXPECT_EQ(x["ts"], 0.0);
    before_us = x["args"]["began_before_us"];
  }
  EXPECT_GE(before_us, 2'000);
}

TEST_P(Recording, ShowsWhatIsRunning) {
  std::atomic<bool> called = false, begin = false, held = false, open = false;
  auto e = tw::launch(tw::source(
                          [&, n = 0]() mutable -> std::optional<int> {
                            called = true;
                            while (!begin) std::this_thread::yield();
                            return n++ < 3 ? std::optional(n) : std::nullopt;
                          },
                          {.name = "read"}) |
                          tw::map([](int x) { return x; }, {.name = "pass", .blocking = true}) |
                          tw::farm(
                              [&](int x) {
                                held = true;
                                while (!open) std::this_thread::yield();
                                return x;
                              },
                              {.replicas = 1, .name = "hold"}) |
                          tw::sink([](int) {}, {.name = "write"}),
                      policy());
  ASSERT_TRUE(eventually([&] { return called.load(); }));
  e.start_trace();
  begin = true;
  ASSERT_TRUE(eventually([&] { return held.load(); }));
  const auto holds = [&](const json& trace) {
    return std::ranges::any_of(trace["traceEvents"], [](const auto& x) {
      return x["ph"] == "X" && x["args"].contains("running") && !x["args"].contains("items") &&
             x["dur"].template get<double>() > 0 &&
             x["name"].template get<std::string>().find("hold") != std::string::npos;
    });
  };
  EXPECT_TRUE(holds(json::parse(e.last_of_trace(1h))));
  EXPECT_TRUE(holds(json::parse(e.stop_trace())));
  EXPECT_FALSE(e.done());
  e.start_trace();
  EXPECT_FALSE(holds(json::parse(e.last_of_trace(1h)))) << "what another recording knew";
  open = true;
  e.wait();
  EXPECT_FALSE(holds(json::parse(e.stop_trace())));
}

TEST_P(Recording, CanBeSwitchedWhileThreadsAreInTheMiddleOfIt) {
  auto e = tw::launch(endless(), policy());
  std::atomic<bool> over = false;
  std::thread looks([&] {
    while (!over) {
      try {
        EXPECT_TRUE(json::accept(e.last_of_trace(1s, 50)));
      } catch (const tw::error&) {  // it is switched off
      }
      std::this_thread::sleep_for(100us);
    }
  });
  std::size_t bars = 0;
  for (int round = 0; round < 60 || bars == 0; ++round) {
    e.start_trace(500);
    std::this_thread::sleep_for(300us);
    const auto trace = json::parse(e.stop_trace());
    std::map<int, std::size_t> events;
    for (const auto& x : trace["traceEvents"]) {
      if ((x["ph"] == "X" && !x["args"].contains("running")) || x["ph"] == "C") ++events[x["tid"].get<int>()];
    }
    for (const auto& [thread, n] : events) EXPECT_LE(n, 500U);
    bars += bars_of(trace);
  }
  over = true;
  looks.join();
  e.cancel();
  e.wait();
  EXPECT_GT(bars, 0U);
}

TEST_P(Recording, SaysHowMuchItLeavesOut) {
  auto e = tw::launch(endless(), policy());
  e.start_trace(2);
  ASSERT_TRUE(eventually([&] {
    return json::parse(e.last_of_trace(1h))["otherData"]["dropped_events"].get<std::uint64_t>() > 0;
  }));
  const auto trace = json::parse(e.stop_trace());
  EXPECT_GT(trace["otherData"]["dropped_events"].get<std::uint64_t>(), 0U);
  e.start_trace();
  EXPECT_EQ(json::parse(e.stop_trace())["otherData"]["dropped_events"], 0);
}

TEST_P(Recording, OneAtATime) {
  auto e = tw::launch(endless(), policy());
  EXPECT_THAT(refusal_of([&] { (void)e.stop_trace(); }), HasSubstr("no trace is being recorded"));
  EXPECT_THAT(refusal_of([&] { (void)e.last_of_trace(1s); }), HasSubstr("no trace is being recorded"));
  e.start_trace();
  EXPECT_THAT(refusal_of([&] { e.start_trace(); }), HasSubstr("already"));
  (void)e.stop_trace();
}

TEST_P(Recording, NotBesideATraceOfAllOfTheRun) {
  const auto path =
      std::filesystem::temp_directory_path() / ("thalweg-recording-" + std::to_string(::getpid()) + ".json");
  auto e = tw::launch(endless(), policy(), {.trace = path.string()});
  EXPECT_THAT(refusal_of([&] { e.start_trace(); }), HasSubstr(".trace"));
  EXPECT_THAT(refusal_of([&] { (void)e.stop_trace(); }), HasSubstr(".trace"));
  e.stop();
  e.wait();
  EXPECT_TRUE(std::filesystem::remove(path));
}

// A graph's own stages: one that gets its items, and one that chooses them.
struct halves : tw::stage {
  tw::in<int> numbers{this, "numbers"};
  tw::out<int> even{this, "even"}, odd{this, "odd"};
  void on_item(tw::in<int>&, int x) { (x % 2 == 0 ? even : odd).send(x); }
};
struct adder : tw::stage {
  tw::in<int> left{this, "left"}, right{this, "right"};
  tw::out<int> sum{this, "sum"};
  void on_run() override {
    while (left.available() && right.available()) sum.send(left.take() + right.take());
    if (left.ended() || right.ended()) end();
  }
};

TEST(Recording, OfAGraph) {
  std::atomic<bool> open = false;
  tw::graph g;
  auto& split = g.add<halves>();
  auto& add = g.add<adder>();
  auto numbers = g.add(tw::source(
      [&open, n = 0]() mutable -> std::optional<int> {
        while (!open) std::this_thread::yield();
        return n < 2'000 ? std::optional(n++) : std::nullopt;
      },
      {.name = "read"}));
  g.connect(numbers.out, split.numbers);
  g.connect(split.even, add.left);
  g.connect(split.odd, add.right);
  g.connect(add.sum, g.add(tw::sink([](int) {}, {.name = "write"})).in);
  auto e = tw::launch(g);
  e.start_trace();
  open = true;
  const auto r = e.wait();
  const auto items = items_by_stage(json::parse(e.stop_trace()));
  EXPECT_EQ(items.size(), 4U);
  for (const auto& [stage, n] : items) EXPECT_EQ(n, out_of(r, stage)) << r.stages()[stage].name();
}

}  // namespace
