#include <thalweg/pipe/size_of.hpp>

#include <any>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace shop {
struct parcel {
  std::size_t weight;
};
std::size_t thalweg_size_of(const parcel& p) {
  return p.weight;
}

struct crate {
  std::size_t weight;
  std::size_t size_of() const { return weight; }
};
}  // namespace shop

namespace {

using thalweg::size_of;

struct plain {
  int a = 0;
  double b = 0;
};

// As cv::Mat: counts its elements itself.
struct matrix {
  std::size_t total() const { return 100; }
  std::size_t elemSize() const { return 3; }
};

// As a JSON value: a container of its own kind, in which a number contains itself.
struct value {
  using value_type = value;
  std::string name = "long enough to be on the heap";
  std::size_t size() const { return 1; }
  const value* begin() const { return this; }
  const value* end() const { return this + 1; }
};

struct abstract {
  virtual ~abstract() = default;
  virtual void f() = 0;
};

TEST(SizeOf, PlainTypesCountWhatTheyAre) {
  EXPECT_EQ(size_of(7), sizeof(int));
  EXPECT_EQ(size_of(plain{}), sizeof(plain));
  EXPECT_EQ(size_of(std::array<char, 100>{}), 100U);
}

TEST(SizeOf, ContainersCountWhatTheyHold) {
  EXPECT_EQ(size_of(std::vector<int>(1000)), sizeof(std::vector<int>) + 1000 * sizeof(int));
  EXPECT_EQ(size_of(std::string(1000, 'x')), sizeof(std::string) + 1000);
  EXPECT_EQ(size_of(std::list<int>(10)), sizeof(std::list<int>) + 10 * sizeof(int));
}

TEST(SizeOf, ContainersOfContainersCountAllLevels) {
  const std::vector<std::vector<char>> nested(3, std::vector<char>(1000));
  EXPECT_EQ(size_of(nested), sizeof nested + 3 * (sizeof(std::vector<char>) + 1000));
  const std::map<int, std::string> map{{1, std::string(500, 'x')}};
  EXPECT_GE(size_of(map), sizeof map + sizeof(std::pair<const int, std::string>));
}

TEST(SizeOf, SmartPointersCountWhatTheyPointTo) {
  EXPECT_EQ(size_of(std::make_unique<std::vector<char>>(5000)),
            sizeof(std::unique_ptr<std::vector<char>>) + sizeof(std::vector<char>) + 5000);
  EXPECT_EQ(size_of(std::shared_ptr<int>()), sizeof(std::shared_ptr<int>));
  EXPECT_EQ(size_of(std::unique_ptr<abstract>()), sizeof(std::unique_ptr<abstract>));
  EXPECT_EQ(size_of(std::unique_ptr<char[]>(new char[10])), sizeof(std::unique_ptr<char[]>));
}

TEST(SizeOf, OptionalsCountWhatTheyHold) {
  EXPECT_GE(size_of(std::optional(std::vector<char>(5000))), 5000U);
  EXPECT_EQ(size_of(std::optional<std::vector<char>>()), sizeof(std::optional<std::vector<char>>));
}

TEST(SizeOf, PairsAndTuplesCountWhatTheyHold) {
  EXPECT_GE(size_of(std::pair(1, std::vector<char>(5000))), 5000U);
  EXPECT_GE(size_of(std::tuple(1, std::string(300, 'x'), std::vector<char>(5000))), 5300U);
}

TEST(SizeOf, WhatIsSharedCountsOnlyWhileNobodyElseHasIt) {
  using pointer = std::shared_ptr<std::vector<char>>;
  const pointer mine = std::make_shared<std::vector<char>>(5000);
  const auto whole = sizeof(pointer) + sizeof(std::vector<char>) + 5000;
  EXPECT_EQ(size_of(mine), whole);
  const std::weak_ptr<std::vector<char>> watching = mine;
  EXPECT_EQ(size_of(mine), whole);
  {
    const pointer theirs = mine;
    EXPECT_EQ(size_of(mine), sizeof(pointer));
    EXPECT_EQ(size_of(theirs), sizeof(pointer));
  }
  EXPECT_EQ(size_of(mine), whole) << "they have given it back";
  const std::vector<pointer> twice{mine, mine};
  EXPECT_EQ(size_of(twice), sizeof twice + 2 * sizeof(pointer));
}

TEST(SizeOf, ATypeMayCountItself) {
  EXPECT_EQ(size_of(shop::parcel{12'345}), 12'345U);
  EXPECT_EQ(size_of(shop::crate{777}), 777U);
  EXPECT_EQ(size_of(matrix{}), sizeof(matrix) + 300);
  EXPECT_EQ(size_of(std::vector<shop::parcel>{{10}, {20}}), sizeof(std::vector<shop::parcel>) + 30);
}

struct inner {
  int number;
  std::string text;
};
struct outer {
  std::array<inner, 2> two;
  char flags[3];
  std::string names[2];
  inner one;
  std::unique_ptr<inner> pointer;
  std::vector<inner> many;
};
TEST(SizeOf, AggregatesCountWhatTheirMembersHold) {
  EXPECT_EQ(size_of(inner{1, std::string(1000, 'x')}), sizeof(inner) + 1000);
  const std::string s(1000, 'x');
  const outer all{{{{1, s}, {2, s}}}, {}, {s, s}, {3, s}, std::make_unique<inner>(inner{4, s}),
                  {{5, s}, {6, s}}};
  EXPECT_EQ(size_of(all), sizeof(outer) + 8 * s.size() + 3 * sizeof(inner));
  EXPECT_EQ(size_of(std::vector<inner>{{1, s}, {2, s}}),
            sizeof(std::vector<inner>) + 2 * (sizeof(inner) + 1000));
}

struct no_default {
  explicit no_default(int n) : number(n) {}
  int number;
};
struct tree {
  std::string name;
  std::vector<tree> children;
};
struct with_array_of_no_default {
  no_default first;
  no_default several[2];
  std::string text;
};
struct bits {
  unsigned low : 3;
  unsigned high : 5;
  std::string text;
};
struct counted_inside {
  shop::parcel heavy;
  std::string text;
};
TEST(SizeOf, AggregatesOfUnusualMembers) {
  const std::string s(1000, 'x');
  EXPECT_EQ(size_of(tree{s, {{s, {}}, {s, {}}}}), 3 * (sizeof(tree) + 1000));
  EXPECT_EQ(size_of(with_array_of_no_default{no_default(1), {no_default(2), no_default(3)}, s}),
            sizeof(with_array_of_no_default) + 1000);
  EXPECT_EQ(size_of(bits{1, 2, s}), sizeof(bits) + 1000);
  EXPECT_EQ(size_of(counted_inside{{5'000}, s}),
            sizeof(counted_inside) + 5'000 - sizeof(shop::parcel) + 1000);
  struct with_function {
    std::function<void()> f;
    std::mutex* lock;
    std::any anything;
    std::string text;
  };
  EXPECT_GE(size_of(with_function{{}, nullptr, {}, s}), sizeof(with_function));
  struct with_atomic {
    std::atomic<int> n;
    std::string text;
  };
  const with_atomic a{{1}, s};
  EXPECT_EQ(size_of(a), sizeof(with_atomic) + 1000);
}

struct derived : inner {
  int more;
};
struct with_union {
  int kind;
  union {
    int i;
    double d;
  };
  std::string text;
};
struct with_reference {
  std::string& there;
  std::string text;
};
class closed {
 public:
  explicit closed(std::string t) : text_(std::move(t)) {}

 private:
  std::string text_;
};
TEST(SizeOf, WhatCannotBeLookedThroughCountsItself) {
  std::string s(1000, 'x');
  EXPECT_EQ(size_of(derived{{1, s}, 2}), sizeof(derived));
  EXPECT_EQ(size_of(with_union{1, {2}, s}), sizeof(with_union));
  EXPECT_EQ(size_of(with_reference{s, s}), sizeof(with_reference));
  EXPECT_EQ(size_of(closed(s)), sizeof(closed));
}

TEST(SizeOf, VariantsCountWhatTheyHold) {
  using text_or_number = std::variant<int, std::string>;
  EXPECT_EQ(size_of(text_or_number(std::string(1000, 'x'))), sizeof(text_or_number) + 1000);
  EXPECT_EQ(size_of(text_or_number(7)), sizeof(text_or_number));
}

TEST(SizeOf, AContainerOfItselfHasAnEnd) {
  EXPECT_EQ(size_of(value{}), sizeof(value) + value{}.name.size());
}

TEST(SizeOf, RawPointersOwnNothing) {
  const int x = 0;
  EXPECT_EQ(size_of(&x), sizeof(const int*));
}

TEST(SizeOf, KnowsWhichTypesAreAllOfOneSize) {
  using thalweg::pipe::has_fixed_size;
  static_assert(has_fixed_size<int>);
  static_assert(has_fixed_size<plain>);
  static_assert(!has_fixed_size<std::string>);
  static_assert(!has_fixed_size<shop::parcel>);
  static_assert(!has_fixed_size<shop::crate>);
  SUCCEED();
}

}  // namespace
