#include <thalweg/pipe/reorder_window.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pipe/tracked.hpp>
#include <rapidcheck/gtest.h>
#include <support/scale.hpp>

namespace {

namespace pipe = thalweg::pipe;

TEST(reorder_window, gives_items_back_in_order) {
  pipe::reorder_window<int> window(4);
  EXPECT_EQ(window.slots(), 4u);
  window.deposit(2, 20);
  window.deposit(0, 0);
  EXPECT_EQ(window.waiting(), 2u);
  ASSERT_TRUE(window.try_acquire());
  int out = -1;
  EXPECT_TRUE(window.take(out));
  EXPECT_EQ(out, 0);
  EXPECT_EQ(window.next(), 1);
  EXPECT_FALSE(window.take(out));
  EXPECT_EQ(out, 0);
  EXPECT_FALSE(window.release());
  window.deposit(1, 10);
  ASSERT_TRUE(window.try_acquire());
  EXPECT_TRUE(window.take(out));
  EXPECT_EQ(out, 10);
  EXPECT_TRUE(window.take(out));
  EXPECT_EQ(out, 20);
  EXPECT_FALSE(window.release());
  EXPECT_EQ(window.waiting(), 0u);
}

TEST(reorder_window, one_drainer_at_a_time) {
  pipe::reorder_window<int> window;
  EXPECT_TRUE(window.try_acquire());
  EXPECT_FALSE(window.try_acquire());
  EXPECT_FALSE(window.release());
  EXPECT_TRUE(window.try_acquire());
}

TEST(reorder_window, release_reports_what_came_meanwhile) {
  pipe::reorder_window<int> window;
  ASSERT_TRUE(window.try_acquire());
  int out = 0;
  EXPECT_FALSE(window.take(out));
  window.deposit(1, 1);  // not the next one: nothing to do yet
  EXPECT_FALSE(window.release());
  ASSERT_TRUE(window.try_acquire());
  window.deposit(0, 0);
  EXPECT_TRUE(window.release());
}

TEST(reorder_window, has_room_for_as_many_as_it_has_slots) {
  pipe::reorder_window<int> window(2);
  EXPECT_TRUE(window.has_room(0));
  EXPECT_TRUE(window.has_room(1));
  EXPECT_FALSE(window.has_room(2));
  window.deposit(0, 0);
  EXPECT_FALSE(window.has_room(2));
  int out = 0;
  ASSERT_TRUE(window.try_acquire());
  ASSERT_TRUE(window.take(out));
  EXPECT_TRUE(window.has_room(2));  // at once, not only when the drainer leaves
  EXPECT_FALSE(window.has_room(3));
}

TEST(reorder_window, a_window_of_one_slot_works) {
  pipe::reorder_window<int> window(1);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(window.has_room(i));
    EXPECT_FALSE(window.has_room(i + 1));
    window.deposit(i, 10 * i);
    ASSERT_TRUE(window.try_acquire());
    int out = -1;
    EXPECT_TRUE(window.take(out));
    EXPECT_EQ(out, 10 * i);
    EXPECT_FALSE(window.take(out));
    EXPECT_FALSE(window.release());
  }
}

TEST(reorder_window, refuses_slots_that_are_no_power_of_two) {
  EXPECT_THROW(pipe::reorder_window<int>(0), std::invalid_argument);
  EXPECT_THROW(pipe::reorder_window<int>(48), std::invalid_argument);
}

TEST(reorder_window, destroys_what_is_left) {
  const auto before = tracked::living.load();
  {
    pipe::reorder_window<tracked> window(8);
    window.deposit(3, tracked(3));
    window.deposit(0, tracked(0));
    EXPECT_EQ(tracked::living.load(), before + 2);
  }
  EXPECT_EQ(tracked::living.load(), before);
}

TEST(reorder_window, measures_displacement) {
  pipe::reorder_window<int> window(8);
  window.deposit(0, 0);  // on time
  window.deposit(5, 0);  // five places early
  window.deposit(1, 0);  // one place early: 0 has not been taken yet
  EXPECT_EQ(window.displaced().taken, 0);
  ASSERT_TRUE(window.try_acquire());
  for (int out; window.take(out);) {
  }
  for (int seq = 2; seq < 5; ++seq) window.deposit(seq, 0);  // 0, 1 and 2 places early
  for (int out; window.take(out);) {
  }
  const auto d = window.displaced();
  EXPECT_EQ(d.taken, 6);
  EXPECT_EQ(d.most, 5);
  EXPECT_EQ(d.total, 5 + 1 + 0 + 1 + 2);
}

