#include "micro/support/statistics.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace micro {
namespace {

TEST(statistics, median_of_odd_and_even_counts) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({7}), 7);
  EXPECT_TRUE(std::isnan(median_of({})));
}

TEST(statistics, quantile_by_nearest_rank) {
  const std::vector<double> hundred = [] {
    std::vector<double> values;
    for (int i = 100; i >= 1; --i) values.push_back(i);
    return values;
  }();
  EXPECT_EQ(quantile_of(hundred, 0.5), 50);
  EXPECT_EQ(quantile_of(hundred, 0.99), 99);
  EXPECT_EQ(quantile_of(hundred, 0.0), 1);
  EXPECT_EQ(quantile_of(hundred, 1.0), 100);
  EXPECT_TRUE(std::isnan(quantile_of({}, 0.5)));
}

TEST(statistics, interval_holds_the_median_and_is_repeatable) {
  const std::vector<double> samples{1.02, 0.98, 1.0, 1.05, 0.97, 1.01, 1.3, 0.99, 1.0, 1.02, 1.04};
  const auto first = estimate_median(samples);
  const auto again = estimate_median(samples);
  EXPECT_EQ(first.median, 1.01);
  EXPECT_LE(first.low, first.median);
  EXPECT_GE(first.high, first.median);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
}

TEST(statistics, one_outlier_moves_neither_median_nor_interval_far) {
  std::vector<double> samples(11, 1.0);
  samples[3] = 1'000;
  const auto found = estimate_median(samples);
  EXPECT_EQ(found.median, 1);
  EXPECT_EQ(found.high, 1);
}

TEST(statistics, interval_widens_with_the_spread) {
  const auto narrow = estimate_median({10, 11, 10, 11, 10, 11, 10});
  const auto wide = estimate_median({10, 30, 5, 50, 2, 40, 20});
  EXPECT_LT(narrow.high - narrow.low, wide.high - wide.low);
}

TEST(statistics, interval_covers_the_true_median_about_as_often_as_it_says) {
  // 300 samples of 15 draws from a skewed distribution whose median is ln 2.
  std::uint64_t state = 12345;
  const auto uniform = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (static_cast<double>(state >> 11U) + 1) / 9007199254740993.0;
  };
  int covered = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> samples(15);
    for (double& s : samples) s = -std::log(uniform());
    const auto found = estimate_median(samples);
    covered += found.low <= std::log(2.0) && std::log(2.0) <= found.high;
  }
  EXPECT_GT(covered, 265);  // the percentile bootstrap of small samples is a little optimistic
}

}  // namespace
}  // namespace micro
