// Items that are messages of protobuf: as their own bytes where they are alone, with their length among
// others.
#include <thalweg/model/protobuf.hpp>
#include <thalweg/pipe/size_of.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "messages.pb.h"
#include "model/by_blocks.hpp"

namespace tw = thalweg;

namespace {

using thalweg_test::reading;

reading some_reading(const std::string& sensor = "indoors", int values = 3) {
  reading made;
  made.set_sensor(sensor);
  for (int i = 0; i < values; ++i) made.add_values(20.5 + i);
  return made;
}

bool same(const reading& a, const reading& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

template <class T> std::string complaint(const std::vector<std::byte>& bytes) {
  try {
    (void)tw::decode<T>(bytes);
  } catch (const tw::codec_error& e) {
    return e.what();
  }
  return "none";
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

TEST(Protobuf, ItemsComeBackAsTheyWent) {
  static_assert(tw::can_travel<reading>);
  for (const auto& one : {some_reading(), reading{}, some_reading("large", 5'000)}) {
    EXPECT_TRUE(same(sent_by_blocks(one).received(), one));
    std::vector<std::byte> bytes;
    tw::encode(one, bytes);
    EXPECT_TRUE(same(tw::decode<reading>(bytes), one));
  }
  // As an element of what the library sends itself.
  const std::vector<reading> several{some_reading(), {}, some_reading("large", 5'000)};
  const auto came = sent_by_blocks(several).received();
  ASSERT_EQ(came.size(), 3U);
  for (std::size_t i = 0; i < came.size(); ++i) EXPECT_TRUE(same(came[i], several[i]));
}

TEST(Protobuf, AloneItIsWhatOtherProgramsWrite) {
  std::vector<std::byte> bytes;
  tw::encode(some_reading(), bytes);
  EXPECT_EQ(bytes, bytes_of(some_reading().SerializeAsString()));
}

TEST(Protobuf, BytesThatAreNoMessage) {
  EXPECT_EQ(complaint<reading>(bytes_of("no message")), "10 bytes are no thalweg_test.reading of protobuf");
  std::vector<std::byte> bytes;
  tw::encode(std::vector<reading>(2), bytes);
  bytes[4] = std::byte{200};  // the length of the first
  EXPECT_EQ(complaint<std::vector<reading>>(bytes),
            "an item is cut off: 200 more elements should follow, but only 4 bytes do");
}

TEST(Protobuf, RequiredFieldsAreThereOnBothSides) {
  thalweg_test::strict x;
  std::vector<std::byte> bytes;
  EXPECT_EQ(complaint<thalweg_test::strict>({}), "thalweg_test.strict lacks required fields: number");
  EXPECT_THROW(tw::encode(x, bytes), tw::codec_error);
  x.set_number(7);
  tw::encode(x, bytes);
  EXPECT_EQ(tw::decode<thalweg_test::strict>(bytes).number(), 7);
}

TEST(Protobuf, TheTagIsItsNameInAllLanguages) {
  EXPECT_EQ(tw::tag_of<reading>(), "protobuf thalweg_test.reading");
}

TEST(Protobuf, ItCountsWhatItHolds) {
  EXPECT_GT(tw::size_of(some_reading(std::string(5'000, 'x'))), sizeof(reading) + 5'000);
}

}  // namespace
