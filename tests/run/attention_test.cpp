// Whether somebody else shall call the source, by what its calls have shown.
#include "../../src/run/pool/attention.hpp"

#include <gtest/gtest.h>

namespace {

using thalweg::run_detail::pooled::attention;

TEST(Attention, ASourceWorksWhereItsCallsAreProcessorTime) {
  attention one;
  EXPECT_FALSE(one.works());
  one.looked(10'000, 9'900);
  EXPECT_FALSE(one.works());  // once is not enough
  one.looked(10'000, 9'900);
  EXPECT_TRUE(one.works());
}

TEST(Attention, ASourceThatBeginsToWaitIsNoticed) {
  attention one;
  for (int i = 0; i < 100; ++i) one.looked(10'000, 10'000);
  EXPECT_TRUE(one.works());
  for (int i = 0; i < 3; ++i) one.looked(10'000, 100);
  EXPECT_FALSE(one.works());
}

TEST(Attention, OneCallThatWasInterruptedChangesNothing) {
  attention one;
  for (int i = 0; i < 8; ++i) one.looked(10'000, 10'000);
  one.looked(1'000'000, 10'000);
  EXPECT_TRUE(one.works());
}

TEST(Attention, ProcessorTimeIsAskedForNowAndThen) {
  attention one;
  int asked = 0;
  for (int i = 0; i < 800; ++i) asked += one.doubts() ? 1 : 0;
  EXPECT_EQ(asked, 100);
}

}  // namespace
