#include <thalweg/pipe/idle_set.hpp>
#include <thalweg/pipe/pause.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <support/scale.hpp>

namespace {

using namespace std::chrono_literals;
namespace pipe = thalweg::pipe;

bool was_woken(pipe::idle_set& idle, std::size_t w) {
  return idle.park_until(w, std::chrono::steady_clock::now());
}

TEST(idle_set, wakes_nobody_when_nobody_is_idle) {
  pipe::idle_set idle(3);
  EXPECT_EQ(idle.size(), 3u);
  EXPECT_EQ(idle.idle_count(), 0u);
  EXPECT_FALSE(idle.wake_one());
  EXPECT_FALSE(idle.wake(1));
  EXPECT_EQ(idle.wake_all(), 0u);
}

TEST(idle_set, wakes_the_last_one_first) {
  pipe::idle_set idle(3);
  for (std::size_t w : {1, 0, 2}) idle.register_idle(w);
  EXPECT_EQ(idle.idle_count(), 3u);
  for (std::size_t w : {2, 0, 1}) {
    EXPECT_TRUE(idle.wake_one());
    idle.park(w);  // hangs if somebody else was chosen
  }
  EXPECT_FALSE(idle.wake_one());
}

TEST(idle_set, wakes_the_one_asked_for) {
  pipe::idle_set idle(3);
  for (std::size_t w : {0, 1, 2}) idle.register_idle(w);
  EXPECT_TRUE(idle.wake(1));
  EXPECT_FALSE(idle.wake(1));
  idle.park(1);
  EXPECT_EQ(idle.idle_count(), 2u);
  EXPECT_EQ(idle.wake_all(), 2u);
  idle.park(0);
  idle.park(2);
}

TEST(idle_set, cancel_says_whether_a_wake_up_was_spent) {
  pipe::idle_set idle(2);
  idle.register_idle(0);
  EXPECT_TRUE(idle.cancel_idle(0));
  EXPECT_FALSE(idle.wake_one());
  idle.register_idle(0);
  EXPECT_TRUE(idle.wake_one());
  EXPECT_FALSE(idle.cancel_idle(0));
}

TEST(idle_set, a_wake_up_of_an_earlier_sleep_does_not_end_the_next) {
  pipe::idle_set idle(1);
  idle.register_idle(0);
  EXPECT_TRUE(idle.wake_one());
  EXPECT_FALSE(idle.cancel_idle(0));  // chosen, but it did not park
  idle.register_idle(0);
  EXPECT_FALSE(was_woken(idle, 0));
  EXPECT_EQ(idle.idle_count(), 0u);
}

TEST(idle_set, a_timed_park_that_ends_takes_the_worker_out) {
  pipe::idle_set idle(2);
  idle.register_idle(1);
  EXPECT_FALSE(idle.park_until(1, std::chrono::steady_clock::now() + 5ms));
  EXPECT_EQ(idle.idle_count(), 0u);
  EXPECT_FALSE(idle.wake_one());
}

TEST(idle_set, refuses_more_workers_than_it_can_number) {
  EXPECT_THROW(pipe::idle_set(70'000), std::length_error);
  EXPECT_NO_THROW(pipe::idle_set(0));
}

RC_GTEST_PROP(idle_set, behaves_like_a_stack_from_which_anybody_may_leave, ()) {
  const auto workers = *rc::gen::inRange<std::size_t>(1, 9);
  pipe::idle_set idle(workers);
  std::vector<std::size_t> model;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, std::size_t>>>(
      rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange<std::size_t>(0, workers)));
  for (const auto& [step, w] : steps) {
    const auto at = std::find(model.begin(), model.end(), w);
    const bool in = at != model.end();
    switch (step) {
      case 0:
        if (in) break;
        idle.register_idle(w);
        model.push_back(w);
        break;
      case 1:
        RC_ASSERT(idle.cancel_idle(w) == in);
        if (in) model.erase(at);
        break;
      case 2:
        RC_ASSERT(idle.wake(w) == in);
        if (in) {
          RC_ASSERT(was_woken(idle, w));
          model.erase(at);
        }
        break;
      default:
        RC_ASSERT(idle.wake_one() == !model.empty());
        if (!model.empty()) {
          RC_ASSERT(was_woken(idle, model.back()));
          model.pop_back();
        }
    }
    RC_ASSERT(idle.idle_count() == model.size());
  }
}

// Those above it sleep again as soon as they are woken, and must not take the turn of the one at the bottom.
TEST(idle_set, wake_all_reaches_the_bottom_though_those_above_are_idle_again_at_once) {
  constexpr std::size_t workers = 5;
  pipe::idle_set idle(workers);
  std::atomic<bool> over{false};
  std::vector<std::jthread> restless;
  for (std::size_t w = 1; w < workers; ++w) {
    restless.emplace_back([&, w] {
      while (!over.load(std::memory_order_acquire)) {
        idle.register_idle(w);
        if (w % 2 == 1 || over.load(std::memory_order_acquire)) {
          idle.cancel_idle(w);
        } else {
          idle.park(w);
        }
      }
    });
  }
  int rounds = 0;
  int missed = 0;
  int reported_nobody = 0;
  for (const auto until = std::chrono::steady_clock::now() + 200ms;
       rounds == 0 || std::chrono::steady_clock::now() < until; ++rounds) {
    idle.register_idle(0);
    for (std::size_t w = 1; w < workers; ++w) idle.wake(w);  // so that they come back above it
    if (rounds % 2 == 0) std::this_thread::yield();
    if (idle.wake_all() == 0) ++reported_nobody;
    if (!was_woken(idle, 0)) ++missed;
  }
  over.store(true, std::memory_order_release);
  idle.wake_all();
  restless.clear();
  EXPECT_EQ(missed, 0) << "of " << rounds;
  EXPECT_EQ(reported_nobody, 0) << "of " << rounds;
}

// Producers add to a pile and wake; workers take from it and sleep when it is empty. Whenever the producers
// pause, the pile must become empty although some workers were asleep: a lost wake-up leaves work behind and
// hangs the test.
TEST(idle_set, no_wake_up_is_lost) {
  constexpr std::size_t workers = 4;
  constexpr int producers = 2;
  const int bursts = scaled(3'000);
  pipe::idle_set idle(workers);
  std::atomic<long> pile{0}, taken{0};
  std::atomic<bool> over{false};
  const auto take = [&] {
    auto left = pile.load(std::memory_order_acquire);
    while (left > 0) {
      if (pile.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel)) {
        taken.fetch_add(1, std::memory_order_release);
        return true;
      }
    }
    return false;
  };
  std::vector<std::jthread> all;
  for (std::size_t w = 0; w < workers; ++w) {
    all.emplace_back([&, w] {
      while (!over.load(std::memory_order_acquire)) {
        if (take()) continue;
        idle.register_idle(w);
        if (pile.load(std::memory_order_acquire) > 0 || over.load(std::memory_order_acquire)) {
          idle.cancel_idle(w);
        } else if (w % 2 == 0) {
          idle.park(w);
        } else {
          idle.park_until(w, std::chrono::steady_clock::now() + 50us);
        }
      }
    });
  }
  {
    std::vector<std::jthread> pushing;
    std::atomic<long> pushed{0};
    for (int p = 0; p < producers; ++p) {
      pushing.emplace_back([&, p] {
        for (int burst = 0; burst < bursts; ++burst) {
          const int size = 1 + (burst + p) % 3;
          for (int i = 0; i < size; ++i) {
            pushed.fetch_add(1, std::memory_order_relaxed);
            pile.fetch_add(1, std::memory_order_release);
            idle.wake_one();
          }
          while (pile.load(std::memory_order_acquire) > 0) std::this_thread::yield();
        }
      });
    }
    pushing.clear();
    while (taken.load(std::memory_order_acquire) < pushed.load()) std::this_thread::yield();
    EXPECT_EQ(taken.load(), pushed.load());
  }
  over.store(true, std::memory_order_release);
  idle.wake_all();
  all.clear();
  EXPECT_EQ(pile.load(), 0);
}

}  // namespace
