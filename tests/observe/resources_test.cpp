#include <thalweg/observe/resources.hpp>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace {

using namespace std::chrono_literals;
using namespace thalweg::observe;

constexpr std::size_t megabyte = std::size_t{1} << 20;

// Maps and touches memory, and gives it back to the system: an allocator might keep it.
void touch(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(p, MAP_FAILED);
  std::memset(p, 1, bytes);
  munmap(p, bytes);
}

TEST(resources, count_processor_time_of_all_threads) {
  const auto before = process_resources();
  std::thread([] {
    const auto begin = thread_resources();
    while (thread_resources().since(begin).cpu_ns() < 30'000'000) {
    }
  }).join();
  const auto used = process_resources().since(before);
  EXPECT_GE(used.cpu_ns(), 20'000'000) << "some kernels count in ticks";
  EXPECT_GT(used.wall_ns, 0);
}

TEST(resources, count_page_faults_and_the_peak_of_memory) {
  const auto before = process_resources();
  touch(64 * megabyte);
  const auto after = process_resources();
  EXPECT_GT(after.since(before).minor_faults, 0u);
  EXPECT_GE(after.peak_bytes, before.resident_bytes + 60 * megabyte);
  EXPECT_LT(after.resident_bytes, after.peak_bytes - 60 * megabyte) << "it was given back";
  EXPECT_EQ(after.since(before).peak_bytes, after.peak_bytes) << "a peak is not a difference";
}

TEST(resources, the_peak_can_start_again) {
  touch(64 * megabyte);
  const auto before = process_resources();
  if (!reset_peak_memory()) {
    EXPECT_GE(process_resources().peak_bytes, before.peak_bytes) << "nothing changed";
    GTEST_SKIP() << "this system does not allow it";
  }
  EXPECT_LT(process_resources().peak_bytes, before.peak_bytes - 60 * megabyte);
}

TEST(resources, sleeping_is_a_voluntary_switch) {
  const auto before = thread_resources();
  for (int i = 0; i != 5; ++i) std::this_thread::sleep_for(1ms);
  const auto used = thread_resources().since(before);
  EXPECT_GE(used.voluntary_switches, 5u);
  EXPECT_EQ(used.peak_bytes, 0u);
  EXPECT_EQ(used.resident_bytes, 0u);
}

}  // namespace
