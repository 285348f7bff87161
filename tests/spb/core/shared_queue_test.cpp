#include "spb/shared_queue.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <SPar_Shared_Queue.hpp>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

struct placed {
  std::uint64_t batch_index = 0;
  int value = 0;
};

std::vector<std::uint64_t> places_from(SharedQueue<placed>& queue) {
  std::vector<std::uint64_t> seen;
  for (placed item; queue.dequeue(item);) seen.push_back(item.batch_index);
  return seen;
}

TEST(SharedQueue, GivesItemsAsTheyCame) {
  SharedQueue<int> queue(10);
  for (const int i : {3, 1, 2}) queue.enqueue(i);
  queue.close();
  std::vector<int> seen;
  for (int i = 0; queue.dequeue(i);) seen.push_back(i);
  EXPECT_EQ(seen, (std::vector{3, 1, 2}));
}

TEST(SharedQueue, GivesItemsByTheirPlace) {
  SharedQueue<placed> queue(10, 1, queue_order::by_item);
  for (const std::uint64_t i : {2, 0, 3, 1}) queue.enqueue({i});
  queue.close();
  EXPECT_EQ(places_from(queue), (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST(SharedQueue, WaitsForTheItemThatIsDue) {
  SharedQueue<placed> queue(10, 1, queue_order::by_item);
  queue.enqueue({1});
  std::atomic<bool> got{false};
  std::jthread consumer([&] {
    placed item;
    ASSERT_TRUE(queue.dequeue(item));
    got = true;
    EXPECT_EQ(item.batch_index, 0U);
  });
  std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(got);
  queue.enqueue({0});
}

TEST(SharedQueue, FullOfLaterItemsItTakesTheOneThatIsDue) {
  SharedQueue<placed> queue(2, 1, queue_order::by_item);
  queue.enqueue({1});
  queue.enqueue({2});
  queue.enqueue({0});  // would wait for ever otherwise
  queue.close();
  EXPECT_EQ(places_from(queue).size(), 3U);
}

TEST(SharedQueue, ProducersWaitWhileItIsFull) {
  SharedQueue<int> queue(2);
  std::atomic<int> sent{0};
  std::jthread producer([&] {
    for (int i = 0; i < 4; ++i) {
      queue.enqueue(i);
      ++sent;
    }
    queue.close();
  });
  while (sent < 2) std::this_thread::yield();
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(sent, 2);
  int count = 0;
  for (int i = 0; queue.dequeue(i);) EXPECT_EQ(i, count++);
  EXPECT_EQ(count, 4);
}

TEST(SharedQueue, EndsWhenAllProducersHaveSaidSo) {
  SharedQueue<int> queue(2, 2);
  queue.enqueue(7);
  queue.close();
  int item = 0;
  EXPECT_TRUE(queue.dequeue(item));
  std::jthread other([&] {
    std::this_thread::sleep_for(5ms);
    queue.enqueue(8);
    queue.close();
  });
  EXPECT_TRUE(queue.dequeue(item));
  EXPECT_EQ(item, 8);
  EXPECT_FALSE(queue.dequeue(item));
}

TEST(SharedQueue, RestoresOrderBetweenManyThreads) {
  constexpr std::uint64_t items = 2'000, workers = 3;
  SharedQueue<placed> to_do(4), done(4, workers, queue_order::by_item);
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    for (std::uint64_t i = 0; i < items; ++i) to_do.enqueue({i});
    to_do.close();
  });
  for (std::uint64_t i = 0; i < workers; ++i)
    threads.emplace_back([&] {
      for (placed item; to_do.dequeue(item);) done.enqueue(item);
      done.close();
    });
  const auto seen = places_from(done);
  ASSERT_EQ(seen.size(), items);
  for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(seen[i], i);
}

TEST(SharedQueue, InOrderItKeepsFarmsBehindEachOtherGoing) {
  constexpr std::uint64_t items = 20, workers = 2;
  SharedQueue<placed> to_do(2), between(2, workers, queue_order::by_item),
      done(2, workers, queue_order::by_item);
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    for (std::uint64_t i = 0; i < items; ++i) to_do.enqueue({i});
    to_do.close();
  });
  for (std::uint64_t i = 0; i < workers; ++i) {
    threads.emplace_back([&] {
      for (placed item; to_do.dequeue(item); between.enqueue(item))
        if (item.batch_index == 0) std::this_thread::sleep_for(10ms);  // the others go as far as they can
      between.close();
    });
    threads.emplace_back([&] {
      for (placed item; between.dequeue(item);) done.enqueue(item);
      done.close();
    });
  }
  EXPECT_EQ(places_from(done).size(), items);
}

TEST(SharedQueue, AbandonedItEndsForEverybody) {
  SharedQueue<int> queue(1);
  queue.enqueue(1);
  std::jthread producer([&] { queue.enqueue(2); });
  std::this_thread::sleep_for(5ms);
  queue.abandon();
  producer.join();
  int item = 0;
  EXPECT_FALSE(queue.dequeue(item));
  EXPECT_TRUE(queue.at_end());
}

TEST(SharedQueue, RefusesWhatCannotWork) {
  EXPECT_THROW(SharedQueue<int>(0), std::invalid_argument);
  EXPECT_THROW(SharedQueue<int>(1, 0), std::invalid_argument);
  EXPECT_THROW(SharedQueue<int>(1, 1, queue_order::by_item), std::invalid_argument);
}

TEST(SharedQueue, BySparsNameItTellsWhetherItIsEmptyOrFull) {
  struct numbered {
    int number = 0;
    bool omp_spar_eos = false;
  };
  SParSharedQueue<numbered> queue(2);
  EXPECT_TRUE(queue.IsEmpty() && !queue.IsFull());
  numbered one{1}, two{2};
  queue.Add(&one);
  EXPECT_FALSE(queue.IsEmpty() || queue.IsFull());
  queue.Add(&two);
  EXPECT_TRUE(!queue.IsEmpty() && queue.IsFull());
  queue.NotifyEOS();
  EXPECT_EQ(queue.Remove(), &one);
  EXPECT_EQ(queue.Remove(), &two);
  const std::unique_ptr<numbered> end(queue.Remove());
  EXPECT_TRUE(end->omp_spar_eos && queue.IsEmpty());
}

TEST(SharedQueue, MayChangeItsSizeAtAnyTime) {
  SharedQueue<int> queue(1);
  queue.enqueue(1);
  EXPECT_TRUE(queue.full());
  std::jthread waits([&] {
    for (int i = 2; i <= 100; ++i) queue.enqueue(i);
    queue.close();
  });
  queue.set_capacity(0);  // any number
  waits.join();
  EXPECT_EQ(queue.size(), 100U);
  EXPECT_FALSE(queue.full());
  EXPECT_TRUE(queue.knows_end_within(std::chrono::seconds(0)));
  queue.set_capacity(1);
  for (int i = 1, got = 0; queue.dequeue(got); ++i) EXPECT_EQ(got, i);
}

}  // namespace
