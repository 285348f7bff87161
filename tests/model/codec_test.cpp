// Items as bytes: what comes back is what went, tags tell items apart, and bytes that are wrong are found.
#include <thalweg/model/codec.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tw = thalweg;

namespace {

struct plain {
  int a = 0;
  char b = 0;
  bool operator==(const plain&) const = default;
};

struct reading {
  std::string sensor;
  double value = 0;
  int only_here = -1;  // does not travel
  bool operator==(const reading&) const = default;
};

// Trivially copyable, but not to travel so.
struct celsius {
  double degrees = 0;
};

// Its bytes alone need no length in front.
struct line {
  std::string text;
};

enum class colour : std::uint8_t { red, green };

}  // namespace

template <> struct tw::codec<reading> : tw::codec_of_members<&reading::sensor, &reading::value> {};

template <> struct tw::codec<celsius> {
  static std::string tag() { return "celsius, in thousandths"; }
  static void write(byte_writer& to, const celsius& x) { to(static_cast<std::int32_t>(x.degrees * 1000)); }
  static void read(byte_reader& from, celsius& x) {
    std::int32_t thousandths = 0;
    from(thousandths);
    x.degrees = thousandths / 1000.0;
  }
};

template <> struct tw::codec<line> {
  static std::string tag() { return "line"; }
  static void write(byte_writer& to, const line& x) { to(x.text); }
  static void read(byte_reader& from, line& x) { from(x.text); }
  static void write_alone(byte_writer& to, const line& x) { to.bytes(x.text.data(), x.text.size()); }
  static void read_alone(byte_reader& from, line& x) {
    const auto all = from.bytes(from.left());
    x.text.assign(reinterpret_cast<const char*>(all.data()), all.size());
  }
};

