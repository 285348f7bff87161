#include "spb/detail/batch.hpp"

#include <array>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "allocations.hpp"
#include "spb/detail/single.hpp"

namespace {

using spb::detail::batch;
using spb::detail::single;
using big = std::array<int, 100>;

std::vector<int> elements_of(const batch<int>& item) {
  return {item.begin(), item.end()};
}

TEST(Batch, OfOneElementAllocatesNothing) {
  const auto before = allocations.load();
  batch<big> item;
  item.append({1});
  auto moved = std::move(item);
  const auto copied = moved;
  EXPECT_EQ(copied.begin()->front(), 1);
  EXPECT_EQ(allocations.load(), before);
  moved.append({2});
  EXPECT_GT(allocations.load(), before);
}

TEST(Batch, HoldsElementsInTheirOrder) {
  batch<int> item;
  EXPECT_FALSE(item);
  for (int i = 0; i < 5; ++i) {
    item.append(i);
    EXPECT_EQ(item.size(), i + 1U);
  }
  EXPECT_TRUE(item);
  EXPECT_EQ(elements_of(item), (std::vector{0, 1, 2, 3, 4}));
  item.clear();
  EXPECT_TRUE(item.empty());
  item.append(9);
  EXPECT_EQ(elements_of(item), std::vector{9});
}

TEST(Batch, DropsElements) {
  batch<int> item;
  for (int i = 0; i < 5; ++i) item.append(i);
  item.drop_if([](int i) { return i % 2 == 1; });
  EXPECT_EQ(elements_of(item), (std::vector{0, 2, 4}));
  item.drop_if([](int) { return true; });
  EXPECT_FALSE(item);
  item.append(7);
  EXPECT_EQ(elements_of(item), std::vector{7});
  item.drop_if([](int i) { return i == 7; });
  EXPECT_TRUE(item.empty());
}

TEST(Single, HoldsAnElementOrNone) {
  single<int> item;
  EXPECT_FALSE(item);
  item.renew() = 3;
  EXPECT_TRUE(item);
  EXPECT_EQ(std::vector<int>(item.begin(), item.end()), std::vector{3});
  item.drop_if([](int i) { return i == 4; });
  EXPECT_EQ(item.size(), 1U);
  item.drop_if([](int i) { return i == 3; });
  EXPECT_TRUE(item.empty());
  EXPECT_EQ(item.begin(), item.end());
}

}  // namespace
