// The types of users' event times, and how far they reach. In the build that finds what overflows, too.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

template <class Time> std::string sums_of(Time first) {
  std::vector<std::pair<Time, int>> items;
  for (int i = 0; i < 5; ++i) {
    items.push_back({first, i});
    ++first;
  }
  std::string text;
  try {
    tw::run(tw::source(items) |
                tw::window(tw::tumbling(1h), tw::sum_of(&std::pair<Time, int>::second),
                           tw::event_time(&std::pair<Time, int>::first)) |
                tw::sink([&](const tw::windowed<int>& w) { text += std::to_string(w.value) + ";"; }),
            tw::sequential{});
  } catch (const tw::stage_error& e) {
    return e.what();
  }
  return text;
}

TEST(EventTimeTypes, AnyNumberWillDo) {
  using std::chrono::duration;
  EXPECT_EQ(sums_of(duration<std::int64_t>(1'700'000'000)), "10;");
  EXPECT_EQ(sums_of(duration<std::int32_t>(1'700'000'000)), "10;");
  EXPECT_EQ(sums_of(duration<std::int32_t>(-300'000'000)), "10;");
  EXPECT_EQ(sums_of(duration<std::int32_t, std::milli>(86'400'000)), "10;");
  EXPECT_EQ(sums_of(duration<std::uint32_t>(1'700'000'000)), "10;");
  EXPECT_EQ(sums_of(duration<std::uint64_t, std::milli>(1'700'000'000'000)), "10;");
  EXPECT_EQ(sums_of(duration<std::uint64_t, std::nano>(1'700'000'000'000'000'000)), "10;");
  EXPECT_EQ(sums_of(duration<std::int64_t, std::pico>(std::numeric_limits<std::int64_t>::min())), "10;");
  EXPECT_EQ(sums_of(duration<std::uint64_t, std::pico>(std::numeric_limits<std::uint64_t>::max() - 5)),
            "10;");
  EXPECT_EQ(sums_of(duration<std::int16_t>(30'000)), "10;");
  EXPECT_EQ(sums_of(duration<std::int8_t>(-128)), "10;");
  EXPECT_EQ(sums_of(duration<double>(1'700'000'000)), "10;");
  EXPECT_EQ(sums_of(duration<float>(5)), "10;");
  EXPECT_EQ(sums_of(duration<std::int64_t, std::ratio<1, 90'000>>(153'000'000'000'000)), "10;");  // of MPEG
  EXPECT_EQ(sums_of(std::uint32_t{4'000'000'000}), "10;");
  EXPECT_EQ(sums_of(std::uint64_t{1'700'000'000'000'000'000}), "10;");
}

TEST(EventTimeTypes, WhatIsTooFarAwayIsRefused) {
  using std::chrono::duration;
  const auto too_far = HasSubstr("more than 146 years");
  EXPECT_THAT(sums_of(duration<std::int64_t>(4'700'000'000)), too_far);
  EXPECT_THAT(sums_of(duration<std::uint32_t>(4'290'000'000)), "10;");
  EXPECT_THAT(sums_of(duration<std::int64_t>(std::numeric_limits<std::int64_t>::min())), too_far);
  EXPECT_THAT(sums_of(duration<std::uint64_t>(std::numeric_limits<std::uint64_t>::max() - 5)), too_far);
  EXPECT_THAT(sums_of(std::numeric_limits<std::uint64_t>::max() - 5), too_far);
  EXPECT_THAT(sums_of(duration<double>(std::numeric_limits<double>::quiet_NaN())), too_far);
  EXPECT_THAT(sums_of(duration<double>(1e300)), too_far);
  EXPECT_THAT(sums_of(std::chrono::years(147)), too_far);
  EXPECT_THAT(
      sums_of(duration<std::int64_t, std::ratio<1, 90'000>>(std::numeric_limits<std::int64_t>::max() - 5)),
      too_far);
}

}  // namespace
