// Rates: what they are at any moment, how many items come until then, and when the next one does.
#include <thalweg/flow/arrivals.hpp>
#include <thalweg/flow/rate.hpp>
#include <thalweg/model/errors.hpp>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

namespace tw = thalweg;
using testing::HasSubstr;
using tw::rate;
using tw::flow::arrivals;

constexpr double never = std::numeric_limits<double>::infinity();

std::string written(const std::string& name, const std::string& text) {
  const auto file = testing::TempDir() + std::to_string(::getpid()) + name;  // others write theirs meanwhile
  std::ofstream(file) << text;
  return file;
}

std::vector<std::pair<std::string, rate>> all_rates() {
  return {{"constant", rate(40)},
          {"wave", rate::wave({.period = 3, .min = 5, .max = 50})},
          {"wave from 0", rate::wave({.period = 3, .min = 0, .max = 50})},
          {"binary", rate::binary({.period = 2, .min = 1, .max = 30})},
          {"increasing", rate::increasing({.period = 7, .min = 0, .max = 20})},
          {"decreasing", rate::decreasing({.period = 7, .min = 3, .max = 20})},
          {"spike", rate::spike({.period = 5, .min = 2, .max = 90}, 0.2)},
          {"all spike", rate::spike({.period = 5, .min = 0, .max = 90}, 1)},
          {"steps", rate::steps({{1, 10}, {0.5, 0}, {2, 70}})},
          {"bursts", rate::bursts(0.5, 1.5, 100)},
          {"trace", rate::trace(written("rates.csv", "# seconds, rate\n1, 10\n3,0\n4,\t25\n"))}};
}

TEST(Rate, ItemsAreTheIntegral) {
  for (const auto& [name, r] : all_rates()) {
    double sum = 0;
    constexpr double step = 1e-4;
    for (int i = 0; i < 120'000; ++i) {
      sum += r.at((i + 0.5) * step) * step;
      if (i % 10'000 == 9'999) {
        ASSERT_NEAR(r.items((i + 1) * step), sum, 0.02) << name << " at " << (i + 1) * step;
      }
    }
  }
}

TEST(Rate, WhenIsTheInverseOfItems) {
  for (const auto& [name, r] : all_rates()) {
    double before = 0;
    for (double n = 0.25; n < 400; n += 0.75) {
      const double t = r.when(n);
      ASSERT_NEAR(r.items(t), n, 1e-6) << name;
      ASSERT_GE(t, before) << name;
      before = t;
    }
  }
}

TEST(Rate, ItIsWhatItsNameSays) {
  EXPECT_NEAR(rate::wave({.period = 8, .min = 100, .max = 300}).at(2), 300, 1e-9);
  EXPECT_EQ(rate::binary({.period = 4, .min = 10, .max = 50}).at(1.9), 10);
  EXPECT_EQ(rate::binary({.period = 4, .min = 10, .max = 50}).at(2.1), 50);
  EXPECT_EQ(rate::increasing({.period = 10, .min = 10, .max = 110}).at(50), 110);
  EXPECT_EQ(rate::decreasing({.period = 10, .min = 10, .max = 110}).at(50), 10);
  EXPECT_NEAR(rate::spike({.period = 10, .min = 100, .max = 200}, 0.2).at(19), 150, 1e-9);
  EXPECT_EQ(rate::bursts(1, 4, 50).at(5.5), 50);
  EXPECT_EQ(rate::bursts(1, 4, 50).at(4.5), 0);
}

TEST(Rate, NothingComesWhereItIsZero) {
  EXPECT_EQ(rate::bursts(1, 4, 50).when(50), 5);  // the first of the second burst
  EXPECT_EQ(rate::steps({{2, 0}, {1, 10}}).when(0), 2);
  EXPECT_EQ(rate::decreasing({.period = 2, .min = 0, .max = 10}).when(11), never);
}

TEST(Rate, ItIsExactAfterALongTime) {
  const auto r = rate::wave({.period = 0.1, .min = 1'000, .max = 9'000});
  EXPECT_NEAR(r.when(5'000.0 * 86'400), 86'400, 1e-6);
  EXPECT_NEAR(rate::spike({.period = 0.1, .min = 0.1, .max = 1}).items(1e6), 1e6 * 0.145, 1e-3);
}

TEST(Rate, OfATraceOfMomentsIsOneItemEach) {
  const auto r = rate::trace(written("moments.csv", "0.5\n0.5\n2\n"));
  EXPECT_EQ(r.when(0), 0.5);
  EXPECT_EQ(r.when(1), 0.5);
  EXPECT_EQ(r.when(2), 2);
  EXPECT_EQ(r.when(3), never);
  EXPECT_EQ(r.items(1), 2);
}

std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const tw::error& e) {
    return e.what();
  }
  return "none";
}

TEST(Rate, SaysWhatIsWrong) {
  EXPECT_THAT(complaint([] { rate(0); }), HasSubstr("above 0"));
  EXPECT_THAT(complaint([] { rate(std::nan("")); }), HasSubstr("above 0"));
  EXPECT_THAT(complaint([] { rate::wave({.period = 0, .min = 1, .max = 2}); }), HasSubstr("period"));
  EXPECT_THAT(complaint([] { rate::wave({.period = 1, .min = 3, .max = 2}); }),
              HasSubstr("below the minimum"));
  EXPECT_THAT(complaint([] { rate::binary({.period = 1, .min = -1, .max = 2}); }), HasSubstr("0 or more"));
  EXPECT_THAT(complaint([] { rate::spike({.period = 1, .min = 1, .max = 2}, 0); }), HasSubstr("share"));
  EXPECT_THAT(complaint([] { rate::steps({}); }), HasSubstr("no item would ever be due"));
  EXPECT_THAT(complaint([] { rate::bursts(0, 1, 5); }), HasSubstr("more than 0 seconds"));
}

