#include <thalweg/observe/hardware_counters.hpp>

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace {

using thalweg::observe::hardware_counters;
using thalweg::observe::perf_counter;

// Writes to pages that this process did not have.
void touch_pages(std::size_t pages) {
  const std::vector<char> memory(pages * 4096, 1);
  ASSERT_EQ(memory.back(), 1);
}

// The kernel counts page faults itself, so that they are there on machines whose processors do not tell.
perf_counter faults() {
  return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
}

TEST(HardwareCounters, ThreadsThatAreMadeLaterCount) {
  auto made = faults();
  if (!made.count()) GTEST_SKIP() << "the system does not let this process count";
  const auto counter = std::move(made);
  EXPECT_EQ(made.count(), std::nullopt);  // NOLINT(bugprone-use-after-move)
  const auto before = counter.count().value_or(0);
  std::thread([] { touch_pages(4096); }).join();
  EXPECT_GT(counter.count().value_or(0), before);
}

TEST(HardwareCounters, WhatDoesNotExistIsNone) {
  EXPECT_EQ(perf_counter(PERF_TYPE_SOFTWARE, 1'000'000).count(), std::nullopt);
  EXPECT_EQ(perf_counter(1'000'000, 0).count(), std::nullopt);
}

TEST(HardwareCounters, AllThatTheProcessorTellsGrows) {
  const hardware_counters counters;
  const auto first = counters.counts();
  touch_pages(1000);
  const auto later = counters.counts();
  EXPECT_EQ(first.instructions.has_value(), later.instructions.has_value());
  if (first.instructions) {
    EXPECT_GT(later.instructions, first.instructions);
  }
  if (first.cycles) {
    EXPECT_GT(later.cycles, first.cycles);
  }
  EXPECT_GE(later.cache_misses, first.cache_misses);
  EXPECT_GE(later.branch_misses, first.branch_misses);
}

}  // namespace
