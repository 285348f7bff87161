// Batches of Arrow's columns: who owns them, and what comes of them as bytes.
#include <thalweg/model/arrow.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/arrow_by_hand.hpp"
#include "model/by_blocks.hpp"

namespace tw = thalweg;

namespace {

using namespace arrow_by_hand;

// Formats of values that have one width, and that width.
const std::map<std::string, std::size_t> widths{
    {"c", 1},      {"C", 1},       {"s", 2},        {"S", 2},           {"i", 4},    {"I", 4},
    {"l", 8},      {"L", 8},       {"e", 2},        {"f", 4},           {"g", 8},    {"w:3", 3},
    {"d:9,2", 16}, {"d:5,-1", 16}, {"d:9,2,32", 4}, {"d:50,0,256", 32}, {"tdD", 4},  {"tdm", 8},
    {"tts", 4},    {"ttm", 4},     {"ttu", 8},      {"ttn", 8},         {"tss:", 8}, {"tsn:Europe/Rome", 8},
    {"tDs", 8},    {"tDn", 8},     {"tiM", 4},      {"tiD", 8},         {"tin", 16}};

std::size_t width_of(const std::string& format) {
  const auto found = widths.find(format);
  return found == widths.end() ? 0 : found->second;
}

std::string number_bytes(std::int64_t n, std::size_t width) {
  std::string bytes(width, '\0');
  std::memcpy(bytes.data(), &n, std::min(width, sizeof n));
  return bytes;
}

// Metadata of one pair.
std::string pair_of(const std::string& key, const std::string& x) {
  const auto length = [](std::size_t n) { return number_bytes(static_cast<std::int64_t>(n), 4); };
  return length(1) + length(key.size()) + key + length(x.size()) + x;
}

// No memory is left over from a test, and nothing is released twice: that would be less than nothing.
struct Arrow : testing::Test {
  void TearDown() override { EXPECT_EQ(held, 0); }
};

table small_table() {
  return {.columns = {{.format = "l", .name = "n", .values = {number_bytes(7, 8), {}, number_bytes(-1, 8)}},
                      {.format = "u", .name = "city", .values = {"Rome", "", {}}},
                      {.format = "b", .name = "good", .values = {"\1", std::string(1, '\0'), {}}}},
          .rows = 3};
}

void same_values(const tw::arrow_batch& came, const table& went) {
  ASSERT_TRUE(came);
  ASSERT_EQ(static_cast<std::size_t>(came.columns()), went.columns.size());
  ASSERT_EQ(static_cast<std::size_t>(came.rows()), went.rows);
  for (std::size_t i = 0; i < went.columns.size(); ++i) {
    const auto& column = went.columns[i];
    const auto from = column.values.begin() + static_cast<std::ptrdiff_t>(column.skipped + went.skipped);
    EXPECT_EQ(values_of(came, i, width_of(column.format)),
              std::vector<value>(from, from + static_cast<std::ptrdiff_t>(went.rows)));
    EXPECT_EQ(came.schema().children[i]->format, column.format);
    EXPECT_EQ(came.schema().children[i]->name, column.name);
    EXPECT_EQ(came.schema().children[i]->flags, ARROW_FLAG_NULLABLE);
  }
}

// The number of nulls is that of the rows, and nothing lies before them.
void as_the_codec_makes_it(const tw::arrow_batch& came) {
  EXPECT_EQ(came.array().offset, 0);
  EXPECT_EQ(came.array().null_count, 0);
  for (std::int64_t i = 0; i < came.columns(); ++i) {
    const auto& column = *came.array().children[i];
    EXPECT_EQ(column.length, came.rows());
    EXPECT_EQ(column.offset, 0);
    std::int64_t nulls = 0;
    for (const auto& x : values_of(came, static_cast<std::size_t>(i), 1)) nulls += x ? 0 : 1;
    EXPECT_EQ(column.null_count, nulls);
    for (std::int64_t k = 0; k < column.n_buffers; ++k)
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.buffers[k]) % 64, 0U);
  }
}

void comes_back(const table& went) {
  const auto batch = batch_of(went);
  same_values(batch, went);  // or this test reads wrongly
  const auto by_blocks = sent_by_blocks(batch).received();
  same_values(by_blocks, went);
  as_the_codec_makes_it(by_blocks);
  std::vector<std::byte> bytes;
  tw::encode(batch, bytes);
  same_values(tw::decode<tw::arrow_batch>(bytes), went);
}

