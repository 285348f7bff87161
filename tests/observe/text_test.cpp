#include <thalweg/observe/text.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace {

using namespace thalweg::observe;

TEST(text, numbers_have_three_digits) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(1), "1.00");
  EXPECT_EQ(number_text(9.994), "9.99");
  EXPECT_EQ(number_text(9.996), "10.0");
  EXPECT_EQ(number_text(99.96), "100");
  EXPECT_EQ(number_text(123456), "123456");
  EXPECT_EQ(number_text(0.012345), "0.0123");
  EXPECT_EQ(number_text(-1.5), "-1.50");
  EXPECT_EQ(number_text(1.25, 2), "1.3");
  EXPECT_EQ(number_text(1e-30), "0");
  EXPECT_EQ(number_text(std::nan("")), "-");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-∞");
  EXPECT_EQ(number_text(std::numeric_limits<double>::max()).size(), 309u);
}

TEST(text, durations_have_the_unit_that_suits_them) {
  EXPECT_EQ(duration_text(0), "0");
  EXPECT_EQ(duration_text(0.25), "0.250 ns");
  EXPECT_EQ(duration_text(4.25), "4.25 ns");
  EXPECT_EQ(duration_text(999.4), "999 ns");
  EXPECT_EQ(duration_text(999.6), "1.00 µs");
  EXPECT_EQ(duration_text(12'345), "12.3 µs");
  EXPECT_EQ(duration_text(85e6), "85.0 ms");
  EXPECT_EQ(duration_text(2.35e9), "2.35 s");
  EXPECT_EQ(duration_text(59.9e9), "59.9 s");
  EXPECT_EQ(duration_text(59.99e9), "1 min");
  EXPECT_EQ(duration_text(200e9), "3 min 20 s");
  EXPECT_EQ(duration_text(3'599.7e9), "1 h");
  EXPECT_EQ(duration_text(18'720e9), "5 h 12 min");
  EXPECT_EQ(duration_text(-1'500), "-1.50 µs");
}

TEST(text, counts_are_grouped) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1 000");
  EXPECT_EQ(count_text(1'234'567), "1 234 567");
  EXPECT_EQ(count_text(std::numeric_limits<std::uint64_t>::max()), "18 446 744 073 709 551 615");
}

TEST(text, rates_and_parts) {
  EXPECT_EQ(rate_text(0), "0 /s");
  EXPECT_EQ(rate_text(850), "850 /s");
  EXPECT_EQ(rate_text(42'500), "42.5 k/s");
  EXPECT_EQ(rate_text(1.23e6), "1.23 M/s");
  EXPECT_EQ(rate_text(2.5e9), "2.50 G/s");
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(850), "850 B");
  EXPECT_EQ(size_text(42'500), "42.5 kB");
  EXPECT_EQ(size_text(1'230'000'000), "1.23 GB");
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(0.004), "0.4 %");
  EXPECT_EQ(percent_text(0.931), "93 %");
  EXPECT_EQ(percent_text(1.5), "150 %");
}

TEST(text, joins_parts) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"a", "", "bc"}), "abc");
}

TEST(text, tables_line_up_by_characters_not_bytes) {
  text_table t;
  t.add_column("stage", text_table::left);
  t.add_column("time");
  t.add_row({"read", "12 µs"});
  t.add_row({"größe"});
  t.add_row({"w", "130 ms"});
  EXPECT_EQ(t.to_string("> "),
            "> stage    time\n"
            "> read    12 µs\n"
            "> größe\n"
            "> w      130 ms\n");
}

TEST(text, columns_without_text_are_left_out) {
  text_table t;
  t.add_column("a");
  t.add_column("errors");
  t.add_column("b");
  t.add_row({"1", "", "2"});
  EXPECT_EQ(t.to_string(), "a  b\n1  2\n");
}

TEST(text, finds_the_name_that_was_meant) {
  const std::vector<std::string> names = {"read", "archive/compress", "archive/write"};
  EXPECT_EQ(closest_name("reed", names), "read");
  EXPECT_EQ(closest_name("compres", names), "archive/compress");
  EXPECT_EQ(closest_name("archive/wirte", names), "archive/write");
  EXPECT_EQ(closest_name("decode", names), "");
  EXPECT_EQ(closest_name("", names), "");
  EXPECT_EQ(closest_name("x", {}), "");
}

}  // namespace
