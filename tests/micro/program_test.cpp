#include "micro/support/program.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "micro/support/raw.hpp"
#include "micro/support/work.hpp"

namespace micro {
namespace {

checksum sum_of(std::uint64_t first, std::uint64_t last) {
  checksum sum;
  counter source{first, last};
  while (auto x = source()) sum(*x);
  return sum;
}

TEST(checksum, tells_order_loss_and_repetition) {
  const auto of = [](std::initializer_list<std::uint64_t> items) {
    checksum sum;
    for (const auto x : items) sum(x);
    return sum.value();
  };
  EXPECT_EQ(of({1, 2, 3}), of({1, 2, 3}));
  EXPECT_NE(of({1, 2, 3}), of({1, 3, 2}));
  EXPECT_NE(of({1, 2, 3}), of({1, 2}));
  EXPECT_NE(of({1, 2, 3}), of({1, 2, 2, 3}));
}

TEST(checksum, joins_consecutive_shares) {
  for (const std::uint64_t cut : {0, 1, 500, 999, 1000}) {
    auto first = sum_of(0, cut);
    first.join(sum_of(cut, 1000));
    EXPECT_EQ(first.value(), sum_of(0, 1000).value()) << cut;
  }
}

TEST(work, burn_never_gives_zero_and_differs_by_steps) {
  for (std::uint64_t x = 1; x < 1'000; ++x) EXPECT_NE(burn(x, 3), 0U);
  EXPECT_EQ(burn(7, 0), 7U);
  EXPECT_NE(burn(7, 10), burn(7, 11));
  EXPECT_EQ(burn(burn(7, 4), 6), burn(7, 10));
}

TEST(work, uneven_work_spans_a_factor_of_1000_and_is_the_same_in_every_run) {
  const uneven_work one(20);
  const uneven_work other(20);
  std::uint32_t shortest = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t longest = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    ASSERT_EQ(one.steps(i), other.steps(i));
    shortest = std::min(shortest, one.steps(i));
    longest = std::max(longest, one.steps(i));
  }
  EXPECT_EQ(shortest, 20U);
  EXPECT_EQ(longest, 20'000U);
  EXPECT_GT(one.mean_steps(), 20);
  EXPECT_LT(one.mean_steps(), 20'000);
}

TEST(work, calibration_asks_for_more_steps_where_more_time_is_wanted) {
  const auto found = calibration::measure();
  std::uint32_t before = 0;
  for (const double nanoseconds : {1.0, 20.0, 100.0, 1'000.0, 10'000.0}) {
    const auto steps = found.steps(nanoseconds);
    EXPECT_GE(steps, std::max(1U, before)) << nanoseconds;
    before = steps;
  }
  EXPECT_GT(found.steps(10'000), found.steps(100));
  EXPECT_NEAR(found.nanoseconds(found.steps(1'000)), 1'000, 50);
}

TEST(open_loop, gives_due_times_at_constant_intervals_and_never_early) {
  open_loop source(20, 100'000, pacing::sleep);
  nanos before = 0;
  std::uint64_t count = 0;
  while (auto item = source()) {
    EXPECT_GE(now(), item->since);
    if (count != 0) {
      EXPECT_EQ(item->since - before, 100'000);
    }
    before = item->since;
    EXPECT_EQ(item->value, ++count);
  }
  EXPECT_EQ(count, 20U);
}

TEST(open_loop, does_not_forgive_lateness) {
  open_loop source(3, 1'000'000, pacing::sleep_then_spin);
  const auto first = source();
  sleep_until(now() + 10'000'000);
  const auto second = source();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->since - first->since, 1'000'000);  // due long ago: its latency counts from then
  EXPECT_GT(now() - second->since, 5'000'000);
}

TEST(stalling, stalls_between_bursts_and_before_the_end) {
  constexpr nanos stall = 3'000'000;
  stalling source(6, 3, stall);
  const nanos start = now();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(source());
  const auto fourth = source();
  ASSERT_TRUE(fourth);
  EXPECT_GE(fourth->since - start, stall);
  ASSERT_TRUE(source());
  ASSERT_TRUE(source());
  const nanos before_end = now();
  EXPECT_FALSE(source());
  EXPECT_GE(now() - before_end, stall);
}

TEST(raw, gives_what_the_loop_gives) {
  for (const std::uint64_t items : {0, 1, 2, 7, 1'000}) {
    const even_farm even{items, {5}};
    EXPECT_EQ(raw(even).run(), loop(even).run()) << items;
    const uneven_farm uneven{items, uneven_work(1)};
    EXPECT_EQ(raw(uneven).run(), loop(uneven).run()) << items;
  }
}

}  // namespace
}  // namespace micro
