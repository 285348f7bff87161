// Times as text from outside.
#include "../../src/observe/time_text.hpp"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

using namespace std::chrono_literals;
using thalweg::observe::time_from;

TEST(TimeText, IsAWholeNumberWithAUnit) {
  EXPECT_EQ(time_from("1us"), 1us);
  EXPECT_EQ(time_from("100ms"), 100ms);
  EXPECT_EQ(time_from("2 s"), 2s);
  EXPECT_EQ(time_from("3 \tmin"), 3min);
  EXPECT_EQ(time_from("9223372036s"), 9'223'372'036s);
}

TEST(TimeText, IsNothingElse) {
  for (const auto* const text : {"", "ms", "100", "0ms", "-1s", "+1s", "1.5s", "1h", "1 m s", "1ms ", " 1ms",
                                 "9223372037s", "99999999999999999999s"})
    EXPECT_EQ(time_from(text), std::nullopt) << text;
}
