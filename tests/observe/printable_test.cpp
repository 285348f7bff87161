// Names and messages of anybody give a terminal no orders.
#include <thalweg/observe/logger.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/observe/text.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tw = thalweg;

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tw::observe::printable;

TEST(Printable, TextOfAnyLanguageStaysAsItIs) {
  for (const char* text : {"", "read", "<script>alert(1)</script>", "größe µ ∞", "日本", "\xF0\x9F\x98\x80"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, OrdersToATerminalAreShown) {
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("a\nb\tc\x7f"), "a\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xC2\x9B"), "\\u009b");           // an escape sequence begins so, too
  EXPECT_EQ(printable("\xE2\x80\xAE"), "\\u202e");       // from right to left
  EXPECT_EQ(printable("\xE2\x80\xA8"), "\\u2028");       // the end of a line
  EXPECT_EQ(printable("\xE2\x80\xB0"), "\xE2\x80\xB0");  // per mille
}

TEST(Printable, BytesThatAreNoTextAreShown) {
  EXPECT_EQ(printable("\x9B"), "\\x9b");
  EXPECT_EQ(printable("a\xFF"), "a\\xff");
  EXPECT_EQ(printable("\xE2\x80"), "\\xe2\\x80");
}

TEST(Printable, TablesLineUpWhateverIsInThem) {
  tw::observe::text_table table;
  table.add_column("stage", tw::observe::text_table::left);
  table.add_column("items");
  table.add_row({"a\x1b[1m\n", "1"});
  EXPECT_EQ(table.to_string(), "stage         items\na\\x1b[1m\\x0a      1\n");
}

TEST(Printable, TheReportOfARunGivesNoOrders) {
  tw::report_data data;
  data.policy = "\x1b]0;policy";
  data.observed = true;
  data.notes = {"\x1b]0;note"};
  data.resizes.push_back({.at = {}, .stage = "\x1b]0;resized", .from = 1, .to = 2});
  data.rate_changes.push_back({.at = {}, .stage = "\x1b]0;paced", .from = 1, .to = 2});
  data.batch_changes.push_back(
      {.at = {}, .stage = "\x1b]0;batch", .from = {.items = 1}, .to = {.items = 2}});
  data.stages.emplace_back().name = "\x1b]0;stage";
  data.ranks.emplace_back().host = "\x1b]0;host";
  const auto text = tw::report(data).to_string();
  for (const char* what : {"policy", "note", "resized", "paced", "batch", "stage", "host"})
    EXPECT_THAT(text, HasSubstr(std::string("\\x1b]0;") + what));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Printable, ALineOfALoggerIsOneLine) {
  testing::internal::CaptureStderr();
  tw::observe::logger("re\nad").warning("\x1b[2J");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: re\\x0aad: \\x1b[2J\n");
}

}  // namespace
