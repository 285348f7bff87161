#include "micro/support/experiment.hpp"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace micro {
namespace {

/// A contender that takes a given time and gives a given result, and notes that it ran.
contender sleeper(const std::string& name, nanos time, std::uint64_t result, std::vector<std::string>& log) {
  return {name, "plain", true, [=, &log] {
            log.push_back(name);
            sleep_until(now() + time);
            return result;
          }};
}

std::vector<nlohmann::json> lines_of(const std::string& printed) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(printed);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

struct outcome {
  std::vector<nlohmann::json> lines;
  std::vector<std::string> log;
  bool anything_wrong;

  std::vector<nlohmann::json> of(const std::string& type) const {
    std::vector<nlohmann::json> found;
    for (const auto& line : lines) {
      if (line["type"] == type) found.push_back(line);
    }
    return found;
  }
};

outcome run(int repeats, std::uint64_t result_of_slow) {
  outcome o;
  reporter out;
  std::mt19937_64 random(1);
  experiment e("bench", "variant", 1'000);
  const auto reference = e.reference(sleeper("raw", 200'000, 7, o.log), 7);
  e.add(sleeper("slow", 20'000'000, result_of_slow, o.log), 7, reference, 1.5);
  e.add(sleeper("alike", 200'000, 7, o.log), 7, reference, 100);
  testing::internal::CaptureStdout();
  e.run(repeats, out, random);
  o.lines = lines_of(testing::internal::GetCapturedStdout());
  o.anything_wrong = out.anything_wrong();
  return o;
}

TEST(experiment, each_run_follows_its_reference) {
  const auto o = run(5, 7);
  ASSERT_EQ(o.log.size(), 3U + 5U * 4U);  // a warm-up of each, then two pairs a repeat
  for (std::size_t i = 3; i < o.log.size(); i += 2) {
    EXPECT_EQ(o.log[i], "raw");
    EXPECT_NE(o.log[i + 1], "raw");
  }
}

TEST(experiment, rows_hold_samples_paired_ratios_and_bars) {
  const auto o = run(5, 7);
  const auto rows = o.of("row");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["role"], "reference");
  EXPECT_FALSE(rows[0].contains("ratios"));
  EXPECT_EQ(rows[0]["samples"].size(), 10U);  // before each of the two others
  EXPECT_EQ(rows[1]["against"], "raw");
  EXPECT_EQ(rows[1]["repeats"], 5);
  EXPECT_EQ(rows[1]["items"], 1'000);
  EXPECT_EQ(rows[1]["samples"].size(), 5U);
  EXPECT_EQ(rows[1]["parallelism"].size(), 5U);
  ASSERT_EQ(rows[1]["ratios"].size(), 5U);
  for (const double per_item : rows[1]["samples"]) EXPECT_GE(per_item, 20'000);  // it sleeps so long at least
  for (const double ratio : rows[1]["ratios"]) EXPECT_GT(ratio, 0);
  EXPECT_EQ(rows[1]["bar"], (nlohmann::json{{"limit", 1.5}, {"on", "ratio"}}));
  EXPECT_EQ(rows[2]["bar"]["limit"], 100);
  EXPECT_FALSE(o.anything_wrong);
}

TEST(experiment, wrong_output_is_reported_and_not_compared) {
  const auto o = run(5, 8);
  ASSERT_EQ(o.of("wrong").size(), 1U);
  EXPECT_EQ(o.of("wrong")[0]["who"], "slow, plain");
  EXPECT_TRUE(o.anything_wrong);
  for (const auto& row : o.of("row")) EXPECT_NE(row["peer"], "slow");
  EXPECT_EQ(std::count(o.log.begin(), o.log.end(), "slow"), 1);
}

TEST(experiment, a_peer_that_has_nothing_for_the_program_is_left_out) {
  struct idle_peer {
    std::vector<contender> contenders(const even_farm&) const { return {}; }
  };
  const even_farm program{1'000, {1}};
  reporter out;
  std::mt19937_64 random(1);
  experiment e("bench", "variant", program.items);
  const auto expected = loop(program).run();
  const auto reference = e.reference(loop(program), expected);
  e.add(loop(program), expected, reference);
  testing::internal::CaptureStdout();
  e.add_best_of(idle_peer{}, program, reference, out);
  e.run(1, out, random);
  outcome o;
  o.lines = lines_of(testing::internal::GetCapturedStdout());
  EXPECT_EQ(o.of("row").size(), 2U);
  EXPECT_FALSE(out.anything_wrong());
}

TEST(measure_once, counts_processor_time_of_all_threads) {
  const contender busy{"busy", "two threads", true, [] {
                         const auto spin = [] {
                           const nanos processor = processor_time();
                           while (processor_time() - processor < 20'000'000) {
                           }
                         };
                         std::jthread other(spin);
                         spin();
                         return std::uint64_t{1};
                       }};
  const auto taken = measure_once(busy, 1);
  EXPECT_GE(taken.processor, 20e6);
  EXPECT_GT(taken.wall, 0);
  EXPECT_THROW(measure_once(busy, 2), std::runtime_error);
}

}  // namespace
}  // namespace micro
