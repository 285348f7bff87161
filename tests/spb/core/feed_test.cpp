#include "spb/detail/feed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/message.hpp"
#include "spb/detail/batch.hpp"
#include "spb/detail/early_end.hpp"
#include "spb/detail/intake.hpp"
#include "stages/scratch.hpp"

namespace {

using namespace std::chrono_literals;
using spb::detail::batch;
using spb::detail::feed;
using testing::HasSubstr;
using clock = std::chrono::steady_clock;

struct counter {
  int last = 0;
  int next = 0;
  std::chrono::milliseconds each{0};
  std::optional<int> operator()() {
    if (each.count() > 0) std::this_thread::sleep_for(each);
    return next < last ? std::optional(next++) : std::nullopt;
  }
};
using pull = spb::detail::appending<counter>;
using numbers = spb::detail::intake<batch<int>, pull>;

std::vector<std::size_t> sizes(numbers& from, feed& by) {
  std::vector<std::size_t> seen;
  int next = 0;
  for (batch<int> item; from.take(by, item);) {
    EXPECT_EQ(item.batch_index, seen.size());
    for (const int i : item) EXPECT_EQ(i, next++);
    seen.push_back(item.size());
  }
  return seen;
}

class Feed : public testing::Test {
 protected:
  void SetUp() override {
    spb::detail::forget_failure();
    spb::detail::forget_early_end();
  }
};

TEST_F(Feed, SaysHowManyItemsAreDue) {
  numbers from(pull{{100'000}});
  feed by;
  const auto begin = [&] {
    batch<int> item;
    EXPECT_TRUE(from.take(by, item));
  };
  EXPECT_EQ(by.items_due(), std::nullopt) << "elements come as they can be had";
  by.set_frequency(spb::detail::make_constant(10'000));
  EXPECT_EQ(by.items_due(), std::nullopt) << "it has not begun";
  begin();
  EXPECT_EQ(by.items_due(), 10'000);
  by.set_batch_size(100);
  EXPECT_EQ(by.items_due(), 100);
  by.set_batch_interval(0.0049);
  EXPECT_DOUBLE_EQ(by.items_due().value_or(0), 200) << "the interval closes items with 50 elements";
  by.set_batch_size(0);
  EXPECT_DOUBLE_EQ(by.items_due().value_or(0), 200);
  by.set_batch_bytes(1);
  EXPECT_EQ(by.items_due(), std::nullopt) << "nobody knows how many elements have so many bytes";
}

TEST_F(Feed, GivesItemsOfOneElement) {
  numbers from(pull{{4}});
  feed by;
  EXPECT_EQ(sizes(from, by), (std::vector<std::size_t>{1, 1, 1, 1}));
}

TEST_F(Feed, TheLastBatchMayBeShort) {
  numbers from(pull{{10}});
  feed by;
  by.set_batch_size(4);
  EXPECT_EQ(sizes(from, by), (std::vector<std::size_t>{4, 4, 2}));
}

TEST_F(Feed, BatchesChangeWhileTheStreamRuns) {
  numbers from(pull{{6}});
  feed by;
  batch<int> item;
  by.set_batch_size(3);
  ASSERT_TRUE(from.take(by, item));
  EXPECT_EQ(item.size(), 3U);
  by.set_batch_size(2);
  ASSERT_TRUE(from.take(by, item));
  EXPECT_EQ(item.size(), 2U);
  by.set_batch_size(0);
  ASSERT_TRUE(from.take(by, item));
  EXPECT_EQ(item.size(), 1U);
  EXPECT_FALSE(from.take(by, item));
}

TEST_F(Feed, AnIntervalClosesBatches) {
  numbers from(pull{{1'000, 0, 2ms}});
  feed by;
  by.set_batch_interval(0.02);
  batch<int> item;
  const auto begin = clock::now();
  ASSERT_TRUE(from.take(by, item));
  EXPECT_GE(clock::now() - begin, 20ms);
  EXPECT_GE(item.size(), 1U);
  EXPECT_LE(item.size(), 11U);
}

// Has three elements at once, and never says when the next one comes.
struct silent {
  int next = 0;
  std::optional<int> operator()() { return next++; }
  bool ready_by(std::int64_t until_ns) const {
    if (next < 3) return true;
    std::this_thread::sleep_for(std::chrono::nanoseconds(until_ns - thalweg::observe::now_ns()));
    return false;
  }
};

TEST_F(Feed, ABatchIsClosedInTimeThoughNoElementComes) {
  using pull_silent = spb::detail::appending<silent>;
  spb::detail::intake<batch<int>, pull_silent> from(pull_silent{});
  feed by;
  by.set_batch_interval(0.02);
  by.set_batch_size(100);
  batch<int> item;
  const auto begin = clock::now();
  ASSERT_TRUE(from.take(by, item));
  EXPECT_GE(clock::now() - begin, 20ms);
  EXPECT_EQ(item.size(), 3U);
}

TEST_F(Feed, WhateverComesFirstClosesABatch) {
  numbers from(pull{{1'000}});
  feed by;
  by.set_batch_interval(100);
  by.set_batch_size(5);
  batch<int> item;
  ASSERT_TRUE(from.take(by, item));
  EXPECT_EQ(item.size(), 5U);
}

TEST_F(Feed, BytesCloseBatches) {
  numbers from(pull{{10}});
  feed by;
  by.set_batch_bytes(3 * sizeof(int));
  EXPECT_EQ(sizes(from, by), (std::vector<std::size_t>{3, 3, 3, 1}));
}

TEST_F(Feed, TheElementThatFillsABatchIsInIt) {
  numbers from(pull{{5}});
  feed by;
  by.set_batch_bytes(sizeof(int) + 1);
  EXPECT_EQ(sizes(from, by), (std::vector<std::size_t>{2, 2, 1}));
}

TEST_F(Feed, BytesOrElementsCloseABatch) {
  numbers from(pull{{9}});
  feed by;
  by.set_batch_bytes(5 * sizeof(int));
  by.set_batch_size(4);
  EXPECT_EQ(sizes(from, by), (std::vector<std::size_t>{4, 4, 1}));
  numbers again(pull{{9}});
  by.set_batch_bytes(2 * sizeof(int));
  EXPECT_EQ(sizes(again, by), (std::vector<std::size_t>{2, 2, 2, 2, 1}));
  by.set_batch_bytes(0);
  by.set_batch_size(0);
  EXPECT_TRUE(by.plain());
}

TEST_F(Feed, BytesCloseBatchesUnderAFrequency) {
  numbers from(pull{{21}});
  feed by;
  by.set_frequency(spb::detail::make_constant(400));
  by.set_batch_bytes(4 * sizeof(int));
  const auto begin = clock::now();
  EXPECT_EQ(sizes(from, by), (std::vector<std::size_t>{4, 4, 4, 4, 4, 1}));
  EXPECT_GE(clock::now() - begin, 50ms);
}

TEST_F(Feed, AnIntervalClosesABatchOfBytesUnderAFrequency) {
  numbers from(pull{{100}});
  feed by;
  by.set_frequency(spb::detail::make_constant(100));
  by.set_batch_bytes(1'000);
  by.set_batch_interval(0.035);
  batch<int> item;
  ASSERT_TRUE(from.take(by, item));
  EXPECT_EQ(item.size(), 4U);  // due at 0, 10, 20 and 30 ms
}

TEST_F(Feed, BytesAreThoseBehindPointersAndInVariants) {
  using spb::detail::bytes_of;
  const std::vector<int> three(3);
  const auto plain = bytes_of(three);
  EXPECT_GE(plain, 3 * sizeof(int));
  EXPECT_EQ(bytes_of(std::make_shared<std::vector<int>>(3)), plain);
  EXPECT_EQ(bytes_of(std::shared_ptr<int>()), 0U);
  EXPECT_EQ(bytes_of(std::variant<char, std::vector<int>>(three)), plain);
  EXPECT_EQ(bytes_of(std::variant<char, std::vector<int>>('x')), 1U);
}

TEST_F(Feed, ElementsComeWhenTheyAreDue) {
  numbers from(pull{{21}});
  feed by;
  by.set_frequency(spb::detail::make_constant(400));
  const auto begin = clock::now();
  EXPECT_EQ(sizes(from, by).size(), 21U);
  EXPECT_GE(clock::now() - begin, 50ms);
}

TEST_F(Feed, LateElementsAreCaughtUpWithPassedOverOrMoved) {
  const auto with = [](thalweg::when_late policy, feed& by) {
    numbers from(pull{{100}});
    by.set_late(policy);
    by.set_frequency(spb::detail::make_constant(1'000));
    batch<int> item;
    EXPECT_TRUE(from.take(by, item));
    const auto first = item.timestamp;
    std::this_thread::sleep_for(30ms);
    std::vector<std::int64_t> due;  // of the next three, in ms since the first
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(from.take(by, item));
      EXPECT_EQ(*item.begin(), i + 1);  // no element is lost: moments are passed over
      due.push_back((item.timestamp - first + 500'000) / 1'000'000);
    }
    return due;
  };
  feed open, skipping, closed;
  EXPECT_EQ(with(thalweg::when_late::catch_up, open), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(open.passed_over(), 0U);
  const auto skipped = with(thalweg::when_late::skip, skipping);
  EXPECT_GE(skipped[0], 29);
  EXPECT_EQ(skipping.passed_over(), static_cast<std::uint64_t>(skipped[2] - 3));
  const auto moved = with(thalweg::when_late::closed_loop, closed);
  EXPECT_EQ(moved[0], 1);  // was due already when the stream was busy
  EXPECT_GE(moved[1], 30);
  EXPECT_EQ(closed.passed_over(), 0U);
}

TEST_F(Feed, ABatchUnderAFrequencyWaitsForTheInterval) {
  numbers from(pull{{100}});
  feed by;
  by.set_frequency(spb::detail::make_constant(100));
  by.set_batch_interval(0.035);
  batch<int> item;
  ASSERT_TRUE(from.take(by, item));
  EXPECT_EQ(item.size(), 4U);  // due at 0, 10, 20 and 30 ms
  EXPECT_NE(item.timestamp, 0);
}

TEST_F(Feed, TellsTheFrequencyOfNow) {
  feed by;
  EXPECT_EQ(by.frequency(), 0);
  by.set_frequency(spb::detail::make_pattern("increasing", 0.02, 100, 1'000));
  EXPECT_EQ(by.frequency(), 100);  // nothing has begun
  by.wait();
  std::this_thread::sleep_for(25ms);
  EXPECT_EQ(by.frequency(), 1'000);
}

TEST_F(Feed, ItemsUnderWayAreClosedWhenThereIsNoFrequencyAnyMore) {
  feed by;
  by.set_frequency(spb::detail::make_constant(1e6));
  by.set_batch_interval(1e6);
  feed::due_elements item;
  EXPECT_TRUE(by.wait_for_next(item));
  by.clear_frequency();
  EXPECT_FALSE(by.wait_for_next(item));
  EXPECT_EQ(item.count, 1U);
  EXPECT_EQ(by.frequency(), 0);
  EXPECT_FALSE(by.paced());
}

TEST_F(Feed, MayBeSetAsAnotherIs) {
  feed like, by;
  by.set_as(like);
  EXPECT_TRUE(by.plain());
  like.set_batch_size(2);
  like.set_batch_bytes(5);
  like.set_batch_interval(3);
  like.set_frequency(spb::detail::make_constant(400));
  by.set_as(like);
  EXPECT_EQ(by.most(), 2U);
  EXPECT_EQ(by.most_bytes(), 5U);
  by.set_batch_bytes(0);
  EXPECT_EQ(by.interval_ns(), 3'000'000'000);
  numbers from(pull{{21}});
  const auto begin = clock::now();
  EXPECT_EQ(sizes(from, by).size(), 11U);
  EXPECT_GE(clock::now() - begin, 50ms);
}

TEST_F(Feed, WaitingEndsWhenTheStreamFails) {
  numbers from(pull{{2}});
  feed by;
  by.set_frequency(spb::detail::make_constant(0.01));
  batch<int> item;
  ASSERT_TRUE(from.take(by, item));
  std::jthread breaks([] {
    std::this_thread::sleep_for(5ms);
    spb::detail::keep_failure(std::make_exception_ptr(std::runtime_error("broken")));
  });
  EXPECT_FALSE(from.take(by, item));
}

// A trace with so many moments, of which the first is now.
spb::detail::rate moments(int count) {
  const scratch dir;
  std::string lines;
  for (int i = 0; i < count; ++i) lines += "0." + std::to_string(1'000 + i).substr(1) + "\n";
  return spb::detail::parse_pattern("trace," + dir.write("trace.csv", lines).string());
}

TEST_F(Feed, AFrequencyThatEndsBeforeTheInputIsAnError) {
  const auto check = [](int elements, const spb::detail::rate& frequency, std::uint64_t bytes = 0) {
    numbers from(pull{{elements}});
    feed by;
    by.set_frequency(frequency);
    by.set_batch_bytes(bytes);
    for (batch<int> item; from.take(by, item);) {
    }
    spb::detail::check_early_end();
  };
  const auto slow = spb::detail::make_constant(1e-300);
  EXPECT_THAT(message_of([&] { check(3, moments(2)); }), HasSubstr("the stream ends before its input"));
  EXPECT_THAT(message_of([&] { check(3, moments(2), 99); }), HasSubstr("the stream ends before its input"));
  EXPECT_THAT(message_of([&] { check(2, slow); }), HasSubstr("the frequency asks for no more"));
  EXPECT_NO_THROW(check(2, moments(2)));
  EXPECT_NO_THROW(check(1, moments(2)));
  EXPECT_NO_THROW(check(1, slow));
}

TEST_F(Feed, WhatOneSourceIsNotAskedForAnotherMayTake) {
  numbers from(pull{{5}});
  feed ends, goes_on;
  ends.set_frequency(moments(2));
  EXPECT_EQ(sizes(from, ends).size(), 2U);
  for (batch<int> item; from.take(goes_on, item);) {
  }
  EXPECT_NO_THROW(spb::detail::check_early_end());
}

TEST_F(Feed, ClocksAreReadOnlyIfSomeoneAsks) {
  numbers from(pull{{2}});
  feed by;
  batch<int> item;
  ASSERT_TRUE(from.take(by, item));
  EXPECT_EQ(item.timestamp, 0);
  spb::detail::latency_wanted = true;
  ASSERT_TRUE(from.take(by, item));
  spb::detail::latency_wanted = false;
  EXPECT_NE(item.timestamp, 0);
}

TEST_F(Feed, TakesFromManyThreadsGiveEachElementOnce) {
  numbers from(pull{{3'000}});
  std::vector<std::vector<int>> seen(3);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : seen)
      threads.emplace_back([&from, &mine] {
        feed by;
        by.set_batch_size(7);
        for (batch<int> item; from.take(by, item);) {
          for (const int* i = item.begin() + 1; i < item.end(); ++i) EXPECT_EQ(*i, *(i - 1) + 1);
          mine.insert(mine.end(), item.begin(), item.end());
        }
      });
  }
  std::vector<bool> found(3'000);
  for (const auto& some : seen)
    for (const int i : some) {
      EXPECT_FALSE(found[static_cast<std::size_t>(i)]);
      found[static_cast<std::size_t>(i)] = true;
    }
  EXPECT_EQ(std::count(found.begin(), found.end(), false), 0);
}

TEST_F(Feed, RefusesANegativeInterval) {
  feed by;
  EXPECT_THROW(by.set_batch_interval(-1), std::invalid_argument);
}

}  // namespace
