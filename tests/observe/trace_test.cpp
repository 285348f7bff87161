#include <thalweg/observe/trace.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace {

using nlohmann::json;
using thalweg::observe::trace_recorder;

// The file as a viewer reads it; fails on anything that the format does not allow.
struct parsed {
  explicit parsed(const std::string& text, int processes = 1) {
    const json file = json::parse(text);
    dropped = file.at("otherData").at("dropped_events");
    for (const json& e : file.at("traceEvents")) {
      const std::string phase = e.at("ph");
      EXPECT_TRUE(e.at("name").is_string());
      EXPECT_GE(e.at("pid").get<int>(), 1);
      EXPECT_LE(e.at("pid").get<int>(), processes);
      EXPECT_GE(e.at("tid").get<int>(), 1);
      if (phase != "M") {
        EXPECT_GE(e.at("ts").get<double>(), 0);
      }
      if (phase == "X") {
        EXPECT_GE(e.at("dur").get<double>(), 0);
        EXPECT_TRUE(e.at("args").at("sequence").is_number_unsigned());
      }
      if (phase == "i") {
        EXPECT_EQ(e.at("s"), "p");
      }
      by_phase[phase].push_back(e);
    }
  }

  std::string thread_name(int tid) const {
    for (const json& e : by_phase.at("M")) {
      if (e["name"] == "thread_name" && e["tid"] == tid) return e["args"]["name"];
    }
    return "";
  }

  std::uint64_t dropped = 0;
  std::map<std::string, std::vector<json>> by_phase;
};

TEST(trace, names_stages_and_threads_and_counts_time_from_the_first_event) {
  trace_recorder trace({"read", "archive/compress"});
  trace.name_thread(1, "worker \"1\"");
  trace.record(1, 1, 1'005'500, 1'008'250, 64, 7);
  trace.record(0, 0, 1'001'000, 1'002'000, 128, 6);
  trace.level(1, 1, 1'009'000, 12);
  trace.mark(0, 1'010'000, "bad block\n");
  EXPECT_EQ(trace.recorded(), 4u);
  EXPECT_EQ(trace.dropped(), 0u);

  const parsed p(trace.to_json());
  ASSERT_EQ(p.by_phase.at("X").size(), 2u);
  const json& read = p.by_phase.at("X")[0];
  EXPECT_EQ(read["name"], "read");
  EXPECT_EQ(read["ts"], 0.0);
  EXPECT_EQ(read["dur"], 1.0);
  EXPECT_EQ(read["tid"], 1);
  const json& compress = p.by_phase.at("X")[1];
  EXPECT_EQ(compress["name"], "archive/compress");
  EXPECT_EQ(compress["ts"], 4.5) << "microseconds";
  EXPECT_EQ(compress["dur"], 2.75);
  EXPECT_EQ(compress["tid"], 2);
  EXPECT_EQ(compress["args"]["items"], 64);
  EXPECT_EQ(compress["args"]["sequence"], 7);

  ASSERT_EQ(p.by_phase.at("C").size(), 1u);
  EXPECT_EQ(p.by_phase.at("C")[0]["name"], "waiting for archive/compress");
  EXPECT_EQ(p.by_phase.at("C")[0]["args"]["items"], 12);
  ASSERT_EQ(p.by_phase.at("i").size(), 1u);
  EXPECT_EQ(p.by_phase.at("i")[0]["name"], "bad block\n");
  EXPECT_EQ(p.by_phase.at("i")[0]["args"]["stage"], "read");
  EXPECT_EQ(p.by_phase.at("i")[0]["ts"], 9.0);

  EXPECT_EQ(p.thread_name(1), "thread 0");
  EXPECT_EQ(p.thread_name(2), "worker \"1\"");
}

