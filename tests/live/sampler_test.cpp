// What is looked at of a run, and how it is told.
#include "sampler.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "history.hpp"
#include "state_json.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using nlohmann::json;
using tw::observe::division;

namespace {

tw::stage_data stage(std::string name, std::uint64_t items) {
  tw::stage_data s;
  s.name = std::move(name);
  s.kind = "farm";
  s.replicas = 2;
  s.totals.items_in = items;
  return s;
}

// A run whose graph gets another stage between two looks at it.
class growing : public tw::live::subject {
 public:
  tw::report stats() override {
    tw::report_data d;
    const auto n = ++looks_;
    d.final = false;
    d.elapsed = n * 1s;
    for (std::uint64_t i = 0; i < n; ++i) d.stages.push_back(stage("s" + std::to_string(i), 10 * n));
    return tw::report(d);
  }
  bool done() override { return false; }
  tw::execution* control() override { return nullptr; }

 private:
  std::atomic<std::uint64_t> looks_ = 0;
};

}  // namespace

TEST(live_sampler, goes_on_when_the_graph_has_got_another_stage) {
  tw::live::history past(1min);
  tw::live::sampler looks(past, {.every = 1h});
  const auto run = std::make_shared<growing>();
  looks.watch(run);
  looks.finish(*run);
  const auto state = json::parse(past.state());
  EXPECT_EQ(state.at("graph").at("stages").size(), 2U);
  ASSERT_EQ(state.at("history").size(), 2U) << state;
  const auto& stages = state.at("history")[1].at("stages");
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].at("rate"), 10) << "of the second that has passed";
  EXPECT_EQ(stages[1].at("rate"), 20) << "all of its items";
}

TEST(live_state, replicas_are_told_where_there_are_several_and_not_too_many) {
  tw::report_data d;
  d.elapsed = 1s;
  d.stages.push_back(stage("farm", 9));
  auto& shares = d.stages.front().shares;
  shares.by = division::replica;
  shares.all = {{.number = 0, .items = 7, .service_ns = 700, .sampled_items = 7},
                {.number = 1, .items = 2, .service_ns = 100, .sampled_items = 1}};
  const auto told = [&] {
    const tw::report r(d);
    return json::parse(tw::live::sample_json(r, r, false)).at("stages")[0];
  };
  const json expected = {{"by", "replica"}, {"number", {0, 1}}, {"items", {7, 2}}, {"busy_ns", {700, 200}}};
  EXPECT_EQ(told().at("shares"), expected);
  for (int i = 2; i < 65; ++i) (void)shares.at(i);
  EXPECT_FALSE(told().contains("shares"));
  shares.all.resize(1);
  EXPECT_FALSE(told().contains("shares"));
}
