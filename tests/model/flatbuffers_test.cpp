// Buffers of FlatBuffers as items: sent as they are, and never read before they are verified.
#include <thalweg/model/flatbuffers.hpp>
#include <thalweg/pipe/size_of.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "messages_generated.h"
#include "model/by_blocks.hpp"

namespace tw = thalweg;

namespace {

using item = tw::flat<thalweg_test::sample>;

item some_item(const char* sensor = "indoors", std::size_t values = 3) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<double> all(values, 20.5);
  builder.Finish(thalweg_test::CreatesampleDirect(builder, sensor, &all));
  return item(builder.Release());
}

void same(const item& came, const item& went) {
  ASSERT_TRUE(came);
  EXPECT_NE(came.bytes().data(), went.bytes().data());
  EXPECT_EQ(came->sensor()->str(), went->sensor()->str());
  ASSERT_EQ(came->values()->size(), went->values()->size());
  EXPECT_EQ(came->values()->Get(0), 20.5);
}

std::string complaint_of(std::span<const std::byte> bytes) {
  try {
    (void)tw::decode<item>(bytes);
  } catch (const tw::codec_error& e) {
    return e.what();
  }
  return "none";
}

constexpr std::size_t many = 5'000;  // values, which are a block

TEST(FlatBuffers, ItemsComeBackAsTheyWent) {
  static_assert(tw::can_travel<item>);
  for (const auto& one : {some_item(), some_item("large", many)}) {
    same(sent_by_blocks(one).received(), one);
    std::vector<std::byte> bytes;
    tw::encode(one, bytes);
    same(tw::decode<item>(bytes), one);
  }
  const std::vector<item> several{some_item(), {}, some_item("large", many)};
  const auto came = sent_by_blocks(several).received();
  ASSERT_EQ(came.size(), 3U);
  same(came[0], several[0]);
  EXPECT_FALSE(came[1]);
  same(came[2], several[2]);
}

TEST(FlatBuffers, WhatHoldsNothing) {
  const item none;
  EXPECT_EQ(none.get(), nullptr);
  EXPECT_TRUE(none.bytes().empty());
  EXPECT_FALSE(sent_by_blocks(none).received());
  EXPECT_FALSE(item(flatbuffers::DetachedBuffer()));
}

TEST(FlatBuffers, AloneItIsTheBufferAndNothingElse) {
  const auto one = some_item();
  std::vector<std::byte> bytes;
  tw::encode(one, bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(one.bytes().begin(), one.bytes().end()));
}

TEST(FlatBuffers, ALargeOneIsSentFromWhereItLies) {
  const auto one = some_item("large", many);
  const sent_by_blocks<item> sent(one);
  ASSERT_EQ(sent.blocks.size(), 1U);
  EXPECT_EQ(sent.blocks[0].data(), one.bytes().data());
  EXPECT_EQ(sent.blocks[0].size(), one.bytes().size());
}

TEST(FlatBuffers, CopiesShareTheBuffer) {
  const auto one = some_item();
  const auto other = one;
  EXPECT_EQ(other.bytes().data(), one.bytes().data());
  EXPECT_EQ(other.get(), one.get());
}

TEST(FlatBuffers, BytesThatAreNoBuffer) {
  const auto one = some_item();
  std::vector<std::byte> bytes(one.bytes().begin(), one.bytes().end());
  EXPECT_EQ(complaint_of(bytes), "none");
  for (auto cut = bytes; cut.size() > 1;) {
    cut.pop_back();
    EXPECT_EQ(complaint_of(cut),
              std::to_string(cut.size()) + " bytes are no thalweg_test::sample of FlatBuffers");
  }
  bytes[0] = std::byte{0xFF};
  EXPECT_THROW((void)tw::decode<item>(bytes), tw::codec_error);
  EXPECT_THROW((void)item(std::span<const std::byte>(bytes)), tw::codec_error);
}

// A block comes only when the codec has returned.
TEST(FlatBuffers, ABlockIsVerifiedBeforeItIsRead) {
  const auto one = some_item("large", many);
  sent_by_blocks<item> sent(one);
  std::vector<std::byte> spoilt(one.bytes().begin(), one.bytes().end());
  spoilt[0] = spoilt[1] = std::byte{0xFF};
  sent.blocks[0] = spoilt;
  const auto came = sent.received();
  EXPECT_TRUE(came);
  EXPECT_THROW((void)came.get(), tw::codec_error);
  EXPECT_THROW((void)came->sensor(), tw::codec_error);  // and again
}

TEST(FlatBuffers, TagsNameTheType) {
  EXPECT_EQ(tw::tag_of<item>(), "flatbuffer thalweg_test::sample");
}

TEST(FlatBuffers, ItCountsWhatItHolds) {
  EXPECT_GT(tw::size_of(some_item("large", many)), many * sizeof(double));
}

}  // namespace
