// Samples of a run in a file: `run_options::monitor`.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/run/sample_file.hpp"
#include "support/eventually.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

class Monitor : public under_every_policy {
 protected:
  Monitor() {
    std::string name = "monitor_" + std::to_string(getpid()) + "_" + std::to_string(++files);
    path = (std::filesystem::temp_directory_path() / name).string();
  }
  ~Monitor() override { std::filesystem::remove(path); }

  // Goes on until the file has so many lines.
  [[nodiscard]] auto source_until(std::size_t lines) const {
    return tw::source(
        [p = path, lines, n = 0]() mutable -> std::optional<int> {
          if (n % 64 == 0) {
            if (lines_of(p).size() >= lines) return std::nullopt;
            std::this_thread::sleep_for(100us);
          }
          return n++;
        },
        {.name = "read"});
  }
  [[nodiscard]] tw::run_options often() const { return {.monitor = path, .every = 1ms}; }

  static inline std::atomic<int> files{0};
  std::string path;
};
FOR_EVERY_POLICY(Monitor);

TEST_P(Monitor, WritesALineNowAndThenAndOneAtTheEnd) {
  const auto job = source_until(4) | tw::farm([](int x) { return x + 1; }, {.replicas = 2, .name = "add"}) |
                   tw::sink([](int) {}, {.name = "write"});
  const auto r = tw::run(job, policy(), often());
  const auto lines = lines_of(path);
  ASSERT_GE(lines.size(), 5U);
  std::int64_t before = -1;
  std::uint64_t items = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto sample = json::parse(lines[i]);
    EXPECT_GT(sample["time_ns"], before);
    before = sample["time_ns"];
    EXPECT_GE(sample["items"], items);
    items = sample["items"];
    EXPECT_EQ(sample["final"], i + 1 == lines.size());
    ASSERT_EQ(sample["stages"].size(), 3U);
    EXPECT_EQ(sample["stages"][1]["name"], "add");
    EXPECT_EQ(sample["stages"][1]["replicas"], r.stage("add").replicas());
    EXPECT_GE(sample["throughput"], 0.0);
    EXPECT_GT(sample["resident_bytes"], 0U);
  }
  EXPECT_EQ(items, r.items());
  EXPECT_THAT(r.notes(), Not(Contains(HasSubstr("monitor"))));
  const auto last = json::parse(lines.back());
  EXPECT_EQ(last["stages"][2]["items_in"], r.stage("write").items_in());
  EXPECT_EQ(last["time_ns"], r.elapsed().count());
  EXPECT_EQ(last["cpu_ns"], r.cpu_time().count());
}

TEST_P(Monitor, TheFirstLineSaysWhatConnectsTheStages) {
  const auto job = source_until(3) | tw::farm([](int x) { return x; }, {.replicas = 2, .name = "add"}) |
                   tw::sink([](int) {}, {.name = "write"});
  tw::run(job, policy(), often());
  const auto lines = lines_of(path);
  ASSERT_GE(lines.size(), 4U);
  const auto graph = json::parse(lines[0])["graph"];
  ASSERT_EQ(graph["stages"].size(), 3U);
  EXPECT_EQ(graph["stages"][0]["kind"], "source");
  EXPECT_EQ(graph["stages"][1]["inputs"], json::array({0}));
  EXPECT_EQ(graph["stages"][1]["farm"], true);
  EXPECT_EQ(graph["stages"][2]["inputs"], json::array({1}));
  EXPECT_EQ(graph["every_ms"], 1);
  EXPECT_EQ(graph["title"], program_invocation_short_name);
  EXPECT_FALSE(json::parse(lines[1]).contains("graph")) << "it is the same";
}

TEST_P(Monitor, SamplesHaveTheBucketsOfTheirLatenciesAndWhatLimits) {
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {}), policy(), {.monitor = path, .every = 1h});
  const auto last = json::parse(lines_of(path).at(0));
  std::uint64_t counted = 0;
  for (const auto& bucket : last["latency_ns"]["buckets"]) counted += bucket[1].get<std::uint64_t>();
  EXPECT_EQ(counted, 3U);
  EXPECT_EQ(last["stages"][1]["latency_ns"]["count"], 3U);
  EXPECT_FALSE(last["bottleneck"]["advice"].get<std::string>().empty());
  EXPECT_TRUE(last["resizes"].empty());
}

