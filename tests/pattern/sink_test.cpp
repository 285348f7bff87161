#include <thalweg/thalweg.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

namespace {

class Sink : public under_every_policy {};
FOR_EVERY_POLICY(Sink);

auto numbers() {
  return tw::source(std::vector{3, 1, 2});
}

TEST_P(Sink, CallsWithEachItemInOrder) {
  std::vector<int> seen;
  tw::run(numbers() | tw::sink([&](int x) { seen.push_back(x); }), policy());
  EXPECT_THAT(seen, ElementsAre(3, 1, 2));
}

TEST_P(Sink, TakesItsItemInEveryWay) {
  std::string seen;
  const auto words = tw::source(std::vector<std::string>{"a", "b"});
  tw::run(words | tw::sink([&](std::string s) { seen += s; }), policy());
  tw::run(words | tw::sink([&](const std::string& s) { seen += s; }), policy());
  tw::run(words | tw::sink([&](std::string&& s) { seen += std::move(s); }), policy());
  tw::run(words | tw::sink([&](std::string& s) { seen += s; }), policy());
  tw::run(words | tw::sink([&](auto&& s) { seen += s; }), policy());
  tw::run(words | tw::sink([&](const std::string& s, std::stop_token) { seen += s; }), policy());
  EXPECT_EQ(seen, "abababababab");
}

TEST_P(Sink, AppendsToContainers) {
  std::vector<int> vector;
  std::deque<long> deque;
  std::list<int> list;
  std::set<int> set;
  std::unordered_set<int> hashes;
  std::string letters;
  tw::run(numbers() | tw::sink(vector), policy());
  tw::run(numbers() | tw::sink(deque), policy());
  tw::run(numbers() | tw::sink(list), policy());
  tw::run(numbers() | tw::sink(set), policy());
  tw::run(numbers() | tw::sink(hashes), policy());
  tw::run(numbers() | tw::map([](int x) { return static_cast<char>('a' + x); }) | tw::sink(letters),
          policy());
  EXPECT_THAT(vector, ElementsAre(3, 1, 2));
  EXPECT_THAT(deque, ElementsAre(3, 1, 2));
  EXPECT_THAT(list, ElementsAre(3, 1, 2));
  EXPECT_THAT(set, ElementsAre(1, 2, 3));
  EXPECT_THAT(hashes, UnorderedElementsAre(1, 2, 3));
  EXPECT_EQ(letters, "dbc");
}

TEST_P(Sink, AppendsToWhatIsThere) {
  std::vector<int> seen{9};
  const auto job = numbers() | tw::sink(seen);
  tw::run(job, policy());
  tw::run(job, policy());
  EXPECT_THAT(seen, ElementsAre(9, 3, 1, 2, 3, 1, 2));
}

TEST_P(Sink, AppendsMoveOnlyItems) {
  std::vector<std::unique_ptr<int>> seen;
  tw::run(numbers() | tw::map([](int x) { return std::make_unique<int>(x); }) | tw::sink(seen), policy());
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(*seen[0], 3);
}

TEST_P(Sink, WritesThroughIterators) {
  std::vector<int> appended;
  tw::run(numbers() | tw::sink(std::back_inserter(appended)), policy());
  EXPECT_THAT(appended, ElementsAre(3, 1, 2));

  int array[3] = {};
  tw::run(numbers() | tw::sink(array + 0), policy());
  EXPECT_THAT(array, ElementsAre(3, 1, 2));

  std::ostringstream text;
  tw::run(numbers() | tw::sink(std::ostream_iterator<int>(text, ",")), policy());
  EXPECT_EQ(text.str(), "3,1,2,");
}

struct total {
  int* sum;
  void operator()(int x) { *sum += x; }
};

std::atomic<int> last_number{0};
void keep_last(int x) {
  last_number = x;
}

TEST_P(Sink, EveryKindOfCallableWillDo) {
  tw::run(numbers() | tw::sink(keep_last), policy());
  EXPECT_EQ(last_number, 2);
  int sum = 0;
  tw::run(numbers() | tw::sink(total{&sum}), policy());
  const std::function<void(int)> add = [&](int x) { sum += x; };
  tw::run(numbers() | tw::sink(add), policy());
  EXPECT_EQ(sum, 12);
}

TEST_P(Sink, WhatItReturnsIsIgnored) {
  int calls = 0;
  tw::run(numbers() | tw::sink([&](int) { return ++calls; }), policy());
  EXPECT_EQ(calls, 3);
}

TEST_P(Sink, IsSerial) {
  std::atomic<int> inside{0};
  bool alone = true;
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 20'000)) | tw::farm([](int x) { return x; }, {.replicas = 4}) |
              tw::sink([&](int x) {
                alone = alone && inside.fetch_add(1) == 0;
                seen.push_back(x);
                --inside;
              }),
          policy());
  EXPECT_TRUE(alone);
  ASSERT_EQ(seen.size(), 20'000U);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

}  // namespace