TEST(Rate, OfATraceFromASpreadsheetIsReadToo) {
  const auto r = rate::trace(written("sheet.csv",
                                     "\xEF\xBB\xBF"
                                     "0, 10\r\n\r\n2, 5\r\n"));
  EXPECT_EQ(r.at(1), 10);
  EXPECT_EQ(r.at(3), 5);
}

TEST(Rate, SaysWhatIsWrongWithATrace) {
  const auto of = [](const std::string& text) {
    const auto file = written("wrong.csv", text);
    return complaint([&] { rate::trace(file); });
  };
  EXPECT_THAT(complaint([] { rate::trace("/nowhere.csv"); }), HasSubstr("'/nowhere.csv' cannot be read"));
  EXPECT_THAT(of(""), HasSubstr("has no line with numbers"));
  EXPECT_THAT(of("1,2\n# fine\n\nx,3\n"), HasSubstr("wrong.csv', line 4: 'x,3' must be one number, or two"));
  EXPECT_THAT(of("seconds, rate\n1, 2\n"), HasSubstr("line 1: 'seconds, rate' must be one number, or two"));
  EXPECT_THAT(of("1; 1000\n"), HasSubstr("line 1: '1; 1000' must be one number, or two"));
  EXPECT_THAT(of("nan\n"), HasSubstr("line 1: 'nan' must be one number, or two"));
  EXPECT_THAT(of("1,2\n3\n"), HasSubstr("line 2: the lines before it have 2 numbers"));
  EXPECT_THAT(of("1,2,3\n"), HasSubstr("line 1"));
  EXPECT_THAT(of("1,2 z\n"), HasSubstr("line 1"));
  EXPECT_THAT(of("1,2\n1,3\n"), HasSubstr("line 2: times must rise"));
  EXPECT_THAT(of("2\n1\n"), HasSubstr("line 2: times must rise"));
  EXPECT_THAT(of("1,-2\n"), HasSubstr("line 1"));
  EXPECT_THAT(of("1,0\n"), HasSubstr("no item would ever be due"));
}

// --- arrivals ---

std::vector<double> first(arrivals a, int n, double lateness = 0) {
  std::vector<double> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(a.next());
    a.advance(a.next() + lateness);
  }
  return all;
}

TEST(Arrivals, OfAConstantRateAreEvenlyApart) {
  const auto all = first(arrivals(rate(50)), 101);
  EXPECT_EQ(all.front(), 0);
  EXPECT_NEAR(all.back(), 2, 1e-9);
}

TEST(Arrivals, OfARateThatNoClockCanFollowArePassedOver) {
  arrivals a(rate(1e35), tw::when_late::skip);
  EXPECT_EQ(a.pass_over(1), std::uint64_t{1} << 63U);
  EXPECT_NEAR(a.next(), 1, 1e-9);
}

TEST(Arrivals, AtRandomTheyHaveTheRateAndTheSpreadOfAPoissonProcess) {
  constexpr int n = 200'000;
  const auto all = first(arrivals(rate(100).poisson(3)), n);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double gap = all[i] - all[i - 1];
    ASSERT_GE(gap, 0);
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / (n - 1);
  EXPECT_NEAR(mean, 0.01, 0.0002);
  EXPECT_NEAR(squares / (n - 1) - mean * mean, 0.0001, 0.000004);  // the square of the mean
  EXPECT_EQ(first(arrivals(rate(100).poisson(3)), 100), std::vector<double>(all.begin(), all.begin() + 100));
  EXPECT_NE(first(arrivals(rate(100).poisson(4)), 100), std::vector<double>(all.begin(), all.begin() + 100));
}

TEST(Arrivals, AtRandomTheyFollowTheRate) {
  arrivals a(rate::bursts(1, 9, 1'000).poisson(5));
  int in_bursts = 0;
  for (int i = 0; i < 10'000; ++i) {
    in_bursts += std::fmod(a.next(), 10) <= 1 ? 1 : 0;
    a.advance(a.next());
  }
  EXPECT_EQ(in_bursts, 10'000);
  EXPECT_NEAR(a.next(), 100, 10);
}

TEST(Arrivals, ALateSourceCatchesUp) {
  EXPECT_EQ(first(arrivals(rate(10)), 20, 5.0), first(arrivals(rate(10)), 20));
}

TEST(Arrivals, InAClosedLoopTheScheduleMoves) {
  const auto all = first(arrivals(rate(10), tw::when_late::closed_loop), 3, 5.0);
  EXPECT_NEAR(all[1], 5.1, 1e-9);
  EXPECT_NEAR(all[2], 10.2, 1e-9);
}

TEST(Arrivals, WhatIsLateMayBePassedOver) {
  arrivals a(rate(10), tw::when_late::skip);
  EXPECT_EQ(a.pass_over(0), 0U);
  a.advance(0);
  EXPECT_EQ(a.pass_over(0.55), 4U);  // those of 0.1 to 0.4
  EXPECT_NEAR(a.next(), 0.5, 1e-9);
  a.advance(0.55);
  EXPECT_NEAR(a.next(), 0.6, 1e-9);
}

TEST(Arrivals, AtRandomPassingOverChangesNoMoment) {
  const auto all = first(arrivals(rate(10).poisson(9)), 200);
  arrivals a(rate(10).poisson(9), tw::when_late::skip);
  std::size_t at = 0;
  for (double now = a.next(); at < 150; now += 1.7) {
    at += a.pass_over(now);
    ASSERT_EQ(a.next(), all[at]);
    ASSERT_TRUE(all[at] > now || all[at + 1] > now);
    if (all[at] > now) continue;
    a.advance(now);
    ++at;
  }
}

}  // namespace