TEST_P(Monitor, ShortRunsHaveTheirLastLineAndNothingOfAnEarlierRun) {
  std::ofstream(path) << "of an earlier run\n";
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {}), policy(), {.monitor = path, .every = 1h});
  const auto lines = lines_of(path);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(json::parse(lines[0])["items"], 3U);
}

TEST_P(Monitor, IsThereWhenTheRunHasFailed) {
  const auto job =
      tw::source(std::vector{1, 2, 3}) |
      tw::map([](int x) { return x == 3 ? throw std::runtime_error("three") : x; }, {.name = "check"}) |
      tw::sink([](int) {});
  EXPECT_THROW(tw::run(job, policy(), often()), tw::stage_error);
  const auto lines = lines_of(path);
  ASSERT_FALSE(lines.empty());
  const auto last = json::parse(lines.back());
  EXPECT_EQ(last["final"], true);
  EXPECT_EQ(last["stages"][1]["errors"], 1U);
}

TEST_P(Monitor, IsThereWhenNobodyWaits) {
  {
    const auto e =
        tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) | tw::sink([](int) {}),
                   policy(), often());
    EXPECT_TRUE(eventually([&] { return !lines_of(path).empty(); }));
  }
  EXPECT_EQ(json::parse(lines_of(path).back())["final"], true);
}

TEST_P(Monitor, SaysThatAFileCannotBeWrittenBeforeAnythingRuns) {
  std::atomic<int> calls{0};
  const auto job =
      tw::source([&]() -> std::optional<int> { return ++calls, std::nullopt; }) | tw::sink([](int) {});
  try {
    tw::run(job, policy(), {.monitor = "/no/such/folder/run.jsonl"});
    FAIL() << "it has run";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
    EXPECT_THAT(e.what(), HasSubstr("/no/such/folder/run.jsonl"));
  }
  EXPECT_EQ(calls, 0);
  tw::run(job, policy());
  EXPECT_GT(calls, 0);
}

TEST_P(Monitor, AFullDiskIsANote) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const auto r =
      tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {}), policy(), {.monitor = "/dev/full"});
  EXPECT_EQ(r.items(), 3U);
  EXPECT_THAT(r.notes(), Contains(AllOf(HasSubstr("/dev/full"), HasSubstr("No space left"))));
}

TEST_P(Monitor, AReaderThatGoesAwayIsANote) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const auto job = tw::source([reader, n = 0]() mutable -> std::optional<int> {
                     if (n == 0) ::close(reader);
                     return n < 3 ? std::optional(n++) : std::nullopt;
                   }) |
                   tw::sink([](int) {});
  const auto r = tw::run(job, policy(), {.monitor = path, .every = 1h});
  EXPECT_EQ(r.items(), 3U);
  EXPECT_THAT(r.notes(), Contains(HasSubstr("Broken pipe")));
}

TEST_P(Monitor, RefusesWhatItCannotDo) {
  const auto job = tw::source(std::vector{1}) | tw::sink([](int) {});
  const auto text = [&](const tw::run_options& o) -> std::string {
    try {
      tw::run(job, policy(), o);
    } catch (const tw::invalid_job& e) {
      return e.what();
    }
    return "it has run";
  };
  EXPECT_THAT(text({.monitor = path, .every = 0ms}),
              HasSubstr("run_options.every must be at least 1 ms, not 0 ns"));
  EXPECT_THAT(text({.observe = false, .progress = true}), HasSubstr("without .observe nothing is counted"));
  EXPECT_FALSE(std::filesystem::exists(path));
  tw::run(job, policy(), {.every = 0ms});  // nobody looks
}

// A file never ends with half of a line.
TEST(SampleFile, EndsWithTheLastWholeLine) {
  const auto path =
      (std::filesystem::temp_directory_path() / ("samples_" + std::to_string(getpid()))).string();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const std::string line(59, 'x');
  std::string first, second, third;
  {
    tw::run_detail::sample_file file(path);
    const rlimit small{100, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    first = file.add(line + "\n");
    second = file.add(line + "\n");
    third = file.add("y\n");
    (void)setrlimit(RLIMIT_FSIZE, &before);
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(first, "");
  EXPECT_THAT(second, AllOf(HasSubstr(path), HasSubstr("too large")));
  EXPECT_EQ(third, "") << "it has said so already";
  EXPECT_THAT(lines_of(path), ElementsAre(line));
  std::filesystem::remove(path);
}

}  // namespace