RC_GTEST_PROP(reorder_window, puts_any_order_right, ()) {
  const std::size_t slots = std::size_t{1} << *rc::gen::inRange(0, 5);
  // A number: deposit one of those that fit, counted from the lowest. None: drain.
  const auto steps = *rc::gen::arbitrary<std::vector<rc::Maybe<std::uint8_t>>>();
  const auto items =
      std::count_if(steps.begin(), steps.end(), [](const auto& step) { return step.operator bool(); });
  pipe::reorder_window<std::int64_t> window(slots);
  std::vector<std::int64_t> outside(static_cast<std::size_t>(items));
  std::iota(outside.begin(), outside.end(), 0);
  std::int64_t expected = 0;
  const auto drain = [&] {
    RC_ASSERT(window.try_acquire());
    for (std::int64_t out = -1; window.take(out);) RC_ASSERT(out == expected++);
    RC_ASSERT(!window.release());
  };
  for (const auto& step : steps) {
    const auto fit =
        std::count_if(outside.begin(), outside.end(), [&](auto seq) { return window.has_room(seq); });
    if (step && fit > 0) {
      const auto chosen = outside.begin() + *step % fit;
      window.deposit(*chosen, std::int64_t{*chosen});
      outside.erase(chosen);
    } else {
      drain();
    }
    RC_ASSERT(window.next() == expected);
    RC_ASSERT(window.waiting() == static_cast<std::size_t>(items - expected) - outside.size());
  }
  for (const auto seq : outside) {
    drain();
    RC_ASSERT(window.has_room(seq));  // all before it are in, so nothing can hold it back
    window.deposit(seq, std::int64_t{seq});
  }
  drain();
  RC_ASSERT(expected == items);
}

// Threads take tickets while there is room, deposit in whatever order they come to run, and drain by turns.
// Nothing may be lost, reordered or left behind, and the drainers must follow each other without a race.
void deposit_and_drain(std::size_t slots, int threads, std::int64_t items) {
  pipe::reorder_window<tracked> window(slots);
  const auto before = tracked::living.load();
  std::atomic<std::int64_t> ticket{0};
  std::int64_t expected = 0;  // not atomic: belongs to the drainer
  std::atomic<bool> wrong{false};
  std::vector<std::jthread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      for (;;) {
        auto seq = ticket.load(std::memory_order_relaxed);
        if (seq >= items) return;
        if (!window.has_room(seq)) {
          std::this_thread::yield();
          continue;
        }
        if (!ticket.compare_exchange_strong(seq, seq + 1, std::memory_order_relaxed)) continue;
        if (seq % 7 == 0) std::this_thread::yield();
        window.deposit(seq, tracked(seq));
        while (window.try_acquire()) {
          for (tracked out; window.take(out);) {
            if (out.value() != expected) wrong = true;
            ++expected;
          }
          if (!window.release()) break;
        }
      }
    });
  }
  all.clear();
  EXPECT_FALSE(wrong);
  EXPECT_EQ(expected, items);  // a stranded deposit shows here
  EXPECT_EQ(window.next(), items);
  EXPECT_EQ(window.waiting(), 0u);
  EXPECT_EQ(tracked::living.load(), before);
  EXPECT_EQ(window.displaced().taken, items);
  EXPECT_LT(window.displaced().most, static_cast<std::int64_t>(slots));
}

TEST(reorder_window, strands_nothing_with_many_slots) {
  deposit_and_drain(64, 4, scaled(100'000));
}
TEST(reorder_window, strands_nothing_with_few_slots) {
  deposit_and_drain(2, 4, scaled(50'000));
}
TEST(reorder_window, strands_nothing_with_one_slot) {
  deposit_and_drain(1, 3, scaled(20'000));
}

// What is left behind at the very end is the likeliest loss: many short runs.
TEST(reorder_window, strands_nothing_at_the_end) {
  for (int i = 0; i < scaled(300); ++i) deposit_and_drain(4, 3, i % 5);
}

}  // namespace
