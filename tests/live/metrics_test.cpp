// What Prometheus is told: read by a strict reader of its text format, and by its own tool where that is
// there.
#include "metrics.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "live/client.hpp"

using namespace live_test;

namespace {

struct metric {
  std::string type;
  std::map<std::string, double> values;  // by name and labels
};

// Each metric: its help, its type, its values, each once; anything else is a failure.
std::map<std::string, metric> read_strictly(const std::string& text) {
  static const std::regex help("# HELP ([a-z_]+) \\S.*"), type("# TYPE ([a-z_]+) (counter|gauge|histogram)"),
      value(
          R"re(([a-z_]+)(\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})? (-?[0-9][0-9.e+-]*))re");
  std::map<std::string, metric> all;
  std::string name, promised;
  EXPECT_TRUE(text.ends_with('\n'));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (std::regex_match(line, m, help)) {
      promised = m[1];
      EXPECT_FALSE(all.contains(promised)) << line;
    } else if (std::regex_match(line, m, type)) {
      name = m[1];
      EXPECT_EQ(name, promised);
      all[name].type = m[2];
      EXPECT_EQ(name.ends_with("_total"), m[2] == "counter") << line;
    } else if (std::regex_match(line, m, value)) {
      const auto of = m[1].str();
      const auto suffix = of.substr(std::min(of.size(), name.size()));
      EXPECT_TRUE(of.starts_with(name)) << line;
      EXPECT_TRUE(suffix.empty() != (all[name].type == "histogram")) << line;
      EXPECT_TRUE(all[name].values.emplace(of + m[2].str(), std::stod(m[3])).second) << "twice: " << line;
    } else {
      ADD_FAILURE() << "no line of the format: " << line;
    }
  }
  for (const auto& [metric_name, m] : all) EXPECT_FALSE(m.values.empty()) << metric_name;
  return all;
}

tw::report report_of_a_run() {
  auto job = tw::source(std::views::iota(0, 1'000), {.name = "a \"source\"\\\n\x01\xff"}) |
             tw::farm([](int x) { return x % 100 == 0 ? throw x : x; },
                      {.replicas = 3, .on_error = tw::skip, .name = "farm"}) |
             tw::sink([](int) {}, {.name = "sink"});
  return tw::run(job);
}

}  // namespace

TEST(live_metrics, each_is_written_as_the_format_wants_it) {
  const auto r = report_of_a_run();
  auto all = read_strictly(tw::live::metrics_text(r, true));
  EXPECT_EQ(all["thalweg_items_total"].values["thalweg_items_total"], 990);
  EXPECT_EQ(all["thalweg_paused"].values["thalweg_paused"], 1);
  EXPECT_EQ(all["thalweg_running"].values["thalweg_running"], 0);
  EXPECT_EQ(all["thalweg_stage_items_in_total"].values["thalweg_stage_items_in_total{stage=\"farm\"}"],
            1'000);
  EXPECT_EQ(all["thalweg_stage_errors_total"].values["thalweg_stage_errors_total{stage=\"farm\"}"], 10);
  EXPECT_EQ(all["thalweg_stage_replicas"].values["thalweg_stage_replicas{stage=\"farm\"}"], 3);
  EXPECT_GT(all["process_resident_memory_bytes"].values["process_resident_memory_bytes"], 0);
  const auto& latency = all["thalweg_latency_seconds"].values;
  EXPECT_EQ(latency.at("thalweg_latency_seconds_count"), static_cast<double>(r.latency().count()));
  EXPECT_EQ(latency.at("thalweg_latency_seconds_bucket{le=\"+Inf\"}"),
            static_cast<double>(r.latency().count()));
  EXPECT_EQ(latency.size(), 26U);
}

TEST(live_metrics, replicas_have_values_while_they_are_few) {
  tw::report_data d;
  for (const auto* name : {"one", "two"}) {
    auto& s = d.stages.emplace_back();
    s.name = name;
    s.shares.by = tw::observe::division::key_part;
    s.shares.all = {{.number = 0, .items = 7, .service_ns = 1'500'000'000, .sampled_items = 7},
                    {.number = 3, .items = 2, .service_ns = 0, .sampled_items = 0}};
  }
  auto all = read_strictly(tw::live::metrics_text(tw::report(d), false));
  const std::string of = R"({stage="one",by="part",number="0"})";
  EXPECT_EQ(all["thalweg_stage_share_items_total"].values["thalweg_stage_share_items_total" + of], 7);
  EXPECT_EQ(
      all["thalweg_stage_share_busy_seconds_total"].values["thalweg_stage_share_busy_seconds_total" + of],
      1.5);
  EXPECT_EQ(all["thalweg_stage_share_items_total"].values.size(), 4U);

  for (int i = 10; i < 80; ++i) (void)d.stages[0].shares.at(i);
  EXPECT_FALSE(read_strictly(tw::live::metrics_text(tw::report(d), false))
                   .contains("thalweg_stage_share_items_total"));
}

TEST(live_metrics, the_buckets_of_the_latency_grow) {
  const auto text = tw::live::metrics_text(report_of_a_run(), false);
  std::istringstream lines(text);
  double before = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("thalweg_latency_seconds_bucket")) continue;
    const auto now = std::stod(line.substr(line.rfind(' ')));
    EXPECT_GE(now, before) << line;
    before = now;
  }
}

TEST(live_metrics, prometheus_itself_accepts_them) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) GTEST_SKIP() << "promtool is not installed";
  tw::live::server page(tw::launch(endless()), often());
  while (page.execution().stats().items() < 1'000) std::this_thread::yield();
  const auto path = std::filesystem::temp_directory_path() / ("live-metrics." + std::to_string(::getpid()));
  for (const auto& text :
       {tw::live::metrics_text(report_of_a_run(), false), get(page.port(), "/metrics").body}) {
    std::ofstream(path) << text;
    EXPECT_EQ(std::system(("promtool check metrics <" + path.string()).c_str()), 0) << text;
  }
  std::filesystem::remove(path);
}
