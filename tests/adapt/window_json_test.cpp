// What controllers are shown: docs/controllers.md.
#include "../../src/adapt/window_json.hpp"

#include <thalweg/adapt/adapt.hpp>
#include <thalweg/adapt/window.hpp>

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "adapt/stage.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

tw::adaptation::window line_of_three() {
  tw::adaptation::window w;
  w.number = 7;
  w.at = 700ms;
  w.length = 100ms;
  w.cores = 8;
  w.workers = 4;
  w.cpu = 150ms;
  w.stages = {stage("read", {}), stage("pack/compress", {0}), stage("write", {1})};
  w.stages[0].source = true;
  w.stages[0].items_out = 90;
  w.stages[0].due_rate = 1000.0;
  w.stages[2].sink = true;
  w.stages[2].items_in = 80;
  auto& farm = w.stages[1];
  farm.replicas = 2;
  farm.most = 8;
  farm.items_in = farm.items_out = 80;
  farm.runs = 20;
  farm.busy = 160ms;
  farm.cpu = 120ms;
  farm.waited_in = 5ms;
  farm.waited_out = 3ms;
  farm.queued = 12.5;
  farm.capacity = 64;
  return w;
}

json shown(const tw::adaptation::window& w, const std::string& run = "demo.1.1") {
  return json::parse(tw::adaptation::window_json(w, run));
}

}  // namespace

TEST(WindowJson, IsOneWholeLine) {
  auto w = line_of_three();
  w.stages[1].name = "two\nlines \"quoted\" \xff";
  const auto line = tw::adaptation::window_json(w, "a\nb");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(json::parse(line)["run"], "a\nb");
}

TEST(WindowJson, SaysWhatStagesDid) {
  const auto said = shown(line_of_three());
  EXPECT_EQ(said["v"], 1);
  EXPECT_EQ(said["run"], "demo.1.1");
  EXPECT_EQ(said["seq"], 7);
  EXPECT_EQ(said["t_ns"], 700'000'000);
  EXPECT_EQ(said["window_ns"], 100'000'000);
  EXPECT_EQ(said["cores"], 8);
  EXPECT_EQ(said["workers"], 4);
  EXPECT_EQ(said["cpu_ns"], 150'000'000);
  EXPECT_EQ(said["changed"], false);
  EXPECT_EQ(said["source"], json({{"due_rate", 1000.0}}));
  EXPECT_EQ(said["sink"], json({{"items", 80}}));
  const json farm = {{"name", "pack/compress"},
                     {"inputs", {0}},
                     {"farm", true},
                     {"replicas", {{"wanted", 2}, {"least", 1}, {"most", 8}}},
                     {"items_in", 80},
                     {"items_out", 80},
                     {"runs", 20},
                     {"busy_ns", 160'000'000},
                     {"cpu_ns", 120'000'000},
                     {"wait_in_ns", 5'000'000},
                     {"wait_out_ns", 3'000'000},
                     {"queued_items", 12.5},
                     {"capacity", 64},
                     {"true_rate", 500.0}};
  ASSERT_EQ(said["stages"].size(), 3U);
  EXPECT_EQ(said["stages"][1], farm);
  EXPECT_EQ(said["stages"][0]["due_rate"], 1000.0);
  EXPECT_EQ(said["stages"][2]["farm"], false);
}

TEST(WindowJson, LeavesOutWhatItDoesNotKnow) {
  auto w = line_of_three();
  w.stages[0].due_rate.reset();
  const auto said = shown(w);
  EXPECT_FALSE(said.contains("source"));
  EXPECT_FALSE(said.contains("ranks"));
  EXPECT_FALSE(said["sink"].contains("latency_ns"));
  for (const auto* const name : {"true_rate", "due_rate", "capacity", "batch"})
    EXPECT_FALSE(said["stages"][2].contains(name)) << name;
}

TEST(WindowJson, DueRatesOfSeveralSourcesAddUp) {
  auto w = line_of_three();
  w.stages.push_back(stage("more", {}));
  w.stages.back().due_rate = 500.0;
  EXPECT_EQ(shown(w)["source"]["due_rate"], 1500.0);
}

TEST(WindowJson, SaysLatenciesOfTheWindow) {
  auto w = line_of_three();
  w.latency.record(10, 989);
  w.latency.record(50, 10);
  w.latency.record(60, 1);
  w.latency_from_due = true;
  EXPECT_EQ(shown(w)["sink"]["latency_ns"],
            json({{"p50", 10}, {"p99", 50}, {"p99.9", 50}, {"from_due", true}}));
}

TEST(WindowJson, SaysLimitsOfBatchesAsControllersWriteThem) {
  auto w = line_of_three();
  w.stages[2].batch = tw::batch_limits{.items = 64, .interval = 2500us};
  EXPECT_EQ(shown(w)["stages"][2]["batch"], json({{"count", 64}, {"interval_ms", 2.5}}));
  w.stages[2].batch = tw::batch_limits{.bytes = 1000};
  EXPECT_EQ(shown(w)["stages"][2]["batch"], json({{"bytes", 1000}}));
}

TEST(WindowJson, SaysTheGoal) {
  auto w = line_of_three();
  const auto goal_of = [&](const tw::adaptation::goal& goal) {
    w.goal = goal;
    return shown(w)["goal"];
  };
  EXPECT_EQ(goal_of(tw::keep_up()), json({{"kind", "keep_up"}}));
  EXPECT_EQ(goal_of(tw::throughput()), json({{"kind", "throughput"}}));
  EXPECT_EQ(goal_of(tw::latency(0.99, 20ms)),
            json({{"kind", "latency"}, {"quantile", 0.99}, {"limit_ns", 20'000'000}}));
  EXPECT_EQ(goal_of(tw::utilisation(0.8)), json({{"kind", "utilisation"}, {"share", 0.8}}));
}

TEST(WindowJson, SaysWhatBelongsToRanksAndRunsOfItems) {
  const auto alone = shown(line_of_three());
  for (const auto* const name : {"ranks", "working_ranks", "run_length_us", "message_bytes"})
    EXPECT_FALSE(alone.contains(name)) << name;
  EXPECT_FALSE(alone["stages"][1].contains("credits"));
  auto w = line_of_three();
  using state = tw::adaptation::rank_window::state;
  w.ranks = {{.rank = 0, .host = "a", .workers = 2, .cpu = 7ns},
             {.rank = 1, .host = "b", .now = state::reserve, .age = 1500us}};
  w.bounds.most_ranks = 5;
  w.stages[1].credits = 4;
  w.run_length = 50us;
  w.message_bytes = 65'536;
  const auto said = shown(w);
  EXPECT_EQ(said["working_ranks"], json({{"wanted", 1}, {"least", 1}, {"most", 2}}));
  const json first = {{"rank", 0},    {"host", "a"}, {"state", "working"},
                      {"workers", 2}, {"cpu_ns", 7}, {"age_ms", 0.0}};
  EXPECT_EQ(said["ranks"][0], first);
  EXPECT_EQ(said["ranks"][1]["state"], "reserve");
  EXPECT_EQ(said["ranks"][1]["age_ms"], 1.5);
  EXPECT_EQ(said["stages"][1]["credits"], 4);
  EXPECT_EQ(said["run_length_us"], 50);
  EXPECT_EQ(said["message_bytes"], 65'536);
}
