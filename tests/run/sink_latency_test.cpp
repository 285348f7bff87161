// A graph with several sinks has the latency of each.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

class SinkLatency : public under_every_policy {
 protected:
  // Every item to both sinks; one of them takes a while.
  template <class Source> static tw::report run_with_two_sinks(Source source) {
    tw::graph g;
    auto& both = g.add<tw::tee<int>>();
    g.connect(g.add(source).out, both.in);
    auto fast = g.add(tw::filter([](int x) { return x < 3; }, {.name = "few"}) |
                      tw::sink([](int) {}, {.name = "fast"}));
    auto slow = g.add(tw::sink([](int) { std::this_thread::sleep_for(5ms); }, {.name = "slow"}));
    g.connect(both.branch(), fast.in);
    g.connect(both.branch(), slow.in);
    return tw::run(g, policy());
  }
  static auto five() { return tw::source(std::vector{0, 1, 2, 3, 4}, {.name = "read"}); }
};
FOR_EVERY_POLICY(SinkLatency);

TEST_P(SinkLatency, OfEachAndOfAllTogether) {
  const auto r = run_with_two_sinks(five());
  EXPECT_EQ(r.stage("fast").latency().count(), 3U);
  EXPECT_EQ(r.stage("slow").latency().count(), 5U);
  EXPECT_GE(r.stage("slow").latency().min(), 5ms);
  EXPECT_EQ(r.latency().count(), 8U);
  EXPECT_EQ(r.latency().max(), std::max(r.stage("fast").latency().max(), r.stage("slow").latency().max()));
  EXPECT_EQ(r.latency().min(), std::min(r.stage("fast").latency().min(), r.stage("slow").latency().min()));
  EXPECT_EQ(r.stage("read").latency().count(), 0U) << "it is no sink";
}

TEST_P(SinkLatency, FromTheDueTimeUnderAPacedSource) {
  const auto r = run_with_two_sinks(tw::paced(
      [n = 0]() mutable { return n < 5 ? std::optional(n++) : std::nullopt; }, 10'000.0, {.name = "read"}));
  EXPECT_EQ(r.stage("fast").latency().count(), 3U);
  EXPECT_EQ(r.stage("slow").latency().count(), 5U);
  EXPECT_TRUE(r.stage("slow").latency().from_due());
  EXPECT_GE(r.stage("slow").latency().min(), 5ms);
}

TEST_P(SinkLatency, IsInTheTableAndInTheJson) {
  const auto r = run_with_two_sinks(five());
  EXPECT_THAT(r.to_string(), HasSubstr("latency  of slow: p50 "));
  EXPECT_THAT(r.to_string(), HasSubstr("latency  of fast: p50 "));
  const auto told = json::parse(r.to_json());
  for (const auto& s : told["stages"]) {
    const bool sink = s["kind"] == "sink";
    EXPECT_EQ(s.contains("latency_ns"), sink);
    if (sink) {
      EXPECT_EQ(s["latency_ns"]["count"], s["items_in"]);
    }
  }
}

TEST_P(SinkLatency, OfALineIsThatOfTheRun) {
  const auto r = tw::run(five() | tw::sink([](int) {}, {.name = "write"}), policy());
  EXPECT_EQ(r.stage("write").latency().count(), r.latency().count());
  EXPECT_EQ(r.stage("write").latency().sampled(), r.latency().sampled());
  EXPECT_THAT(r.to_string(), Not(HasSubstr("latency  of")));
}

TEST_P(SinkLatency, OfAWindow) {
  const auto r = run_with_two_sinks(five());
  const auto nothing = r.since(r);
  EXPECT_EQ(nothing.stage("slow").latency().count(), 0U);
  EXPECT_EQ(r.stage("slow").latency().count(), 5U);
}

}  // namespace
