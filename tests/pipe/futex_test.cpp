#include <thalweg/pipe/futex.hpp>

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
namespace pipe = thalweg::pipe;
using steady = std::chrono::steady_clock;

TEST(futex, wait_returns_at_once_when_the_word_holds_something_else) {
  pipe::futex_word word{7};
  pipe::futex_wait(word, 8);
  EXPECT_TRUE(pipe::futex_wait_until(word, 8, steady::now() + 1h));
}

TEST(futex, timed_wait_ends_at_its_deadline_and_not_before) {
  pipe::futex_word word{7};
  const auto deadline = steady::now() + 30ms;
  while (pipe::futex_wait_until(word, 7, deadline)) {  // true: a wake-up without reason
  }
  EXPECT_GE(steady::now(), deadline);
}

TEST(futex, a_deadline_in_the_past_is_a_timeout) {
  pipe::futex_word word{7};
  EXPECT_FALSE(pipe::futex_wait_until(word, 7, steady::now() - 1s));
  EXPECT_FALSE(pipe::futex_wait_until(word, 7, steady::time_point{} - 1s));
}

TEST(futex, wake_all_wakes_all) {
  pipe::futex_word word{0};
  std::vector<std::jthread> sleepers;
  for (int i = 0; i < 4; ++i) {
    sleepers.emplace_back([&] {
      while (word.load() == 0) pipe::futex_wait(word, 0);
    });
  }
  std::this_thread::sleep_for(10ms);
  word.store(1);
  pipe::futex_wake_all(word);
  sleepers.clear();  // joins: a sleeper that was not woken hangs the test
  EXPECT_EQ(word.load(), 1u);
}

TEST(futex, wake_one_wakes_no_more_than_one) {
  pipe::futex_word word{0};
  std::atomic<int> awake{0};
  std::vector<std::jthread> sleepers;
  for (int i = 0; i < 3; ++i) {
    sleepers.emplace_back([&] {
      // Leaves on any return from the wait, so that the count shows how many were woken.
      pipe::futex_wait(word, 0);
      ++awake;
    });
  }
  std::this_thread::sleep_for(50ms);
  const int before = awake.load();  // 0 but for wake-ups without reason
  pipe::futex_wake(word, 1);
  std::this_thread::sleep_for(20ms);
  EXPECT_LE(awake.load(), before + 1);
  word.store(1);
  pipe::futex_wake_all(word);
  sleepers.clear();
  EXPECT_EQ(awake.load(), 3);
}

}  // namespace
