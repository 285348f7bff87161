// Rates from text.
#include <thalweg/flow/rate.hpp>
#include <thalweg/model/errors.hpp>

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

namespace tw = thalweg;
using testing::HasSubstr;
using tw::rate;
using tw::rate_from;

// The two rates are the same at many moments.
void expect_same(const rate& one, const rate& other) {
  for (double t = 0; t < 20; t += 0.37) EXPECT_EQ(one.at(t), other.at(t)) << "at " << t << " s";
  EXPECT_EQ(one.seed(), other.seed());
}

TEST(RateFrom, ANumber) {
  expect_same(rate_from("500"), rate(500));
  expect_same(rate_from("0.25"), rate(0.25));
  expect_same(rate_from("1e3,poisson=4"), rate(1'000).poisson(4));
}

TEST(RateFrom, APattern) {
  expect_same(rate_from("wave,8,100,300"), rate::wave({8, 100, 300}));
  expect_same(rate_from("binary,8,0,300"), rate::binary({8, 0, 300}));
  expect_same(rate_from("increasing,8,100,300"), rate::increasing({8, 100, 300}));
  expect_same(rate_from("decreasing,8,100,300"), rate::decreasing({8, 100, 300}));
  expect_same(rate_from("spike,8,100,300"), rate::spike({8, 100, 300}));
  expect_same(rate_from("spike,0.5,1e2,300,25"), rate::spike({0.5, 100, 300}, 0.25));
  expect_same(rate_from("bursts,1,4,50"), rate::bursts(1, 4, 50));
  expect_same(rate_from("steps,1,20,3,50"), rate::steps({{1, 20}, {3, 50}}));
  expect_same(rate_from("wave,8,100,300,poisson=7"), rate::wave({8, 100, 300}).poisson(7));
  expect_same(rate_from("bursts,1,4,50,poisson"), rate::bursts(1, 4, 50).poisson(1));
}

TEST(RateFrom, ATraceIsReadFromItsFile) {
  const auto file = testing::TempDir() + std::to_string(::getpid()) + "trace,with a comma";
  std::ofstream(file) << "0, 10\n5, 20\n";
  const auto traced = rate_from("trace," + file);
  EXPECT_EQ(traced.at(1), 10);
  EXPECT_EQ(traced.at(6), 20);
  EXPECT_EQ(rate_from("trace," + file + ",poisson=3").seed(), 3U);
}

std::string complaint(const std::string& text) {
  try {
    (void)rate_from(text);
  } catch (const tw::error& e) {
    return e.what();
  }
  return "none";
}

TEST(RateFrom, SaysWhatIsWrong) {
  EXPECT_THAT(complaint("saw,1,1,2"), HasSubstr("rate: 'saw' is no pattern: write a number, or wave"));
  for (const auto* const bad : {"", "5x", " 5", "wave500"})
    EXPECT_THAT(complaint(bad), HasSubstr("'" + std::string(bad) + "' is no pattern")) << bad;
  for (const auto* const bad : {"0", "-1", "inf", "nan"})
    EXPECT_THAT(complaint(bad), HasSubstr("must be above 0 items per second")) << bad;
  EXPECT_THAT(complaint("wave"), HasSubstr("'wave' is not pattern,period,least,greatest"));
  EXPECT_THAT(complaint("wave,1,1"), HasSubstr("'wave,1,1' is not"));
  EXPECT_THAT(complaint("wave,1,1,2,3"), HasSubstr("is not"));
  EXPECT_THAT(complaint("wave,x,1,2"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(complaint("wave,nan,1,2"), HasSubstr("'nan' is not a number"));
  EXPECT_THAT(complaint("wave,0,1,2"), HasSubstr("period"));
  EXPECT_THAT(complaint("wave,1,-1,2"), HasSubstr("0 or more"));
  EXPECT_THAT(complaint("wave,1,3,2"), HasSubstr("maximum"));
  EXPECT_THAT(complaint("steps"), HasSubstr("is not steps"));
  EXPECT_THAT(complaint("steps,1,2,3"), HasSubstr("is not steps"));
  EXPECT_THAT(complaint("steps,1,0"), HasSubstr("no item would ever be due"));
  EXPECT_THAT(complaint("bursts,1,2"), HasSubstr("is not bursts"));
  EXPECT_THAT(complaint("bursts,0,2,3"), HasSubstr("step"));
  EXPECT_THAT(complaint("trace"), HasSubstr("is not trace,<file>"));
  EXPECT_THAT(complaint("trace,/nowhere"), HasSubstr("'/nowhere' cannot be read"));
  EXPECT_THAT(complaint("wave,1,1,2,poisson=x"), HasSubstr("'poisson=x' is not poisson=<a whole number>"));
  EXPECT_THAT(complaint("wave,1,1,2,poissons"), HasSubstr("'poissons'"));
  EXPECT_THAT(complaint("poisson"), HasSubstr("'poisson' is no pattern"));
  EXPECT_THAT(complaint("spike,1,1,2,101"), HasSubstr("spike"));
}

}  // namespace
