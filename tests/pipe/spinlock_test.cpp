#include <thalweg/pipe/spinlock.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <support/asleep.hpp>
#include <support/eventually.hpp>
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

TEST(spinlock, who_waits_for_a_holder_that_sleeps_sleeps_too) {
  pipe::spinlock lock;
  std::vector<std::jthread> waiters;
  std::vector<std::atomic<pid_t>> threads(3);
  lock.lock();
  for (auto& mine : threads) {
    waiters.emplace_back([&] {
      mine = gettid();
      const std::lock_guard hold(lock);
    });
  }
  for (auto& each : threads) EXPECT_TRUE(eventually([&] { return is_asleep(each); }));
  lock.unlock();
}

}  // namespace
