#include "spb/detail/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "apps/text_files.hpp"
#include "spb/detail/arrival_log.hpp"
#include "stages/scratch.hpp"

namespace {

using spb::detail::arrival_log;
using spb::detail::log_of_arrivals;
using spb::detail::mine;
using spb::detail::most_sources;
using spb::detail::totals;

class Recorder : public testing::Test {
 protected:
  void SetUp() override { totals::clear(); }
};

void use_processor_for(std::chrono::milliseconds time) {
  const auto until = thalweg::observe::thread_cpu_ns() + std::chrono::nanoseconds(time).count();
  while (thalweg::observe::thread_cpu_ns() < until) {
  }
}

TEST_F(Recorder, CountsElementsAndTheirItems) {
  mine().took(3);
  mine().took(4);
  std::thread([] { mine().took(5); }).join();
  EXPECT_EQ(totals::taken(), 12U);
  EXPECT_EQ(totals::items(), 3U);
}

TEST_F(Recorder, KnowsWhenTheShortestAndTheLongestCame) {
  mine().arrived({100, 50, 1, 0});
  mine().arrived({200, 10, 1, 0});
  mine().arrived({300, 10, 1, 0});  // not the first
  std::thread([] { mine().arrived({400, 70, 2, 0}); }).join();
  EXPECT_EQ(totals::extremes().shortest_ns, 200);
  EXPECT_EQ(totals::extremes().longest_ns, 400);
  EXPECT_EQ(totals::latency()->count(), 5U);
}

TEST_F(Recorder, DividesBySource) {
  mine().arrived({1, 10, 2, 1});
  mine().arrived({1, 30, 1, 2});
  mine().arrived({1, 50, 1, 0});
  mine().arrived({1, 70, 1, most_sources + 3});
  EXPECT_EQ(totals::of_source(1)->count(), 2U);
  EXPECT_EQ(totals::of_source(2)->max(), 30);
  EXPECT_EQ(totals::of_source(most_sources)->max(), 70);
  EXPECT_TRUE(totals::of_source(3)->empty());
  std::thread([] {
    mine().is_of_source(2);
    mine().took(9);
  }).join();
  mine().took(1);
  EXPECT_EQ(totals::taken_by(2), 9U);
  EXPECT_EQ(totals::taken_by(0), 1U);
}

TEST_F(Recorder, KnowsTheProcessorTimeOfThreads) {
  using namespace std::chrono_literals;
  use_processor_for(5ms);  // before the stream
  mine().took(1);
  use_processor_for(20ms);
  std::thread([] {
    mine().took(1);
    use_processor_for(40ms);
  }).join();
  const auto each = totals::cpu_of_threads();
  ASSERT_EQ(each.size(), 2U);
  const auto in_ms = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-6; };
  EXPECT_GE(in_ms(each[0]), 20);
  EXPECT_GE(in_ms(each[1]), 40);
  EXPECT_LT(in_ms(each[0]) + in_ms(each[1]),
            20 + 40 + 10);  // thread-processor time, which load does not add to
}

TEST_F(Recorder, AThreadOfAnEarlierStreamCountsAnew) {
  std::thread([] {
    mine().took(1);
    totals::clear();
    mine().took(2);
  }).join();
  EXPECT_EQ(totals::taken(), 2U);
  EXPECT_EQ(totals::cpu_of_threads().size(), 1U);
}

TEST_F(Recorder, LogsEachArrival) {
  const scratch folder;
  const auto file = folder / "latencies.csv";
  arrival_log log(file, 1'000);
  log_of_arrivals = &log;
  mine().arrived({1'000'001'000, 2'000'000, 3, 1});
  std::thread([] {
    for (std::size_t i = 0; i < arrival_log::worth_writing; ++i) mine().arrived({2'000, 5, 1, 0});
  }).join();
  log_of_arrivals = nullptr;
  EXPECT_FALSE(std::filesystem::exists(file));
  totals::flush_arrivals(log);
  log.close();
  const auto text = read(file);
  EXPECT_TRUE(text.starts_with("seconds,latency_ms,elements,source\n0.000001000,0.000005,1,0\n"));
  EXPECT_TRUE(text.ends_with("\n1.000000000,2.000000,3,1\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + std::ptrdiff_t{arrival_log::worth_writing});
}

}  // namespace
