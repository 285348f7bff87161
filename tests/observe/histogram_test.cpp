#include <thalweg/observe/histogram.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using thalweg::observe::histogram;

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

// Durations as they occur: all magnitudes equally likely, from nothing to the largest value.
rc::Gen<std::int64_t> durations() {
  return rc::gen::apply(
      [](int bits, std::uint64_t noise) {
        return bits == 0 ? std::int64_t{0} : static_cast<std::int64_t>(noise >> (64 - bits));
      },
      rc::gen::inRange(0, 64), rc::gen::arbitrary<std::uint64_t>());
}

std::int64_t exact_quantile(const std::vector<std::int64_t>& sorted, double q) {
  const double rank = std::ceil(q * static_cast<double>(sorted.size()));
  return sorted[rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1];
}

void expect_close(std::int64_t estimate, std::int64_t exact) {
  const double error = std::abs(static_cast<double>(estimate) - static_cast<double>(exact));
  // Half a nanosecond for values so small that the middle of their bucket is rounded.
  RC_ASSERT(error <= histogram::relative_error * static_cast<double>(exact) + 0.5);
}

histogram of(const std::vector<std::int64_t>& values) {
  histogram h;
  for (const auto v : values) h.record(v);
  return h;
}

TEST(histogram, buckets_tile_the_whole_range_in_order) {
  EXPECT_EQ(histogram::lowest_of(0), 0);
  for (std::size_t b = 0; b + 1 < histogram::buckets; ++b) {
    ASSERT_EQ(histogram::highest_of(b) + 1, histogram::lowest_of(b + 1)) << "bucket " << b;
  }
  EXPECT_EQ(histogram::highest_of(histogram::buckets - 1), greatest);
  EXPECT_EQ(histogram::bucket_of(greatest), histogram::buckets - 1);
}

TEST(histogram, a_bucket_is_at_most_one_32nd_of_its_values_wide) {
  for (std::size_t b = 64; b != histogram::buckets; ++b) {
    const auto low = static_cast<double>(histogram::lowest_of(b));
    const auto width = static_cast<double>(histogram::highest_of(b)) + 1 - low;
    ASSERT_LE(width, low / 32) << "bucket " << b;
  }
}

RC_GTEST_PROP(histogram, every_value_lies_in_its_bucket, ()) {
  const std::int64_t v = *durations();
  const std::size_t b = histogram::bucket_of(v);
  RC_ASSERT(histogram::lowest_of(b) <= v);
  RC_ASSERT(v <= histogram::highest_of(b));
}

TEST(histogram, small_values_are_exact) {
  histogram h;
  for (int v = 0; v != 64; ++v) h.record(v);
  for (int v = 0; v != 64; ++v) EXPECT_EQ(h.quantile((v + 1) / 64.0), v);
}

RC_GTEST_PROP(histogram, quantiles_agree_with_sorting, ()) {
  auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(durations()));
  const histogram h = of(values);
  std::ranges::sort(values);
  for (const double q : {0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    expect_close(h.quantile(q), exact_quantile(values, q));
  }
  RC_ASSERT(h.quantile(0) == values.front());
  RC_ASSERT(h.quantile(1) == values.back());
  RC_ASSERT(h.min() == values.front());
  RC_ASSERT(h.max() == values.back());
  RC_ASSERT(h.count() == values.size());
}

RC_GTEST_PROP(histogram, sum_and_mean_are_exact, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(durations()));
  const histogram h = of(values);
  long double sum = 0;
  for (const auto v : values) sum += static_cast<long double>(v);
  // A long double has 64 bits: it holds these sums exactly up to a few times 2^63.
  RC_ASSERT(std::abs(h.sum() - static_cast<double>(sum)) <= 4e-16 * static_cast<double>(sum));
  RC_ASSERT(std::abs(h.mean() * static_cast<double>(values.size()) - h.sum()) <= 1e-15 * h.sum());
}

TEST(histogram, percentiles_of_a_hundred_thousand_latencies_hold_up_to_p9999) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latency(10, 2);  // a long tail, as latencies have
  std::vector<std::int64_t> values;
  histogram h;
  for (int i = 0; i != 100'000; ++i) {
    values.push_back(static_cast<std::int64_t>(latency(random)));
    h.record(values.back());
  }
  std::ranges::sort(values);
  for (const double q : {0.5, 0.9, 0.99, 0.999, 0.9999}) {
    const auto exact = static_cast<double>(exact_quantile(values, q));
    EXPECT_NEAR(static_cast<double>(h.quantile(q)), exact, exact * histogram::relative_error + 0.5) << q;
  }
}

TEST(histogram, an_empty_one_gives_zeros) {
  const histogram h;
  EXPECT_TRUE(h.empty());
  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.quantile(0.5), 0);
  EXPECT_EQ(h.mean(), 0);
  EXPECT_EQ(h.sum(), 0);
  EXPECT_GT(h.min(), h.max());
}