TEST_F(Arrow, ABatchOwnsWhatItIsMadeOf) {
  static_assert(!std::is_copy_constructible_v<tw::arrow_batch> && tw::can_travel<tw::arrow_batch>);
  auto [array, schema] = export_by_hand(small_table());
  tw::arrow_batch batch(&array, &schema);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(schema.release, nullptr);
  EXPECT_EQ(held, 8);  // three columns and the batch, array and schema
  auto moved = std::move(batch);
  EXPECT_FALSE(batch);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(batch.rows(), 0);
  EXPECT_EQ(moved.rows(), 3);
  EXPECT_EQ(moved.columns(), 3);
  moved = batch_of(small_table());
  EXPECT_EQ(held, 8);
  moved = {};
  EXPECT_EQ(held, 0);
}

TEST_F(Arrow, AConsumerGetsItAndReleasesIt) {
  ArrowArray array;
  ArrowSchema schema;
  batch_of(small_table()).give(&array, &schema);
  EXPECT_EQ(held, 8);
  array.release(&array);
  EXPECT_EQ(held, 4);
  schema.release(&schema);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(schema.release, nullptr);
}

// A consumer may take one column out, in place of all, and keep it for longer.
TEST_F(Arrow, AColumnThatHasComeCanBeTakenOut) {
  const auto went = batch_of(small_table());
  ArrowArray array;
  ArrowSchema schema;
  sent_by_blocks(went).received().give(&array, &schema);
  ArrowArray column = *array.children[1];
  array.children[1]->release = nullptr;
  array.release(&array);
  schema.release(&schema);
  EXPECT_EQ(column.length, 3);
  EXPECT_EQ(std::string(static_cast<const char*>(column.buffers[2]), 4), "Rome");
  column.release(&column);
  EXPECT_EQ(column.release, nullptr);
}

std::string refusal(exported from) {
  try {
    const tw::arrow_batch batch(&from.array, &from.schema);
  } catch (const tw::error& e) {
    EXPECT_EQ(from.array.release, nullptr);
    EXPECT_EQ(from.schema.release, nullptr);
    return e.what();
  }
  return "none";
}

TEST_F(Arrow, WhatIsNoBatchIsReleased) {
  auto text = export_by_hand(small_table());
  text.schema.format = "u";
  EXPECT_EQ(refusal(text),
            "an arrow_batch is made of a record batch, which has the format \"+s\", not \"u\"");
  auto fewer = export_by_hand(small_table());
  auto* const last = fewer.array.children[2];
  last->release(last);
  fewer.array.n_children = 2;
  EXPECT_EQ(refusal(fewer), "an arrow_batch has 2 columns, but its schema has 3");
  auto released = export_by_hand(small_table());
  released.array.release(&released.array);
  EXPECT_EQ(refusal(released), "an arrow_batch is made of an array and a schema that are not released");
}

TEST_F(Arrow, BatchesComeBackAsTheyWent) {
  comes_back(small_table());
  comes_back({});            // no columns, no rows
  comes_back({.rows = 17});  // no columns
  auto none = small_table();
  for (auto& column : none.columns) column.values.clear();
  none.rows = 0;
  comes_back(none);
  comes_back({.columns = {{.format = "n", .name = "nothing", .values = {{}, {}}}}, .rows = 2});
}

// A buffer without bytes may be null, or lie anywhere.
TEST_F(Arrow, BuffersWithoutBytesAreNotLookedAt) {
  comes_back({.columns = {{.format = "w:0", .name = "marks", .values = {"", {}, ""}}}, .rows = 3});
  auto none = small_table();
  for (auto& column : none.columns) column.values.clear();
  none.rows = 0;
  auto made = export_by_hand(none);
  // An address at which there is nothing to be read.
  const std::uintptr_t nowhere = 64;
  std::memcpy(&made.array.children[1]->buffers[1], &nowhere, sizeof nowhere);
  const tw::arrow_batch batch(&made.array, &made.schema);
  EXPECT_EQ(batch.size_of(), sizeof batch);
  EXPECT_EQ(sent_by_blocks(batch).received().rows(), 0);
}

TEST_F(Arrow, NoBatchStaysNone) {
  const tw::arrow_batch none;
  EXPECT_FALSE(sent_by_blocks(none).received());
}

TEST_F(Arrow, NamesFlagsAndMetadataComeWithIt) {
  auto table = small_table();
  table.metadata = pair_of("pandas", "{}");
  table.columns[1].metadata = pair_of("ARROW:extension:name", "city");
  table.columns[2].name = "";
  auto batch = batch_of(table);
  const_cast<ArrowSchema*>(batch.schema().children[0])->flags = 0;
  const auto came = sent_by_blocks(batch).received();
  const auto metadata = [](const ArrowSchema& of, const std::string& expected) {
    ASSERT_NE(of.metadata, nullptr);
    EXPECT_EQ(std::string(of.metadata, expected.size()), expected);
  };
  metadata(came.schema(), table.metadata);
  metadata(*came.schema().children[1], table.columns[1].metadata);
  EXPECT_EQ(came.schema().children[0]->metadata, nullptr);
  EXPECT_EQ(came.schema().children[0]->flags, 0);
  EXPECT_STREQ(came.schema().children[2]->name, "");
}