TEST(trace, names_all_stages_of_one_loop_up_to_four) {
  trace_recorder trace({"a", "b", "c", "d", "e", "f"});
  trace.record(0, 1, 0, 1, 1, 0, 3);
  trace.record(0, 0, 1, 2, 1, 1, 4);
  trace.record(0, 0, 2, 3, 1, 2, 6);
  trace.record(0, 5, 3, 4, 1, 3, 1);
  const parsed p(trace.to_json());
  std::vector<std::string> names;
  for (const json& e : p.by_phase.at("X")) names.push_back(e["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"b + c + d", "a + b + c + d", "a + b + c + d + 2 more", "f"}));
}

TEST(trace, an_empty_one_is_a_valid_file) {
  const trace_recorder trace({});
  const parsed p(trace.to_json());
  EXPECT_EQ(p.by_phase.size(), 1u) << "only metadata";
  EXPECT_EQ(trace.recorded(), 0u);
}

TEST(trace, keeps_the_first_events_and_counts_the_rest) {
  trace_recorder trace({"work"}, 10);
  for (int i = 0; i != 25; ++i) trace.record(0, 0, i, i + 1, 1, static_cast<std::uint64_t>(i));
  trace.record(1, 0, 0, 1, 1, 99);  // another thread has room of its own
  for (int i = 0; i != 12; ++i) trace.mark(0, i, "error");
  EXPECT_EQ(trace.recorded(), 21u);
  EXPECT_EQ(trace.dropped(), 17u);
  const parsed p(trace.to_json());
  EXPECT_EQ(p.dropped, 17u);
  ASSERT_EQ(p.by_phase.at("X").size(), 11u);
  EXPECT_EQ(p.by_phase.at("X")[9]["args"]["sequence"], 9);
  EXPECT_EQ(p.by_phase.at("i").size(), 10u);
}

TEST(trace, threads_beyond_the_most_are_dropped_not_lost_silently) {
  trace_recorder trace({"work"});
  trace.name_thread(trace_recorder::most_threads, "nobody");
  trace.record(trace_recorder::most_threads, 0, 0, 1, 1, 0);
  trace.record(trace_recorder::most_threads - 1, 0, 0, 1, 1, 0);
  EXPECT_EQ(trace.recorded(), 1u);
  EXPECT_EQ(trace.dropped(), 1u);
}

TEST(trace, unknown_stages_still_have_a_name) {
  trace_recorder trace({"read"});
  trace.record(0, 5, 0, 1, 1, 0);
  EXPECT_EQ(parsed(trace.to_json()).by_phase.at("X")[0]["name"], "stage 5");
}

class trace_file : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("thalweg_trace_" + std::to_string(getpid()) + ".json");
};

// Larger than the pieces in which it is written.
TEST_F(trace_file, holds_the_same_as_the_text) {
  trace_recorder trace({"read", "write"});
  for (std::uint64_t i = 0; i != 20'000; ++i) {
    const auto start = static_cast<std::int64_t>(i * 100);
    trace.record(i % 3, i % 2, start, start + 50, 4, i);
  }
  trace.write(path_.string());
  std::ifstream in(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, trace.to_json());
  EXPECT_EQ(parsed(text).by_phase.at("X").size(), 20'000u);
}

TEST_F(trace_file, that_cannot_be_written_is_an_error_that_names_it) {
  const trace_recorder trace({});
  try {
    trace.write("/nowhere/at all/trace.json");
    FAIL() << "no error";
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'/nowhere/at all/trace.json'"));
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
  }
}

TEST_F(trace_file, a_full_disk_is_an_error) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  trace_recorder trace({"read"});
  for (int i = 0; i != 20'000; ++i) trace.record(0, 0, i, i + 1, 1, 0);
  EXPECT_THROW(trace.write("/dev/full"), std::system_error) << "found while writing";
  EXPECT_THROW(trace_recorder({}).write("/dev/full"), std::system_error) << "found while closing";
}

// What TSan checks, too: threads record while others write the file.
TEST(trace, is_written_while_threads_record) {
  constexpr int threads = 4;
  constexpr int each = 6'000;
  trace_recorder trace({"a", "b"});
  std::atomic<int> running = threads;
  std::vector<std::thread> workers;
  for (int t = 0; t != threads; ++t) {
    workers.emplace_back([&, t] {
      for (int i = 0; i != each; ++i) {
        trace.record(static_cast<std::size_t>(t), static_cast<std::size_t>(i % 2), i, i + 1, 1,
                     static_cast<std::uint64_t>(i));
      }
      trace.mark(0, each, "done");
      --running;
    });
  }
  std::uint64_t seen = 0;
  while (running != 0) {
    const parsed p(trace.to_json());
    const auto runs = p.by_phase.find("X");
    const std::uint64_t n = runs == p.by_phase.end() ? 0 : runs->second.size();
    ASSERT_GE(n, seen);
    seen = n;
  }
  for (auto& w : workers) w.join();
  EXPECT_EQ(trace.recorded(), static_cast<std::uint64_t>(threads) * (each + 1));
  std::vector<std::uint64_t> next(threads + 1);
  const parsed all(trace.to_json());
  for (const json& e : all.by_phase.at("X")) {
    ASSERT_EQ(e["args"]["sequence"], next[e["tid"].get<std::size_t>()]++)
        << "each thread's events are in order";
  }
}

TEST(trace, of_several_processes_are_one) {
  trace_recorder first({"read"}), second({"write"}, 2);
  first.as_process(0, "rank 0", 1'000);
  second.as_process(1, "rank 1", 51'000);  // whose clock is 50 us ahead
  first.record(0, 0, 2'000, 3'000, 7, 0);
  for (int i = 0; i < 3; ++i) second.record(0, 0, 53'000, 54'000, 8, 0);  // the third has no room
  first.add_events(second.events(), second.dropped());
  const parsed file(first.to_json(), 2);
  EXPECT_EQ(file.dropped, 1U);
  std::map<int, std::string> names;
  for (const json& e : file.by_phase.at("M")) {
    if (e["name"] == "process_name") names[e["pid"]] = e["args"]["name"];
  }
  EXPECT_THAT(names, testing::ElementsAre(testing::Pair(1, "rank 0"), testing::Pair(2, "rank 1")));
  const auto& bars = file.by_phase.at("X");
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_EQ(bars[0]["pid"], 1);
  EXPECT_DOUBLE_EQ(bars[0]["ts"], 1.0);
  EXPECT_EQ(bars[1]["pid"], 2);
  EXPECT_EQ(bars[1]["name"], "write");
  EXPECT_DOUBLE_EQ(bars[1]["ts"], 2.0);
}

}  // namespace