TEST(histogram, counts_many_at_once_as_one_by_one) {
  histogram at_once, one_by_one;
  at_once.record(12'345, 1'000);
  at_once.record(99, 0);
  for (int i = 0; i != 1'000; ++i) one_by_one.record(12'345);
  EXPECT_EQ(at_once.count(), one_by_one.count());
  EXPECT_EQ(at_once.sum(), one_by_one.sum());
  EXPECT_EQ(at_once.min(), 12'345);
  EXPECT_EQ(at_once.quantile(0.5), 12'345) << "a single value is moved to the exact bounds";
}

TEST(histogram, negative_values_count_as_zero) {
  histogram h;
  h.record(-5);
  EXPECT_EQ(h.count(), 1u);
  EXPECT_EQ(h.min(), 0);
  EXPECT_EQ(h.max(), 0);
  EXPECT_EQ(h.sum(), 0);
}

TEST(histogram, out_of_range_quantiles_are_the_bounds) {
  const histogram h = of({10, 1'000'000});
  EXPECT_EQ(h.quantile(-1), 10);
  EXPECT_EQ(h.quantile(2), 1'000'000);
}

TEST(histogram, the_sum_does_not_overflow_at_64_bits) {
  histogram h;
  for (int i = 0; i != 5; ++i) h.record(greatest);
  EXPECT_DOUBLE_EQ(h.mean(), static_cast<double>(greatest));
  h.record(greatest, 1'000'000'000);
  EXPECT_DOUBLE_EQ(h.mean(), static_cast<double>(greatest));
}

RC_GTEST_PROP(histogram, merging_equals_recording_all_in_one, ()) {
  const auto left = *rc::gen::container<std::vector<std::int64_t>>(durations());
  const auto right = *rc::gen::container<std::vector<std::int64_t>>(durations());
  histogram merged = of(left);
  merged.merge(of(right));
  auto all = left;
  all.insert(all.end(), right.begin(), right.end());
  const histogram expected = of(all);
  for (std::size_t b = 0; b != histogram::buckets; ++b) RC_ASSERT(merged.count_in(b) == expected.count_in(b));
  RC_ASSERT(merged.min() == expected.min());
  RC_ASSERT(merged.max() == expected.max());
  RC_ASSERT(merged.sum() == expected.sum());
}

RC_GTEST_PROP(histogram, a_window_holds_what_came_after_its_start, ()) {
  const auto before = *rc::gen::container<std::vector<std::int64_t>>(durations());
  const auto after = *rc::gen::container<std::vector<std::int64_t>>(durations());
  histogram h = of(before);
  const histogram start = h;
  for (const auto v : after) h.record(v);
  const histogram window = h.since(start);
  const histogram expected = of(after);
  for (std::size_t b = 0; b != histogram::buckets; ++b) RC_ASSERT(window.count_in(b) == expected.count_in(b));
  RC_ASSERT(window.sum() == expected.sum());
  RC_ASSERT(window.empty() == after.empty());
  if (after.empty()) return;
  // The bounds are those of the outermost buckets, or tighter.
  RC_ASSERT(histogram::bucket_of(window.min()) == histogram::bucket_of(expected.min()));
  RC_ASSERT(histogram::bucket_of(window.max()) == histogram::bucket_of(expected.max()));
}

RC_GTEST_PROP(histogram, count_up_to_is_the_inverse_of_quantile, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(durations()));
  const histogram h = of(values);
  const double q = *rc::gen::inRange(0, 1'001) / 1'000.0;
  RC_ASSERT(static_cast<double>(h.count_up_to(h.quantile(q))) >=
            q * static_cast<double>(values.size()) - 1e-6);
  RC_ASSERT(h.count_up_to(greatest) == values.size());
  RC_ASSERT(h.count_up_to(-1) == 0u);
}

TEST(histogram, copies_and_clears) {
  histogram h = of({1, 2, 3'000'000});
  const histogram copy = h;
  h.clear();
  EXPECT_TRUE(h.empty());
  EXPECT_EQ(copy.count(), 3u);
  EXPECT_EQ(copy.max(), 3'000'000);
  h = copy;
  EXPECT_EQ(h.count(), 3u);
}

TEST(histogram, goes_to_another_process_as_words) {
  histogram h;
  EXPECT_EQ(histogram::from_words(h.to_words()).to_words(), h.to_words());
  for (int i = 0; i != 1'000; ++i) h.record(i * 1'000, 1 + i % 7);
  h.record(std::numeric_limits<std::int64_t>::max(), 5);
  const histogram same = histogram::from_words(h.to_words());
  EXPECT_EQ(same.count(), h.count());
  EXPECT_EQ(same.min(), h.min());
  EXPECT_EQ(same.max(), h.max());
  EXPECT_EQ(same.sum(), h.sum());
  for (const double q : {0.1, 0.5, 0.99}) EXPECT_EQ(same.quantile(q), h.quantile(q));
  EXPECT_LT(histogram().to_words().size(), 8u);  // what is empty is not sent
  EXPECT_THROW((void)histogram::from_words(std::vector<std::uint64_t>{1, 2}), std::invalid_argument);
  EXPECT_THROW((void)histogram::from_words(std::vector<std::uint64_t>{0, 0, 0, 0, histogram::buckets, 1}),
               std::invalid_argument);
}

// What TSan checks, too: a copy may be taken at any moment, and it always makes sense.
TEST(histogram, is_copied_while_it_is_written) {
  histogram h;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i != 200'000; ++i) h.record(1'000 + i % 1'000, 1 + i % 3);
    done = true;
  });
  std::uint64_t seen = 0;
  bool more = true;
  while (more) {
    more = !done;
    histogram copy;
    if (seen % 2 == 0) {
      copy = h;
    } else {
      copy.merge(h);  // how the histograms of several threads become one
    }
    const std::uint64_t n = copy.count();
    ASSERT_GE(n, seen);
    seen = n;
    if (n == 0) continue;
    ASSERT_FALSE(copy.empty());
    ASSERT_GE(copy.quantile(0.5), 1'000);
    ASSERT_LE(copy.quantile(0.99), 2'000);
  }
  writer.join();
  EXPECT_EQ(h.count(), 399'999u);
}

}  // namespace
