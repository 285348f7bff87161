// Items that cereal serialises: with its own types, functions of a type and outside of it, pointers to bases.
#include <thalweg/model/cereal.hpp>

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cereal/types/base_class.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

#include "model/by_blocks.hpp"

namespace tw = thalweg;

namespace cereal_items {

struct reading {
  std::map<std::string, std::vector<double>> values;
  bool good = false;
  template <class Archive> void serialize(Archive& archive) { archive(CEREAL_NVP(values), good); }
  bool operator==(const reading&) const = default;
};

// Looks at what it has read: that has to be there.
struct checked {
  std::vector<int> numbers;
  long sum = 0;
  template <class Archive> void save(Archive& archive) const { archive(numbers); }
  template <class Archive> void load(Archive& archive) {
    archive(numbers);
    for (const int x : numbers) sum += x;
  }
};

struct shape {
  virtual ~shape() = default;
  [[nodiscard]] virtual double area() const = 0;
};
struct square : shape {
  double side = 0;
  [[nodiscard]] double area() const override { return side * side; }
  template <class Archive> void serialize(Archive& archive) { archive(side); }
};
struct drawing {
  std::vector<std::shared_ptr<shape>> shapes;
};
template <class Archive> void serialize(Archive& archive, drawing& x) {
  archive(x.shapes);
}

}  // namespace cereal_items

CEREAL_REGISTER_TYPE(cereal_items::square)
CEREAL_REGISTER_POLYMORPHIC_RELATION(cereal_items::shape, cereal_items::square)

template <> struct tw::codec<cereal_items::reading> : tw::codec_by_cereal<cereal_items::reading> {};
template <> struct tw::codec<cereal_items::checked> : tw::codec_by_cereal<cereal_items::checked> {};
template <> struct tw::codec<cereal_items::drawing> : tw::codec_by_cereal<cereal_items::drawing> {};

namespace {

using namespace cereal_items;

TEST(Cereal, ItemsComeBackAsTheyWent) {
  const reading all{{{"indoors", {20.5, 21}}, {"out", std::vector<double>(5'000, 3)}}, true};
  EXPECT_EQ(sent_by_blocks(all).received(), all);
  EXPECT_EQ(sent_by_blocks(reading{}).received(), reading{});
  // As an element of what the library sends itself.
  const std::vector<reading> several{all, {}, all};
  EXPECT_EQ(sent_by_blocks(several).received(), several);
}

TEST(Cereal, LoadSeesWhatItHasRead) {
  const checked large{std::vector<int>(10'000, 2)};
  EXPECT_EQ(sent_by_blocks(large).received().sum, 20'000);
}

TEST(Cereal, PointersToBasesAndWhatTheyShare) {
  auto one = std::make_shared<square>();
  one->side = 3;
  const drawing twice{{one, one, nullptr}};
  const auto came = sent_by_blocks(twice).received();
  ASSERT_EQ(came.shapes.size(), 3U);
  ASSERT_NE(came.shapes[0], nullptr);
  EXPECT_EQ(came.shapes[0]->area(), 9);
  EXPECT_EQ(came.shapes[0], came.shapes[1]);
  EXPECT_EQ(came.shapes[2], nullptr);
}

TEST(Cereal, TagsNameTheType) {
  EXPECT_NE(tw::tag_of<reading>(), tw::tag_of<checked>());
  EXPECT_NE(tw::tag_of<reading>().find("cereal_items::reading"), std::string::npos);
}

TEST(Cereal, BytesThatAreWrong) {
  std::vector<std::byte> bytes;
  tw::encode(reading{{{"a", {1, 2, 3}}}, true}, bytes);
  bytes.pop_back();
  EXPECT_THROW((void)tw::decode<reading>(bytes), tw::codec_error);
  bytes.resize(bytes.size() + 2);
  EXPECT_THROW((void)tw::decode<reading>(bytes), tw::codec_error);
  // A type that nobody has registered.
  tw::encode(drawing{{std::make_shared<square>()}}, bytes);
  const std::string name = "square";
  for (std::size_t i = 0; i + name.size() < bytes.size(); ++i) {
    if (std::memcmp(bytes.data() + i, name.data(), name.size()) == 0) bytes[i] = std::byte{'?'};
  }
  EXPECT_THROW((void)tw::decode<drawing>(bytes), tw::codec_error);
}

}  // namespace
