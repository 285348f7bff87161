#include "spb/metric.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using spb::Metric;

TEST(Metric, SumsUpWhatIsNoted) {
  Metric faces("faces", "of a frame");
  for (const int i : {3, 1, 5}) faces.note(i);
  faces.note(std::nan(""));
  faces.note(std::numeric_limits<double>::infinity());
  const auto found = faces.so_far();
  EXPECT_EQ(found.name, "faces");
  EXPECT_EQ(found.unit, "of a frame");
  EXPECT_EQ(found.count, 3U);
  EXPECT_EQ(found.sum, 9);
  EXPECT_EQ(found.mean(), 3);
  EXPECT_EQ(found.least, 1);
  EXPECT_EQ(found.greatest, 5);
}

TEST(Metric, IsNotedByManyThreads) {
  Metric numbers("numbers");
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&numbers, t] {
        for (int i = 0; i < 1'000; ++i) numbers.note(t * 1'000 + i);
      });
  }
  const auto found = numbers.so_far();
  EXPECT_EQ(found.count, 4'000U);
  EXPECT_EQ(found.sum, 3'999 * 2'000.0);
  EXPECT_EQ(found.least, 0);
  EXPECT_EQ(found.greatest, 3'999);
}

TEST(Metric, IsListedWhileItExists) {
  const Metric first("first");
  {
    Metric second("second");
    second.note(-2);
    ASSERT_EQ(Metric::all().size(), 2U);
    EXPECT_EQ(Metric::all()[1].greatest, -2);
    Metric::clear_all();
    EXPECT_EQ(Metric::all()[1].count, 0U);
    EXPECT_EQ(Metric::all()[1].least, 0);
  }
  ASSERT_EQ(Metric::all().size(), 1U);
  EXPECT_EQ(Metric::all()[0].name, "first");
  EXPECT_EQ(Metric::all()[0].mean(), 0);
}

}  // namespace
