#include <thalweg/observe/clock.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using namespace thalweg::observe;

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Keeps the calling thread's core busy until it has used this much processor time.
void burn(std::int64_t cpu_ns) {
  const std::int64_t end = thread_cpu_ns() + cpu_ns;
  while (thread_cpu_ns() < end) {
  }
}

TEST(clock, never_goes_back) {
  std::int64_t last = now_ns();
  for (int i = 0; i != 10'000; ++i) {
    const std::int64_t now = now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(clock, is_the_steady_clock) {
  const std::int64_t before = steady_ns();
  const std::int64_t ours = now_ns();
  const std::int64_t after = steady_ns();
  EXPECT_LE(before, ours);
  EXPECT_LE(ours, after);
}

TEST(clock, advances_while_a_thread_sleeps) {
  const std::int64_t begin = now_ns();
  std::this_thread::sleep_for(5ms);
  EXPECT_GE(now_ns() - begin, 5'000'000);
}

TEST(clock, processor_time_is_that_of_work_not_of_sleep) {
  const std::int64_t wall = now_ns();
  const std::int64_t cpu = thread_cpu_ns();
  std::this_thread::sleep_for(20ms);
  EXPECT_LT(thread_cpu_ns() - cpu, (now_ns() - wall) / 2);
  burn(5'000'000);
  EXPECT_GE(thread_cpu_ns() - cpu, 5'000'000);
  EXPECT_LE(thread_cpu_ns() - cpu, now_ns() - wall);
}

TEST(clock, a_process_includes_the_threads_that_have_ended_and_a_thread_only_itself) {
  const std::int64_t process = process_cpu_ns();
  const std::int64_t own = thread_cpu_ns();
  std::thread([] { burn(10'000'000); }).join();
  const std::int64_t mine = thread_cpu_ns() - own;
  EXPECT_GE(process_cpu_ns() - process, mine + 10'000'000);
}

TEST(clock, its_cost_is_known) {
  const std::int64_t cost = clock_cost_ns();
  EXPECT_GE(cost, 0);
  EXPECT_LT(cost, 1'000'000);
  EXPECT_EQ(clock_cost_ns(), cost) << "measured once";
}

}  // namespace
