#include <thalweg/pipe/parker.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <support/scale.hpp>

namespace {

using namespace std::chrono_literals;
namespace pipe = thalweg::pipe;

TEST(parker, a_permit_given_before_is_not_lost) {
  pipe::parker parker;
  parker.unpark();
  parker.park();  // hangs if it is
  EXPECT_FALSE(parker.park_for(1ms));
}

TEST(parker, permits_do_not_add_up) {
  pipe::parker parker;
  parker.unpark();
  parker.unpark();
  EXPECT_TRUE(parker.park_for(1ms));
  EXPECT_FALSE(parker.park_for(1ms));
}

TEST(parker, prepare_throws_a_left_over_permit_away) {
  pipe::parker parker;
  parker.unpark();
  parker.prepare();
  EXPECT_FALSE(parker.park_for(1ms));
  parker.unpark();
  EXPECT_TRUE(parker.park_for(1ms));
}

TEST(parker, a_timed_park_sleeps_until_its_deadline) {
  pipe::parker parker;
  const auto deadline = std::chrono::steady_clock::now() + 20ms;
  EXPECT_FALSE(parker.park_until(deadline));
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
}

TEST(parker, unpark_wakes_and_shows_what_was_done_before) {
  pipe::parker parker;
  int written = 0;
  std::jthread other([&] {
    std::this_thread::sleep_for(5ms);
    written = 42;
    parker.unpark();
  });
  parker.park();
  EXPECT_EQ(written, 42);
}

TEST(parker, ping_pong_loses_no_permit) {
  pipe::parker ping, pong;
  const int rounds = scaled(20'000);
  long ball = 0;
  std::jthread other([&] {
    for (int i = 0; i < rounds; ++i) {
      pong.park();
      ++ball;
      ping.unpark();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    ++ball;
    pong.unpark();
    ping.park();
  }
  EXPECT_EQ(ball, 2L * rounds);
}

TEST(parker, a_permit_that_comes_as_the_time_ends_is_either_taken_or_kept) {
  pipe::parker parker;
  std::atomic<long> given{0};
  const int rounds = scaled(3'000);
  std::jthread giver([&] {
    for (int i = 0; i < rounds; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(i % 60));
      given.store(i + 1);
      parker.unpark();
      while (given.load() != 0) std::this_thread::yield();  // one permit at a time
    }
  });
  for (int i = 0; i < rounds; ++i) {
    while (!parker.park_for(std::chrono::microseconds(30))) {
    }
    ASSERT_EQ(given.load(), i + 1);
    given.store(0);
  }
}

}  // namespace
