#include <thalweg/observe/report.hpp>

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace std::chrono_literals;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using thalweg::report;
using thalweg::report_data;
using thalweg::stage_data;
using thalweg::stage_report;

stage_data stage(std::string name, std::string kind, std::uint64_t in, std::uint64_t out) {
  stage_data s;
  s.name = std::move(name);
  s.kind = std::move(kind);
  s.totals.items_in = in;
  s.totals.items_out = out;
  return s;
}

// A thousand items in two seconds, half a second of it paused.
report_data example() {
  report_data d;
  d.policy = "pool";
  d.workers = 3;
  d.cores = 4;
  d.elapsed = 2s;
  d.paused = 500ms;
  d.cpu = 3s;
  d.items = 1'000;
  d.dropped = 7;
  thalweg::observe::histogram latency;
  for (std::int64_t i = 1; i <= 1'000; ++i) latency.record(i * 1'000);
  d.latency = {latency, true, false};

  d.stages.push_back(stage("read", "source", 0, 1'010));
  d.stages.push_back(stage("archive/compress", "farm", 1'010, 1'000));
  d.stages.push_back(stage("archive/write", "sink", 1'000, 0));

  auto& compress = d.stages[1];
  compress.replicas = 4;
  compress.capacity = 64;
  compress.reorder_capacity = 16;
  compress.inputs = {0};
  compress.totals.runs = 101;
  compress.totals.service_ns = 300'000'000;  // of 101 items: 3 s for all
  compress.totals.sampled_items = 101;
  compress.totals.wait_in_ns = 60'000'000;
  compress.totals.wait_out_ns = 6'000'000;
  compress.totals.errors = 13;
  compress.totals.retries = 3;
  compress.totals.skipped = 4;
  compress.totals.dead_lettered = 6;
  compress.totals.dropped = 7;
  compress.totals.occupancy = {10, 125, 40};
  compress.totals.reorder = {4, 8, 5};
  compress.totals.displacement = {4, 12, 9};
  d.stages[2].inputs = {1};
  d.stages[2].totals.service_ns = 150'000'000;
  d.stages[2].totals.sampled_items = 1'000;
  d.resizes.push_back({1500ms, "archive/compress", 2, 4});
  d.rate_changes.push_back({1600ms, "read", 100, 505});
  d.stages[0].due_rate = 505;
  return d;
}

TEST(report, says_what_the_whole_run_did) {
  const report r(example());
  EXPECT_EQ(r.items(), 1'000u);
  EXPECT_EQ(r.elapsed(), 2s);
  EXPECT_DOUBLE_EQ(r.throughput(), 500);
  EXPECT_EQ(r.policy(), "pool");
  EXPECT_EQ(r.workers(), 3);
  EXPECT_EQ(r.cores(), 4);
  EXPECT_EQ(r.cpu_time(), 3s);
  EXPECT_DOUBLE_EQ(r.cores_used(), 2) << "a pause is not time in which cores could work";
  EXPECT_DOUBLE_EQ(r.parallelism(), 2.1);
  EXPECT_EQ(r.paused(), 500ms);
  EXPECT_EQ(r.dropped(), 7u);
  EXPECT_TRUE(r.final());
  EXPECT_TRUE(r.is_root());
  ASSERT_EQ(r.resizes().size(), 1u);
  EXPECT_EQ(r.resizes()[0].to, 4);
}

TEST(report, latency_is_in_chrono_units) {
  const report r(example());
  EXPECT_EQ(r.latency().count(), 1'000u);
  EXPECT_EQ(r.latency().min(), 1us);
  EXPECT_EQ(r.latency().max(), 1ms);
  EXPECT_EQ(r.latency().mean(), 500'500ns);
  const auto near = [](std::chrono::nanoseconds value) {
    const auto v = static_cast<double>(value.count());
    return testing::DoubleNear(v, v * thalweg::observe::histogram::relative_error);
  };
  const auto& l = r.latency();
  EXPECT_THAT(static_cast<double>(l.p50().count()), near(500us));
  EXPECT_THAT(static_cast<double>(l.p90().count()), near(900us));
  EXPECT_THAT(static_cast<double>(l.p99().count()), near(990us));
  EXPECT_THAT(static_cast<double>(l.p999().count()), near(999us));
  EXPECT_EQ(l.p9999(), 1ms);
  EXPECT_TRUE(l.from_due());
  EXPECT_FALSE(l.sampled());
}

TEST(report, an_empty_one_is_all_zeros) {
  const report r;
  EXPECT_EQ(r.items(), 0u);
  EXPECT_EQ(r.throughput(), 0);
  EXPECT_EQ(r.cores_used(), 0);
  EXPECT_EQ(r.parallelism(), 0);
  EXPECT_EQ(r.latency().p99(), 0ns);
  EXPECT_EQ(r.latency().min(), 0ns);
  EXPECT_EQ(r.latency().max(), 0ns);
  EXPECT_EQ(r.latency().mean(), 0ns);
  EXPECT_TRUE(r.stages().empty());
  EXPECT_EQ(r.bottleneck().reason, thalweg::limited_by::unknown);
  EXPECT_THAT(r.to_string(), HasSubstr("0 items in 0"));
  EXPECT_TRUE(nlohmann::json::accept(r.to_json()));
  EXPECT_THROW(static_cast<void>(r.stage("any")), std::out_of_range);
}

TEST(report, a_sampled_stage_is_scaled_to_all_its_items) {
  const report r(example());
  const stage_report& s = r.stage("archive/compress");
  EXPECT_TRUE(s.service_sampled());
  EXPECT_NEAR(s.service_time().count(), 300e6 / 101, 1e-6);
  EXPECT_NEAR(static_cast<double>(s.busy().count()), 3e9, 1);
  EXPECT_NEAR(s.parallelism(), 2, 1e-6);
  EXPECT_EQ(s.replicas(), 4);
  EXPECT_EQ(s.items_in(), 1'010u);
  EXPECT_EQ(s.items_out(), 1'000u);
  EXPECT_EQ(s.items_per_run(), 10);
  EXPECT_EQ(s.waited_for_input(), 60ms);
  EXPECT_EQ(s.waited_for_output(), 6ms);
  EXPECT_EQ(s.occupancy().mean, 12.5);
  EXPECT_EQ(s.occupancy().max, 40u);
  EXPECT_EQ(s.occupancy().capacity, 64u);
  EXPECT_EQ(s.reorder().mean, 2);
  EXPECT_EQ(s.reorder().capacity, 16u);
  EXPECT_EQ(s.displacement().max, 9u);
  EXPECT_EQ(s.errors(), 13u);
  EXPECT_EQ(s.retries(), 3u);
  EXPECT_EQ(s.skipped(), 4u);
  EXPECT_EQ(s.dead_lettered(), 6u);
  EXPECT_EQ(s.dropped(), 7u);
}

TEST(report, a_stage_timed_throughout_or_not_at_all_is_not_sampled) {
  const report r(example());
  EXPECT_FALSE(r.stage("write").service_sampled());
  EXPECT_EQ(r.stage("write").busy(), 150ms);
  EXPECT_DOUBLE_EQ(r.stage("write").service_time().count(), 150'000);
  EXPECT_FALSE(r.stage("read").timed());
  EXPECT_FALSE(r.stage("read").service_sampled());
  EXPECT_EQ(r.stage("read").busy(), 0ns);
  EXPECT_EQ(r.stage("read").items(), 1'010u) << "a source's items are those it made";
}

TEST(report, a_fused_stage_is_sampled_though_all_its_items_count) {
  report_data d = example();
  d.stages[2].totals.probes = 5;
  const report r(d);
  EXPECT_TRUE(r.stage("write").service_sampled());
  EXPECT_EQ(r.stage("write").busy(), 150ms) << "but its share of the time is not scaled again";
}

TEST(report, stages_are_found_by_path_or_by_the_end_of_it) {
  const report r(example());
  EXPECT_EQ(r.stage("compress").name(), "archive/compress");
  EXPECT_EQ(r.stage("archive/compress").name(), "archive/compress");
  EXPECT_EQ(&r.stage("read"), &r.stages()[0]);
}

std::string error_of(const report& r, std::string_view name) {
  try {
    static_cast<void>(r.stage(name));
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "no error";
}

TEST(report, an_unknown_stage_is_an_error_that_helps) {
  const report r(example());
  EXPECT_EQ(error_of(r, "compres"),
            "no stage is named 'compres'; did you mean 'archive/compress'?; the stages are: read, "
            "archive/compress, "
            "archive/write");
  EXPECT_EQ(error_of(r, "press"),
            "no stage is named 'press'; the stages are: read, archive/compress, archive/write")
      << "only whole parts of a path match";
  EXPECT_EQ(error_of(report(), "x"), "no stage is named 'x'; there are no stages");
}

TEST(report, an_ambiguous_name_lists_what_it_may_mean_but_an_exact_one_wins) {
  report_data d;
  for (const char* name : {"a/parse", "b/parse", "c/parse#2", "scan", "x/scan"})
    d.stages.push_back(stage(name, "map", 1, 1));
  const report r(d);
  EXPECT_EQ(error_of(r, "parse"), "more than one stage is named 'parse'; write one of: a/parse, b/parse");
  EXPECT_EQ(r.stage("parse#2").name(), "c/parse#2");
  EXPECT_EQ(r.stage("scan").name(), "scan");
}

TEST(report, json_has_all_that_the_report_has) {
  report_data d = example();
  d.stages[1].segment = 3;
  d.stages[0].paced = true;
  const report r(d);
  const auto j = nlohmann::json::parse(r.to_json());
  EXPECT_EQ(j["policy"], "pool");
  EXPECT_EQ(j["workers"], 3);
  EXPECT_EQ(j["cores"], 4);
  EXPECT_EQ(j["final"], true);
  EXPECT_EQ(j["items"], 1'000);
  EXPECT_EQ(j["throughput"], 500.0);
  EXPECT_EQ(j["elapsed_ns"], 2'000'000'000);
  EXPECT_EQ(j["paused_ns"], 500'000'000);
  EXPECT_EQ(j["cpu_ns"], 3'000'000'000);
  EXPECT_EQ(j["dropped"], 7);
  EXPECT_EQ(j["latency_ns"]["count"], 1'000);
  EXPECT_EQ(j["latency_ns"]["from_due"], true);
  EXPECT_EQ(j["latency_ns"]["max"], 1'000'000);
  EXPECT_EQ(j["latency_ns"]["p99"], r.latency().p99().count());
  ASSERT_EQ(j["stages"].size(), 3u);
  const auto& compress = j["stages"][1];
  EXPECT_EQ(compress["name"], "archive/compress");
  EXPECT_EQ(compress["kind"], "farm");
  EXPECT_EQ(compress["items_in"], 1'010);
  EXPECT_EQ(compress["items_out"], 1'000);
  EXPECT_EQ(compress["busy_ns"], r.stages()[1].busy().count());
  EXPECT_EQ(compress["service_sampled"], true);
  EXPECT_EQ(compress["replicas"], 4);
  EXPECT_EQ(compress["segment"], 3);
  EXPECT_EQ(compress["occupancy"]["mean"], 12.5);
  EXPECT_EQ(compress["occupancy"]["capacity"], 64);
  EXPECT_EQ(compress["reorder"]["max"], 5);
  EXPECT_EQ(compress["displacement"]["max"], 9);
  EXPECT_FALSE(compress["displacement"].contains("capacity"));
  EXPECT_EQ(compress["errors"], 13);
  EXPECT_EQ(compress["dead_lettered"], 6);
  EXPECT_EQ(compress["inputs"], nlohmann::json::array({0}));
  EXPECT_EQ(j["stages"][0]["paced"], true);
  for (const auto* what : {"occupancy", "reorder", "displacement"})
    EXPECT_FALSE(j["stages"][2].contains(what)) << what << " was not measured";
  EXPECT_TRUE(j["stages"][0]["segment"].is_null());
  EXPECT_EQ(j["resizes"][0]["at_ns"], 1'500'000'000);
  EXPECT_EQ(j["rate_changes"],
            nlohmann::json::parse(R"([{"at_ns": 1600000000, "stage": "read", "from": 100, "to": 505}])"));
  EXPECT_EQ(j["stages"][0]["due_rate"], 505);
  EXPECT_FALSE(j["stages"][1].contains("due_rate"));
  EXPECT_EQ(j["bottleneck"]["reason"], thalweg::to_string(r.bottleneck().reason));
}

TEST(report, json_stays_valid_with_names_that_need_escapes) {
  report_data d = example();
  d.stages[0].name = "\"q\\uote\"\n\xFF";
  const auto j = nlohmann::json::parse(report(d).to_json());
  EXPECT_EQ(j["stages"][0]["name"], "\"q\\uote\"\n\xEF\xBF\xBD");
}

TEST(report, prints_a_table_for_people) {
  const report r(example());
  const std::string text = r.to_string();
  EXPECT_THAT(text, HasSubstr("1 000 items in 2.00 s, 500 /s\n"));
  EXPECT_THAT(text, HasSubstr("pool, 3 workers on 4 cores"));
  EXPECT_THAT(text, HasSubstr("2.00 cores, 3.00 s of processor time"));
  EXPECT_THAT(text, HasSubstr("p99.99 1.00 ms, max 1.00 ms (from the due time, 1 000 items)"));
  EXPECT_THAT(text, HasSubstr("paused   500 ms"));
  EXPECT_THAT(text, HasSubstr("dropped  7 items"));
  EXPECT_THAT(text, HasSubstr("archive/compress from 2 to 4 replicas after 1.50 s"));
  EXPECT_THAT(text, HasSubstr("rate     of read from 100 /s to 505 /s after 1.60 s"));
  EXPECT_THAT(text, ContainsRegex("archive/compress +farm +1 010 +1 000 +~2.97 ms +2.00 of 4 +1.0 % +0.1 %"));
  EXPECT_THAT(text, HasSubstr("12.5 / 40 of 64"));
  EXPECT_THAT(text, HasSubstr("~ timed on a sample"));
  EXPECT_THAT(text, HasSubstr("Limit: "));

  std::ostringstream out;
  out << r;
  EXPECT_EQ(out.str(), text);
}

TEST(report, the_table_leaves_out_what_did_not_happen) {
  report_data d;
  d.policy = "sequential";
  d.elapsed = 1s;
  d.items = 1;
  d.final = false;
  d.stages.push_back(stage("only", "source", 0, 1));
  const std::string text = report(d).to_string();
  EXPECT_THAT(text, HasSubstr("1 item in 1.00 s, 1.00 /s (still running)"));
  EXPECT_THAT(text, HasSubstr("1 worker on 1 core\n"));
  EXPECT_THAT(text, HasSubstr("latency  not measured"));
  for (const char* absent :
       {"errors", "retries", "paused", "dropped", "waits", "reordering", "sample", "inline"}) {
    EXPECT_THAT(text, Not(HasSubstr(absent)));
  }
}

TEST(report, a_window_is_the_difference_of_two_reports) {
  report_data d = example();
  const report start(d);
  d.elapsed += 1s;
  d.cpu += 2s;
  d.items += 300;
  d.dropped += 1;
  d.stages[1].totals.items_in += 303;
  d.stages[1].totals.service_ns += 90'900'000;
  d.stages[1].totals.sampled_items += 303;
  auto histogram = d.latency.histogram();
  histogram.record(5'000'000, 300);
  d.latency = {histogram, true, false};
  d.resizes.push_back({2500ms, "archive/compress", 4, 3});
  d.rate_changes.push_back({2600ms, "read", 505, 50});
  d.stages[0].due_rate = 50;

  const report window = report(d).since(start);
  EXPECT_EQ(window.elapsed(), 1s);
  EXPECT_EQ(window.paused(), 0s);
  EXPECT_DOUBLE_EQ(window.cores_used(), 2);
  EXPECT_DOUBLE_EQ(window.throughput(), 300);
  EXPECT_EQ(window.dropped(), 1u);
  EXPECT_EQ(window.latency().count(), 300u);
  EXPECT_NEAR(static_cast<double>(window.latency().p50().count()), 5e6, 5e6 / 64);
  EXPECT_EQ(window.stage("compress").items_in(), 303u);
  EXPECT_DOUBLE_EQ(window.stage("compress").service_time().count(), 300'000);
  EXPECT_FALSE(window.stage("compress").service_sampled());
  EXPECT_EQ(window.stage("compress").errors(), 0u);
  ASSERT_EQ(window.resizes().size(), 1u);
  EXPECT_EQ(window.resizes()[0].to, 3);
  ASSERT_EQ(window.rate_changes().size(), 1u);
  EXPECT_EQ(window.rate_changes()[0].to, 50);
  EXPECT_EQ(window.stage("read").due_rate(), 50);
}

TEST(report, a_window_needs_reports_of_one_run) {
  report_data other = example();
  for (auto& s : other.stages) s.name = "another " + s.name;
  EXPECT_THROW(static_cast<void>(report(example()).since(report(other))), std::invalid_argument);
}

TEST(report, a_window_has_stages_that_have_come_and_none_that_have_gone) {
  report_data few = example();
  few.stages.erase(few.stages.begin());
  const report window = report(example()).since(report(few));
  ASSERT_EQ(window.stages().size(), 3u);
  EXPECT_EQ(window.stage("read").items_out(), 1'010u) << "it has come: all of it is new";
  EXPECT_EQ(window.stage("compress").items_in(), 0u);
  EXPECT_EQ(window.stage("write").items_in(), 0u);
  const report fewer = report(few).since(report(example()));
  ASSERT_EQ(fewer.stages().size(), 2u);
  EXPECT_EQ(fewer.stage("compress").items_in(), 0u);
}

TEST(report, says_how_a_stage_is_divided) {
  report_data d = example();
  EXPECT_TRUE(report(d).stage("read").shares().empty());
  EXPECT_EQ(report(d).stage("read").skew(), 0);
  auto& compress = d.stages[1];
  compress.shares.by = thalweg::observe::division::replica;
  compress.shares.all = {{0, 700, 140'000'000, 70}, {1, 310, 200'000'000, 310}, {2, 0, 0, 0}, {3, 0, 0, 0}};
  const report before(d);
  const auto all = before.stage("compress").shares();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].items, 700u);
  EXPECT_EQ(all[0].busy, 1'400ms) << "70 of 700 items were timed";
  EXPECT_DOUBLE_EQ(before.stage("compress").skew(), 1'400 / (1'600 / 4.0));

  compress.shares.at(0).items += 10;
  compress.shares.at(0).service_ns += 20'000'000;
  compress.shares.at(0).sampled_items += 10;
  compress.shares.at(4) = {4, 20, 20'000'000, 20};
  compress.replicas = 2;
  const auto window = report(d).since(before).stage("compress");
  ASSERT_EQ(window.shares().size(), 5u);
  EXPECT_EQ(window.shares()[0].items, 10u);
  EXPECT_EQ(window.shares()[0].busy, 20ms);
  EXPECT_EQ(window.shares()[4].items, 20u);
  EXPECT_DOUBLE_EQ(window.skew(), 20 / (40 / 3.0)) << "replicas that are gone and did nothing do not count";

  EXPECT_THAT(report(d).to_string(), Not(HasSubstr("skew"))) << "who is idle takes the next item";
  compress.dealt = true;
  EXPECT_THAT(report(d).to_string(), ContainsRegex("skew.*\n.*read.*\n.*archive/compress.* 2\\.6x "));

  const auto json = nlohmann::json::parse(report(d).to_json()).at("stages")[1];
  EXPECT_EQ(json.at("divided_by"), "replica");
  EXPECT_EQ(json.at("shares")[1].at("busy_ns"), 200'000'000);
  EXPECT_FALSE(nlohmann::json::parse(report(d).to_json()).at("stages")[0].contains("shares"));
}

TEST(report, is_a_value) {
  report a(example());
  const report b = a;
  a = report();
  EXPECT_EQ(b.items(), 1'000u);
  EXPECT_EQ(b.stages().size(), 3u);
  EXPECT_EQ(a.items(), 0u);
}

}  // namespace
