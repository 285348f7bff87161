#include "spb/detail/schedule.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using spb::detail::make_constant;
using spb::detail::make_pattern;
using spb::detail::parse_pattern;
using spb::detail::schedule;

TEST(FrequencyPattern, WaveBeginsInTheMiddleAndRises) {
  const auto wave = make_pattern("wave", 8, 100, 300);
  EXPECT_NEAR(wave.at(0), 200, 1e-9);
  EXPECT_NEAR(wave.at(2), 300, 1e-9);
  EXPECT_NEAR(wave.at(6), 100, 1e-9);
  EXPECT_NEAR(wave.at(10), 300, 1e-9);
}

TEST(FrequencyPattern, BinaryBeginsLow) {
  const auto binary = make_pattern("binary", 4, 10, 50);
  EXPECT_EQ(binary.at(1.9), 10);
  EXPECT_EQ(binary.at(2.1), 50);
  EXPECT_EQ(binary.at(4.1), 10);
}

TEST(FrequencyPattern, IncreasingAndDecreasingStayWhereTheyComeTo) {
  const auto up = make_pattern("increasing", 10, 10, 110);
  const auto down = make_pattern("decreasing", 10, 10, 110);
  EXPECT_EQ(up.at(0), 10);
  EXPECT_EQ(up.at(5), 60);
  EXPECT_EQ(up.at(50), 110);
  EXPECT_EQ(down.at(0), 110);
  EXPECT_EQ(down.at(5), 60);
  EXPECT_EQ(down.at(50), 10);
}

TEST(FrequencyPattern, SpikesRiseAtTheEndOfEachPeriod) {
  const auto spike = make_pattern("spike", 10, 100, 200, 20);
  EXPECT_EQ(spike.at(7.9), 100);
  EXPECT_NEAR(spike.at(9), 150, 1e-9);
  EXPECT_NEAR(spike.at(9.999), 200, 0.1);
  EXPECT_EQ(spike.at(10.1), 100);
  EXPECT_NEAR(spike.at(19), 150, 1e-9);
}

TEST(FrequencyPattern, IsReadFromText) {
  EXPECT_EQ(parse_pattern("spike,0.5,1e2,300,25").at(0.45),
            make_pattern("spike", 0.5, 100, 300, 25).at(0.45));
  EXPECT_EQ(parse_pattern("wave,8,100,300,poisson=7").seed(), 7U);
}

std::string complaint(const std::string& text) {
  try {
    parse_pattern(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "none";
}

TEST(FrequencyPattern, SaysWhatIsWrong) {
  using testing::HasSubstr;
  EXPECT_THAT(complaint("saw,1,1,2"), HasSubstr("'saw'"));
  EXPECT_THAT(complaint("wave,1,3,2"), HasSubstr("maximum"));
  EXPECT_THROW(make_pattern("wave", 0, 1, 2), std::invalid_argument);
  EXPECT_THROW(make_pattern("saw", 1, 1, 2), std::invalid_argument);
  EXPECT_THROW(make_constant(0), std::invalid_argument);
}

// When, in seconds from the first one, the n-th element is due.
double due_after(const thalweg::rate& pattern, int n) {
  schedule plan;
  plan.follow(pattern);
  const auto first = plan.due();
  for (int i = 0; i < n; ++i) plan.advance();
  return static_cast<double>(plan.due() - first) * 1e-9;
}

TEST(Schedule, ConstantElementsAreEvenlyApart) {
  EXPECT_NEAR(due_after(make_constant(50), 100), 2, 1e-6);
}

TEST(Schedule, FollowsTheSumOfThePattern) {
  // In each case the mean over whole periods, or the area of the ramp.
  EXPECT_NEAR(due_after(make_pattern("wave", 1, 100, 300), 2'000), 10, 0.05);
  EXPECT_NEAR(due_after(make_pattern("binary", 1, 100, 300), 2'000), 10, 0.05);
  EXPECT_NEAR(due_after(make_pattern("increasing", 10, 100, 300), 2'000), 10, 0.05);
  EXPECT_NEAR(due_after(make_pattern("decreasing", 10, 100, 300), 2'000), 10, 0.05);
  EXPECT_NEAR(due_after(make_pattern("spike", 1, 100, 300, 50), 1'500), 10, 0.05);
}

TEST(Schedule, MissesNoSpikeHoweverSeldomElementsCome) {
  // At the least frequency an element takes five periods; spikes of 1000 a second make 50 a period.
  EXPECT_NEAR(due_after(make_pattern("spike", 1, 0.2, 1'000, 10), 500), 10, 0.2);
}

TEST(Schedule, EndsWithItsTrace) {
  const auto file = testing::TempDir() + std::to_string(::getpid()) + "moments";
  std::ofstream(file) << "0\n0.5\n0.5\n2\n";
  schedule plan;
  plan.follow(parse_pattern("trace," + file));
  const auto first = plan.due();
  for (const double seconds : {0.5, 0.5, 2.0}) {
    plan.advance();
    EXPECT_NEAR(static_cast<double>(plan.due() - first) * 1e-9, seconds, 1e-6);
  }
  plan.advance();
  EXPECT_EQ(plan.due(), schedule::never);
}

TEST(Schedule, StartsAnewWhenItIsSet) {
  schedule plan;
  plan.follow(make_constant(1));
  plan.due();
  for (int i = 0; i < 100; ++i) plan.advance();
  const auto late = plan.due();
  plan.follow(make_constant(10));
  EXPECT_LT(plan.due(), late);
  EXPECT_FALSE(plan.dense());
  plan.follow(make_constant(100'000));
  EXPECT_TRUE(plan.dense());
}

}  // namespace
