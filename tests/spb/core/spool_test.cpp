#include "spb/detail/spool.hpp"

#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

namespace {

using spb::detail::spool;

TEST(Spool, GivesBackWhatItTookAndHoldsLittle) {
  spool<long> numbers;
  constexpr long all = 10'000;
  for (long i = 0; i < all; ++i) numbers.push_back(i);
  EXPECT_EQ(numbers.size(), static_cast<std::size_t>(all));
  EXPECT_LT(numbers.in_memory(), spool<long>::held);
  for (int twice = 0; twice < 2; ++twice) {
    long next = 0;
    numbers.for_each([&](long i) { EXPECT_EQ(i, next++); });
    EXPECT_EQ(next, all + twice);
    numbers.push_back(all + twice);  // and takes more behind a reading
  }
}

TEST(Spool, OfAFewNeedsNoFile) {
  spool<int> numbers;
  EXPECT_TRUE(numbers.empty());
  numbers.for_each([](int) { FAIL(); });
  numbers.push_back(7);
  const auto moved = std::move(numbers);
  int seen = 0;
  moved.for_each([&](int i) { seen = i; });
  EXPECT_EQ(seen, 7);
}

}  // namespace
