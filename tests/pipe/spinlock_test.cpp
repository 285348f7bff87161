#include <thalweg/pipe/spinlock.hpp>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pipe/cpu_time.hpp>
#include <support/scale.hpp>

namespace {

using namespace std::chrono_literals;
namespace pipe = thalweg::pipe;

TEST(spinlock, try_lock_fails_while_held) {
  pipe::spinlock lock;
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  const std::unique_lock hold(lock, std::try_to_lock);
  EXPECT_TRUE(hold.owns_lock());
}

TEST(spinlock, excludes_with_more_threads_than_cores) {
  pipe::spinlock lock;
  const int rounds = scaled(20'000);
  const int threads = static_cast<int>(2 * std::thread::hardware_concurrency() + 2);
  long sum = 0;  // not atomic: the lock has to make it right
  std::vector<std::jthread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        const std::lock_guard hold(lock);
        ++sum;
      }
    });
  }
  all.clear();
  EXPECT_EQ(sum, static_cast<long>(threads) * rounds);
}

TEST(spinlock, waiting_for_a_holder_that_sleeps_burns_no_cpu) {
  pipe::spinlock lock;
  std::vector<std::jthread> waiters;
  std::vector<std::chrono::nanoseconds> used(3);
  lock.lock();
  for (auto& mine : used) {
    waiters.emplace_back([&] {
      const auto before = thread_cpu_time();
      const std::lock_guard hold(lock);
      mine = thread_cpu_time() - before;
    });
  }
  std::this_thread::sleep_for(300ms);
  lock.unlock();
  waiters.clear();
  for (auto mine : used) EXPECT_LT(mine, 100ms);
}

}  // namespace