TEST_F(Arrow, LargeColumnsAreSentFromWhereTheyLie) {
  table large{.columns = {{.format = "l", .name = "n"}, {.format = "u", .name = "text"}}, .rows = 2'000};
  for (std::size_t i = 0; i < 2'003; ++i) {
    large.columns[0].values.emplace_back(number_bytes(static_cast<std::int64_t>(i), 8));
    large.columns[1].values.emplace_back(std::string(i % 13, static_cast<char>('a' + i % 26)));
  }
  large.skipped = 3;
  comes_back(large);
  const auto batch = batch_of(large);
  const sent_by_blocks<tw::arrow_batch> sent(batch);
  ASSERT_EQ(sent.blocks.size(), 2U);
  EXPECT_EQ(sent.blocks[0].data(), static_cast<const std::byte*>(batch.array().children[0]->buffers[1]) + 24);
  EXPECT_EQ(sent.blocks[0].size(), 16'000U);
  EXPECT_GT(batch.size_of(), 16'000U + 2'000U * 4 + sent.blocks[1].size());
}

// Any columns, of any length and with any offset, are the same afterwards.
RC_GTEST_PROP(ArrowProperty, RandomColumnsComeBackAsTheyWent, ()) {
  std::vector<std::string> formats{"b", "u", "z", "U", "Z", "n"};
  for (const auto& [format, width] : widths) formats.push_back(format);
  table any;
  any.rows = *rc::gen::inRange<std::size_t>(0, 40);
  any.skipped = *rc::gen::inRange<std::size_t>(0, 12);
  const auto columns = *rc::gen::inRange(0, 6);
  for (int c = 0; c < columns; ++c) {
    column one{.format = *rc::gen::elementOf(formats), .name = "column " + std::to_string(c)};
    one.skipped = *rc::gen::inRange<std::size_t>(0, 20);
    one.bits = *rc::gen::arbitrary<bool>();
    one.count_nulls = *rc::gen::arbitrary<bool>();
    const auto null_percent = *rc::gen::elementOf(std::vector<int>{0, 10, 100});
    const auto behind = *rc::gen::inRange<std::size_t>(0, 4);
    const auto values = one.skipped + any.skipped + any.rows + behind;
    for (std::size_t i = 0; i < values; ++i) {
      if (one.format == "n" || *rc::gen::inRange(0, 100) < null_percent) {
        one.values.emplace_back();
      } else if (one.format == "b") {
        one.values.emplace_back(std::string(1, *rc::gen::arbitrary<bool>() ? '\1' : '\0'));
      } else if (is_text(one.format)) {
        one.values.emplace_back(
            std::string(*rc::gen::inRange<std::size_t>(0, 9), static_cast<char>('a' + i % 26)));
      } else {
        one.values.emplace_back(number_bytes(*rc::gen::arbitrary<std::int64_t>(), width_of(one.format)));
      }
    }
    any.columns.push_back(std::move(one));
  }
  comes_back(any);
  RC_ASSERT(!testing::Test::HasFailure());
  RC_ASSERT(held == 0);
}

std::string complaint_about(const tw::arrow_batch& batch) {
  std::vector<std::byte> bytes;
  try {
    tw::encode(batch, bytes);
  } catch (const tw::codec_error& e) {
    return e.what();
  }
  return "none";
}

TEST_F(Arrow, ColumnsThatCannotTravelAreNamed) {
  const auto of_format = [](const std::string& format) {
    auto table = small_table();
    auto made = export_by_hand(table);
    made.schema.children[1]->format = format.c_str();
    return complaint_about(tw::arrow_batch(&made.array, &made.schema));
  };
  for (const std::string format : {"+l", "+L", "+w:3", "+s", "+m", "+r", "+ud:0,1", "vu", "vz", "+vl", "",
                                   "x", "tsx:", "d:9", "d:9,2,17", "w:-1", "w:", "w:3x", "td"})
    EXPECT_EQ(of_format(format),
              "an arrow_batch cannot travel: column \"city\" of format \"" + format +
                  "\" is nested, a view, run-end encoded or unknown: only columns of numbers, bools, times, "
                  "decimals, text and bytes travel");
  auto table = small_table();
  auto made = export_by_hand(table);
  ArrowSchema dictionary{};
  made.schema.children[0]->dictionary = &dictionary;
  EXPECT_EQ(complaint_about(tw::arrow_batch(&made.array, &made.schema)),
            "an arrow_batch cannot travel: column \"n\" of format \"l\" has a dictionary: decode it first");
}

TEST_F(Arrow, BatchesThatAreNotAsArrowDefinesThem) {
  const auto spoilt = [](auto spoil) {
    auto made = export_by_hand(small_table());
    spoil(*made.array.children[1], made.array);
    return complaint_about(tw::arrow_batch(&made.array, &made.schema));
  };
  const std::string city = "an arrow_batch is not as Arrow defines it: column \"city\" of format \"u\" has ";
  using array = ArrowArray;
  EXPECT_EQ(spoilt([](array&, array&) {}), "none");
  EXPECT_EQ(spoilt([](array& column, array&) { column.n_buffers = 2; }), city + "2 buffers, not 3");
  EXPECT_EQ(spoilt([](array& column, array&) { column.length = 2; }), city + "2 rows, not 3");
  EXPECT_EQ(spoilt([](array& column, array&) { column.buffers[1] = nullptr; }), city + "no buffer 1");
  EXPECT_EQ(spoilt([](array& column, array&) { column.buffers[2] = nullptr; }), city + "offsets from 0 to 8");
  EXPECT_EQ(spoilt([](array& column, array&) { column.buffers[0] = nullptr; }),
            city + "nulls, but does not say where");
  static const unsigned char second_is_null = 0b101;
  EXPECT_EQ(spoilt([](array&, array& batch) {
              batch.buffers[0] = &second_is_null;
              batch.null_count = -1;
            }),
            "an arrow_batch cannot travel: a row of it is null as a whole, not in its columns");
}

std::string complaint_of(const std::vector<std::byte>& bytes) {
  try {
    (void)tw::decode<tw::arrow_batch>(bytes);
  } catch (const tw::codec_error& e) {
    return e.what();
  }
  return "none";
}

// What a sender of nothing good may write, part by part.
TEST_F(Arrow, BytesThatAreNoBatch) {
  const auto bytes_of = [](auto... parts) {
    std::vector<std::byte> bytes;
    tw::byte_writer to(bytes);
    const auto add = [&](const auto& part) {
      if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(part)>>) {
        to(part);
      } else {
        to(std::string(part));
      }
    };
    (add(parts), ...);
    return bytes;
  };
  const std::uint8_t yes = 1, no = 0;
  // A batch of one column begins so: its rows, its own name, metadata and flag, the number of columns.
  const auto column = [&](std::uint64_t rows, auto... parts) {
    return complaint_of(bytes_of(yes, rows, "", "", no, std::uint32_t{1}, parts...));
  };
  const auto i = [](std::int32_t n) { return n; };
  EXPECT_EQ(column(2, "u", "x", "", no, no, i(0), i(1), i(3), std::uint16_t{0}, std::uint8_t{0}), "none");
  const std::string x = "column \"x\" of format \"u\" of an arrow_batch ";
  EXPECT_EQ(column(2, "u", "x", "", no, no, i(1), i(1), i(3), std::uint32_t{0}),
            x + "has offsets that do not begin at 0");
  EXPECT_EQ(column(2, "u", "x", "", no, no, i(0), i(4), i(3), std::uint32_t{0}),
            x + "has offsets that go back");
  EXPECT_EQ(column(2, "u", "x", "", no, no, i(0), i(-4), i(3), std::uint32_t{0}),
            x + "has offsets that go back");
  EXPECT_EQ(column(2, "u", "x", "", no, no, i(0), i(1), i(30), std::uint32_t{0}), x + "is cut off");
  const auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(column(most, "u", "x", "", no, no, std::uint64_t{0}), x + "is cut off");
  EXPECT_EQ(column(most, "u", "x", "", no, yes, std::uint64_t{0}), x + "is cut off");
  EXPECT_EQ(column(std::uint64_t{1} << 61U, "l", "x", "", no, no, std::uint64_t{0}),
            "column \"x\" of format \"l\" of an arrow_batch is cut off");
  EXPECT_EQ(column(std::uint64_t{1} << 63U, "l", "x", "", no, no),
            "an arrow_batch cannot have 9223372036854775808 rows");
  EXPECT_EQ(column(1, "+l", "x", "", no, no, std::uint64_t{0}),
            "column \"x\" of format \"+l\" of an arrow_batch has a format that does not travel");
  EXPECT_EQ(column(0, "l", "x", std::string("\1\0\0\0", 4), no, no),
            "the metadata of \"x\" in an arrow_batch is none");
  EXPECT_EQ(complaint_of(bytes_of(yes, std::uint64_t{0}, "", "", no, std::uint32_t{1000}, std::uint64_t{0})),
            "an item is cut off: 1000 more elements should follow, but only 8 bytes do");
  // Cut off anywhere.
  std::vector<std::byte> good;
  tw::encode(batch_of(small_table()), good);
  EXPECT_EQ(complaint_of(good), "none");
  for (; !good.empty(); good.pop_back())
    EXPECT_NE(complaint_of({good.begin(), good.end() - 1}), "none") << good.size();
}

}  // namespace
