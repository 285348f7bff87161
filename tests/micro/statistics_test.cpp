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

}  // namespace
}  // namespace micro
