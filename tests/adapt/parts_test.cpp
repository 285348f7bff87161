// What planners are made of: windows taken together, lines.
#include <chrono>
#include <string>
#include <vector>

#include <adapt/made_windows.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/adapt/line.hpp"
#include "../../src/adapt/period.hpp"

namespace {

namespace adaptation = thalweg::adaptation;
using adaptation::window;

window of_length(double length, double items = 100) {
  window w;
  w.length = w.cpu = made::seconds(length);
  w.stages = {made::source(items), made::farm("work", {0}, items, 2 * items, 0.001, 1),
              made::sink(1, 2 * items, 0)};
  return w;
}

// After which of equal windows the first period of a second ends.
int windows_until_the_end(double length) {
  adaptation::period second(1);
  int n = 1;
  while (!second.ends_with(of_length(length))) ++n;
  return n;
}

TEST(Period, EndsWithTheWindowNearestToItsLength) {
  EXPECT_EQ(windows_until_the_end(0.1), 10);
  EXPECT_EQ(windows_until_the_end(0.0999), 10);
  EXPECT_EQ(windows_until_the_end(0.3), 3);
  EXPECT_EQ(windows_until_the_end(0.4), 2);
  EXPECT_EQ(windows_until_the_end(0.6), 2);
  EXPECT_EQ(windows_until_the_end(0.7), 1);
  EXPECT_EQ(windows_until_the_end(60), 1);
}

TEST(Period, BeginsAnew) {
  adaptation::period second(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(second.ends_with(of_length(0.5)));
    EXPECT_TRUE(second.ends_with(of_length(0.5)));
    EXPECT_EQ(second.whole().stages[1].items_in, 200U);
  }
}

TEST(Period, AWindowWithoutTimeEndsNone) {
  adaptation::period short_one(0.001);
  EXPECT_FALSE(short_one.ends_with(of_length(0)));
  EXPECT_TRUE(short_one.ends_with(of_length(1)));
  EXPECT_EQ(short_one.whole().stages[1].items_in, 200U);  // and what was in it counts
}

TEST(JoinedWindows, AddUpWhatWasCountedAndKeepWhatIs) {
  adaptation::joined_windows both;
  auto first = of_length(1);
  first.changed = true;
  first.latency.record(100);
  auto& early = first.stages[1];
  early.queued = 10;
  early.waited_in = early.waited_out = made::seconds(0.5);
  both.add(first);
  auto second = of_length(3, 50);
  second.at = made::seconds(4);
  second.latency.record(200);
  auto& late = second.stages[1];
  late.queued = 2;
  late.replicas = 5;
  late.waited_in = late.waited_out = made::seconds(0.25);
  both.add(second);

  const auto& w = both.whole();
  EXPECT_EQ(w.length, made::seconds(4));
  EXPECT_EQ(w.cpu, made::seconds(4));
  EXPECT_EQ(w.at, made::seconds(4));
  EXPECT_TRUE(w.changed);
  EXPECT_EQ(w.latency.count(), 2U);
  EXPECT_EQ(w.stages[0].items_out, 150U);
  const auto& work = w.stages[1];
  EXPECT_EQ(work.items_in, 150U);
  EXPECT_EQ(work.items_out, 300U);
  EXPECT_EQ(work.runs, 150U);
  EXPECT_EQ(work.busy, made::seconds(0.15));
  EXPECT_EQ(work.cpu, made::seconds(0.15));
  EXPECT_EQ(work.waited_in, made::seconds(0.75));
  EXPECT_EQ(work.waited_out, made::seconds(0.75));
  EXPECT_EQ(work.replicas, 5);
  EXPECT_DOUBLE_EQ(work.queued, 4);  // 10 for a second, 2 for three
}

TEST(JoinedWindows, OfOtherStagesBeginAnew) {
  adaptation::joined_windows all;
  all.add(of_length(1));
  auto other = of_length(1);
  other.stages[1].name = "other";
  all.add(other);
  EXPECT_EQ(all.whole().stages[1].items_in, 100U);
  other.stages.pop_back();
  all.add(other);
  EXPECT_EQ(all.whole().stages.size(), 2U);
  all.drop();
  all.add(other);
  EXPECT_EQ(all.whole().stages[1].items_in, 100U);
}

TEST(Line, OfLeastSquares) {
  EXPECT_DOUBLE_EQ(adaptation::line_through({{1, 5}}).at(9), 5);
  EXPECT_DOUBLE_EQ(adaptation::line_through({{1, 5}, {1, 7}}).at(9), 6);
  EXPECT_DOUBLE_EQ(adaptation::line_through({{1, 5}, {3, 9}}).at(0), 3);
  EXPECT_DOUBLE_EQ(adaptation::line_through({{0, 0}, {1, 3}, {2, 3}}).slope, 1.5);
}

}  // namespace
