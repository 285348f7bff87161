// What is counted of the items of a load that changes.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <micro/adapt/measured.hpp>
#include <nlohmann/json.hpp>

namespace {

constexpr micro::nanos ms = 1'000'000;
constexpr micro::nanos began = 5'000 * ms;

using numbers = std::vector<std::uint64_t>;

nlohmann::json told(const micro::measured& seen) {
  return seen.told(0.25, 1.5);
}

TEST(Measured, CountsWhereItemsWereDueAndWhereTheyCame) {
  micro::measured seen({0, 50 * ms, 110 * ms}, 0.1, 0.05);
  seen.begins(began);
  for (const auto at : {1, 52, 230}) seen.comes(began + at * ms);
  seen.ends(began + 300 * ms);
  const auto found = told(seen);
  EXPECT_EQ(found["items"], 3);
  EXPECT_EQ(found["missing"], 0);
  EXPECT_EQ(found["due"], (numbers{2, 1, 0}));
  EXPECT_EQ(found["done"], (numbers{2, 0, 1}));
  EXPECT_EQ(found["late_by_window"], (numbers{0, 1, 0}));
  EXPECT_EQ(found["late"], 1);
  EXPECT_EQ(found["p50_ms"], 2);
  EXPECT_EQ(found["max_ms"], 120);
  EXPECT_EQ(found["p99_by_window"], nlohmann::json::parse("[2, 120, null]"));
  EXPECT_EQ(found["gap_by_window"], nlohmann::json::parse("[51, 0, 178]"));
  EXPECT_EQ(found["cpu_seconds"], 0.25);
  EXPECT_EQ(found["elapsed"], 1.5);
}

TEST(Measured, WhatHasNotComeAtTheEndIsLateHoweverShortItHasWaited) {
  micro::measured seen({0, 100 * ms}, 0.1, 0.05);
  seen.begins(began);
  seen.comes(began + ms);
  seen.ends(began + 101 * ms);
  const auto found = told(seen);
  EXPECT_EQ(found["missing"], 1);
  EXPECT_EQ(found["late_by_window"], (numbers{0, 1}));
  EXPECT_EQ(found["max_ms"], 1);
}

TEST(Measured, AnItemIsLateFromTheLimitOn) {
  micro::measured seen({0, 0}, 0.1, 0.05);
  seen.begins(began);
  seen.comes(began + 50 * ms - 1);
  seen.comes(began + 50 * ms);
  EXPECT_EQ(told(seen)["late"], 1);
}

TEST(Measured, WithoutItemsThereIsNoLatency) {
  const auto found = told(micro::measured({}, 0.1, 0.05));
  EXPECT_EQ(found["items"], 0);
  EXPECT_TRUE(found["p99_ms"].is_null());
}

}  // namespace