namespace {

template <class T> std::vector<std::byte> bytes_of(const T& item) {
  std::vector<std::byte> bytes;
  tw::encode(item, bytes);
  return bytes;
}

template <class T> void comes_back(const T& item) {
  EXPECT_EQ(tw::decode<T>(bytes_of(item)), item) << tw::tag_of<T>();
}

template <class T> std::string complaint(const std::vector<std::byte>& bytes) {
  try {
    (void)tw::decode<T>(bytes);
  } catch (const tw::codec_error& e) {
    return e.what();
  }
  return "none";
}

TEST(Codec, ItemsComeBackAsTheyWent) {
  comes_back(17);
  comes_back(true);
  comes_back(colour::green);
  comes_back(plain{3, 'x'});
  comes_back(std::array<int, 3>{1, 2, 3});
  comes_back(std::string("a\0b", 3));
  comes_back(std::vector<std::string>{"", "one"});
  comes_back(std::vector<std::vector<int>>{{}, {1, 2}});
  for (const std::size_t n : {0, 1, 8, 9, 1'000}) {
    std::vector<bool> bits(n);
    for (std::size_t i = 0; i < n; i += 3) bits[i] = true;
    comes_back(bits);
    EXPECT_EQ(bytes_of(bits).size(), 4 + (n + 7) / 8);
  }
  comes_back(std::vector<std::vector<bool>>{{true}, {}, {false, true}});
  comes_back(std::optional<std::string>("x"));
  comes_back(std::optional<int>());
  comes_back(std::pair<std::string, int>("x", 2));
  comes_back(std::tuple<>());
  comes_back(std::tuple<std::string, double, std::optional<int>>("x", 0.5, 3));
  comes_back(reading{"outside", -3.5});
}

struct inside {
  std::array<char, 20> name;
  std::chrono::nanoseconds when;
  plain parts[2];
};
struct nothing {};
struct points_at_last {
  nothing at_first;
  inside then;
  const char* text;
};
struct has_view {
  int n;
  std::string_view text;
};
struct derived : plain {
  int* p;
};

TEST(Codec, WhatPointsSomewhereDoesNotTravelAsItLies) {
  static_assert(tw::can_travel<plain> && tw::can_travel<inside> && tw::can_travel<nothing>);
  static_assert(!tw::can_travel<points_at_last> && !tw::can_travel<has_view> && !tw::can_travel<derived>);
  static_assert(!tw::can_travel<std::array<int*, 2>> && !tw::can_travel<int*>);
}

TEST(Codec, OnlyTheMembersThatAreNamedTravel) {
  EXPECT_EQ(tw::decode<reading>(bytes_of(reading{"a", 1, 99})), (reading{"a", 1, -1}));
}

TEST(Codec, ATypesOwnCodecIsUsedInsideOfOthers) {
  EXPECT_EQ(bytes_of(celsius{1.5}).size(), 4U);
  EXPECT_EQ(bytes_of(std::vector<celsius>{{1.5}, {2}}).size(), 4U + 2 * 4U);
  EXPECT_EQ(tw::decode<std::vector<celsius>>(bytes_of(std::vector<celsius>{{1.5}, {2}})).at(0).degrees, 1.5);
}

TEST(Codec, AnItemThatIsAloneMayHaveOtherBytes) {
  EXPECT_EQ(bytes_of(line{"abc"}).size(), 3U);
  EXPECT_EQ(tw::decode<line>(bytes_of(line{"abc"})).text, "abc");
  // Among others its end has to be known.
  EXPECT_EQ(bytes_of(std::vector<line>{{"abc"}, {""}}).size(), 4U + 4U + 3U + 4U);
  EXPECT_EQ(tw::decode<std::vector<line>>(bytes_of(std::vector<line>{{"abc"}, {"d"}})).at(1).text, "d");
}

TEST(Codec, AReaderSaysWhetherABlockIsThere) {
  std::vector<std::byte> bytes(tw::least_block), item(tw::least_block);
  std::vector<std::span<std::byte>> places;
  EXPECT_TRUE(tw::byte_reader(bytes).block(item.data(), item.size()));
  EXPECT_FALSE(tw::byte_reader({}, item.size(), places).block(item.data(), item.size()));
  EXPECT_TRUE(tw::byte_reader(bytes, item.size(), places).block(item.data(), item.size() - 1));
}

TEST(Codec, TagsTellItemsApart) {
  EXPECT_EQ(tw::tag_of<int>(), "i32");
  EXPECT_EQ(tw::tag_of<std::uint64_t>(), "u64");
  EXPECT_EQ(tw::tag_of<colour>(), "u8");
  EXPECT_EQ(tw::tag_of<std::vector<float>>(), "[f32]");
  EXPECT_EQ(tw::tag_of<std::vector<bool>>(), "[bit]");
  EXPECT_EQ(tw::tag_of<reading>(), "{text,f64}");
  EXPECT_EQ((tw::tag_of<std::pair<std::optional<bool>, celsius>>()), "{?bool,celsius, in thousandths}");
  EXPECT_NE(tw::tag_of<plain>().find("plain (8 bytes)"), std::string::npos) << tw::tag_of<plain>();
}

TEST(Codec, WrongBytesAreFound) {
  EXPECT_EQ(complaint<int>(std::vector<std::byte>(3)),
            "an item is cut off: 4 bytes should follow, but only 3 do");
  EXPECT_EQ(complaint<int>(std::vector<std::byte>(5)), "an item has 1 bytes too many");
  auto text = bytes_of(std::string("abc"));
  text.pop_back();
  EXPECT_EQ(complaint<std::string>(text),
            "an item is cut off: 3 more elements should follow, but only 2 bytes do");
  // A number of elements that would need more memory than there is must not be believed.
  EXPECT_EQ(complaint<std::vector<double>>(std::vector<std::byte>(12, std::byte{0xFF})),
            "an item is cut off: 4294967295 more elements should follow, but only 8 bytes do");
  EXPECT_EQ(complaint<std::vector<bool>>(std::vector<std::byte>(12, std::byte{0xFF})),
            "an item is cut off: 536870912 bytes should follow, but only 8 do");
}

}  // namespace
