#include <thalweg/observe/json.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

namespace {

using thalweg::observe::json_escaped;
using thalweg::observe::json_writer;

nlohmann::json parsed_string(const std::string& text) {
  return nlohmann::json::parse('"' + json_escaped(text) + '"');
}

TEST(json, puts_commas_where_they_belong) {
  std::string text;
  json_writer json(text);
  json.begin_object();
  json.member("a", 1)
      .key("list")
      .begin_array()
      .value(1)
      .begin_object()
      .end_object()
      .begin_array()
      .end_array();
  json.null().value(true).value(false).value("x").end_array();
  json.member("b", -2).end_object();
  EXPECT_EQ(text, R"({"a":1,"list":[1,{},[],null,true,false,"x"],"b":-2})");
}

TEST(json, writes_the_extremes_of_numbers_exactly) {
  std::string text;
  json_writer json(text);
  json.begin_array();
  json.value(std::numeric_limits<std::uint64_t>::max()).value(std::numeric_limits<std::int64_t>::min());
  json.value(0.1).value(1e300).value(-0.0);
  json.value(std::nan("")).value(std::numeric_limits<double>::infinity()).end_array();
  const auto j = nlohmann::json::parse(text);
  EXPECT_EQ(j[0], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(j[1], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(j[2], 0.1);
  EXPECT_EQ(j[3], 1e300);
  EXPECT_TRUE(j[5].is_null());
  EXPECT_TRUE(j[6].is_null());
}

RC_GTEST_PROP(json, every_double_reads_back_the_same, (double number)) {
  std::string text;
  json_writer(text).value(number);
  RC_ASSERT(nlohmann::json::parse(text).get<double>() == number);
}

TEST(json, escapes_what_must_be_escaped) {
  EXPECT_EQ(json_escaped("a\"b\\c\nd\te\rf"), R"(a\"b\\c\nd\te\rf)");
  EXPECT_EQ(json_escaped(std::string("\0\x1f", 2)), R"(\u0000\u001f)");
  EXPECT_EQ(json_escaped("µs ∞ 𝄞"), "µs ∞ 𝄞") << "valid UTF-8 stays as it is";
}

TEST(json, replaces_bytes_that_are_not_utf8) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(json_escaped("\xFF"), bad);
  EXPECT_EQ(json_escaped("a\xC3"), "a" + bad) << "cut short";
  EXPECT_EQ(json_escaped("\xC0\xAF"), bad + bad) << "overlong";
  EXPECT_EQ(json_escaped("\xED\xA0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(json_escaped("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "beyond U+10FFFF";
  EXPECT_EQ(json_escaped("\xE0\x80\x80"), bad + bad + bad) << "overlong";
  EXPECT_EQ(json_escaped("\xF0\x80\x80\x80"), bad + bad + bad + bad) << "overlong";
}

// nlohmann refuses invalid UTF-8 and unescaped control characters, so parsing is the oracle.
RC_GTEST_PROP(json, any_bytes_become_a_valid_string, (const std::string& bytes)) {
  RC_ASSERT_FALSE(parsed_string(bytes).get<std::string>().size() < bytes.size());
}

RC_GTEST_PROP(json, ascii_reads_back_the_same, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  RC_ASSERT(parsed_string(text).get<std::string>() == text);
}

}  // namespace
