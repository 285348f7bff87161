// Where in a topic a source begins and ends, what becomes of streams that have broken off, and what a message
// is beside its bytes.
#include <thalweg/net/kafka.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/kafka_topics.hpp"
#include "net/sending.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string bytes_of_int(int x) {
  return bytes_of(static_cast<std::uint32_t>(x));
}

class KafkaPlaces : public kafka_topics {
 protected:
  /// What a sender leaves that is killed behind its items.
  static void break_off(const tw::kafka_topic& topic, std::uint64_t stream, const std::vector<int>& items,
                        int partitions) {
    const raw_producer by_hand(topic);
    for (int i = 0; i < partitions; ++i)
      by_hand.say(raw_producer::hello("i32"), raw_producer::label(1, stream, 0), i);
    std::uint64_t n = 0;
    for (const int x : items) {
      by_hand.say(bytes_of_int(x), raw_producer::label(0, stream, n),
                  static_cast<std::int32_t>(n) % partitions);
      ++n;
    }
  }
};

TEST_F(KafkaPlaces, LastIsTheLastOfAllStreams) {
  for (const int partitions : {1, 3}) {
    const auto topic = new_topic(partitions);
    send(numbers(2), topic);
    send(numbers(2, 2), topic);
    send(std::vector<int>{}, topic);
    EXPECT_EQ(all_of<int>(topic, reading(tw::kafka_end::last)), numbers(4));
    EXPECT_EQ(all_of<int>(topic, reading()), numbers(2));
    // One that has not ended.
    break_off(topic, 7, {4, 5}, partitions);
    EXPECT_EQ(all_of<int>(topic, reading(tw::kafka_end::last)), numbers(6));
  }
}

TEST_F(KafkaPlaces, ASenderThatWasKilledCanBeGotPast) {
  for (const int partitions : {1, 2}) {
    const auto topic = new_topic(partitions);
    break_off(topic, 7, {0, 1, 2}, partitions);
    break_off(topic, 9, {3}, partitions);
    send(numbers(2, 10), topic);
    send(numbers(2, 20), topic);
    EXPECT_THAT(
        failure_of_source<int>(topic),
        HasSubstr("another stream begins before this one has ended: its sender has stopped without an end"));
    for (const auto& [end, seen] :
         {std::pair{tw::kafka_end::mark, std::vector{0, 1, 2, 3, 10, 11}},
          std::pair{tw::kafka_end::last, std::vector{0, 1, 2, 3, 10, 11, 20, 21}}}) {
      auto how = reading(end);
      how.broken = tw::kafka_broken::go_on;
      EXPECT_EQ(all_of<int>(topic, how), seen) << partitions;
    }
  }
}

TEST_F(KafkaPlaces, ASenderThatGaveUpCanBeGotPast) {
  const auto topic = new_topic(1);
  break_off(topic, 7, {0, 1}, 1);
  raw_producer(topic).say("no more", raw_producer::label(3, 7, 2));
  send(numbers(2, 10), topic);
  EXPECT_THAT(failure_of_source<int>(topic), HasSubstr("has given up its stream"));
  auto how = reading();
  how.broken = tw::kafka_broken::go_on;
  EXPECT_THAT(all_of<int>(topic, how), ElementsAre(0, 1, 10, 11));
}

TEST_F(KafkaPlaces, ASenderThatGaveUpWhileItEndedCanBeGotPast) {
  const auto topic = new_topic(2);
  break_off(topic, 7, {0, 1}, 2);
  raw_producer(topic).say("", raw_producer::label(2, 7, 2), 0);
  for (int i = 0; i < 2; ++i) raw_producer(topic).say("no more", raw_producer::label(3, 7, 2), i);
  send(numbers(2, 10), topic);
  auto how = reading();
  how.broken = tw::kafka_broken::go_on;
  EXPECT_THAT(all_of<int>(topic, how), ElementsAre(0, 1, 10, 11));
}

TEST_F(KafkaPlaces, WhatABrokenStreamLacksIsLeftOut) {
  const auto topic = new_topic(2);
  {
    const raw_producer by_hand(topic);
    for (int i = 0; i < 2; ++i) by_hand.say(raw_producer::hello("i32"), raw_producer::label(1, 7, 0), i);
    // Item 1 was on its way to the other partition.
    for (const int x : {0, 2})
      by_hand.say(bytes_of_int(x), raw_producer::label(0, 7, static_cast<unsigned>(x)), 0);
  }
  send(numbers(2, 10), topic);
  auto how = reading();
  how.broken = tw::kafka_broken::go_on;
  EXPECT_THAT(all_of<int>(topic, how), ElementsAre(0, 2, 10, 11));
}

TEST_F(KafkaPlaces, AnOffsetIsWhereASourceBegins) {
  const auto topic = new_topic(1);
  break_off(topic, 7, {0, 1, 2}, 1);
  send(numbers(2, 10), topic);
  auto how = reading();
  how.start = tw::kafka_start::offset(4);  // the beginning of the second stream
  EXPECT_THAT(all_of<int>(topic, how), ElementsAre(10, 11));
  how.start = tw::kafka_start::offset(6);  // its second item
  EXPECT_THAT(all_of<int>(topic, how), ElementsAre(11));
  how.start = tw::kafka_start::offset(99);
  EXPECT_THAT(failure_of_source<int>(topic, how), HasSubstr("Offset out of range"));
  how.start = tw::kafka_start::offset(-2);
  EXPECT_THAT(problems_of([&] { all_of<int>(topic, how); }).at(0), HasSubstr(".start has -2"));
  how.start = tw::kafka_start::offsets({0, 1, 2});
  EXPECT_THAT(failure_of_source<int>(topic, how), HasSubstr("has 1 partitions, but .start has 3 offsets"));
}

TEST_F(KafkaPlaces, AStreamThatIsJoinedInItsMiddleIsInOrderOnceAllPartitionsAreThere) {
  const auto topic = new_topic(3);
  break_off(topic, 7, numbers(30), 3);  // item n in partition n % 3, behind the beginning
  {
    const raw_producer by_hand(topic);
    for (int i = 0; i < 3; ++i) by_hand.say("", raw_producer::label(2, 7, 30), i);
  }
  auto how = reading();
  how.start = tw::kafka_start::offsets({1, 4, 8});  // items 0, 10 and 23
  const auto seen = all_of<int>(topic, how);
  // Before item 23 each partition is in its order; from there on nothing is missing.
  std::vector<int> before;
  for (const int x : seen)
    if (x < 23) before.push_back(x);
  EXPECT_EQ(before.size() + 7, seen.size());
  EXPECT_EQ(std::vector<int>(seen.end() - 7, seen.end()), numbers(7, 23));
  for (int partition = 0; partition < 3; ++partition) {
    std::vector<int> of_it;
    for (const int x : seen)
      if (x % 3 == partition) of_it.push_back(x);
    std::vector<int> expected;
    for (int x = partition == 0 ? 0 : partition == 1 ? 10 : 23; x < 30; x += 3) expected.push_back(x);
    EXPECT_EQ(of_it, expected);
  }
}

TEST_F(KafkaPlaces, APartitionMayBeReadFromItsBeginningAndAnotherNot) {
  const auto topic = new_topic(2);
  break_off(topic, 7, numbers(6), 2);
  {
    const raw_producer by_hand(topic);
    for (int i = 0; i < 2; ++i) by_hand.say("", raw_producer::label(2, 7, 6), i);
  }
  auto how = reading();
  how.start = tw::kafka_start::offsets({0, 2});  // the beginning and item 0, and item 3
  EXPECT_EQ(all_of<int>(topic, how), (std::vector<int>{0, 2, 3, 4, 5}));
  how.start = tw::kafka_start::offsets({2, 4});  // item 2, and the end
  EXPECT_EQ(all_of<int>(topic, how), (std::vector<int>{2, 4}));
  how.start = tw::kafka_start::offsets({4, 4});  // both ends: nothing of a stream
  how.end = tw::kafka_end::last;
  EXPECT_TRUE(all_of<int>(topic, how).empty());
}

TEST_F(KafkaPlaces, LastOfAStreamThatIsUnderWay) {
  const auto topic = new_topic(2);
  {
    const raw_producer by_hand(topic);
    for (int i = 0; i < 2; ++i) by_hand.say(raw_producer::hello("i32"), raw_producer::label(1, 7, 0), i);
    // Item 1 is on its way to the other partition.
    for (const int x : {0, 2})
      by_hand.say(bytes_of_int(x), raw_producer::label(0, 7, static_cast<unsigned>(x)), 0);
  }
  EXPECT_EQ(all_of<int>(topic, reading(tw::kafka_end::last)), (std::vector<int>{0, 2}));
}

TEST_F(KafkaPlaces, MessagesOfOthersCanBeGotPast) {
  const auto topic = new_topic(1);
  raw_producer(topic).say(bytes_of_int(7));
  send(numbers(2), topic);
  auto how = reading();
  how.broken = tw::kafka_broken::go_on;
  EXPECT_EQ(all_of<int>(topic, how), (std::vector<int>{7, 0, 1}));
}

TEST_F(KafkaPlaces, AStreamOfBeforeTheTopicHadAllItsPartitionsIsRead) {
  const auto topic = new_topic(4);
  const auto end = [&](std::uint64_t stream, std::uint64_t items, int partitions) {
    const raw_producer by_hand(topic);
    for (int i = 0; i < partitions; ++i) by_hand.say("", raw_producer::label(2, stream, items), i);
  };
  break_off(topic, 7, {}, 2);
  end(7, 0, 2);
  break_off(topic, 8, numbers(6), 2);
  end(8, 6, 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(all_of<int>(topic, reading()).empty());
    EXPECT_EQ(all_of<int>(topic, reading(tw::kafka_end::last)), numbers(i == 0 ? 6 : 12));
    if (i > 0) break;
    break_off(topic, 9, numbers(6, 6), 4);
    end(9, 6, 4);
  }
  // Streams that follow each other, all of them in few partitions at first.
  tw::net::kafka_inlet all(topic, {.end = tw::kafka_end::never, .settings = impatient});
  for (int i = 0; i < 12; ++i) {
    const auto item = all.next();
    ASSERT_TRUE(item);
    EXPECT_EQ(tw::decode<int>(*item), i);
  }
}

TEST_F(KafkaPlaces, AStreamMayGoOnInAPartitionThatTheTopicHadNotWhenItBegan) {
  const auto topic = new_topic(3);
  break_off(topic, 7, numbers(4), 2);
  {
    const raw_producer by_hand(topic);
    by_hand.say(bytes_of_int(4), raw_producer::label(0, 7, 4), 2);
    by_hand.say(bytes_of_int(5), raw_producer::label(0, 7, 5), 0);
    for (int i = 0; i < 3; ++i) by_hand.say("", raw_producer::label(2, 7, 6), i);
  }
  EXPECT_EQ(all_of<int>(topic, reading()), numbers(6));
}

TEST_F(KafkaPlaces, APartitionThatCameWhileAStreamWasSentHasItsEnd) {
  const auto* real = real_brokers::named();
  if (!real) GTEST_SKIP() << "THALWEG_KAFKA names no broker";
  const auto topic = new_topic(1);
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            if (n == 200) return {};
            if (n == 100) {
              real->grow(topic.name, 3);
              std::this_thread::sleep_for(1s);  // the sender has heard of it
            }
            return n++;
          }) |
          tw::kafka_sink<int>(topic, {.key = [](int x) { return std::to_string(x); },
                                      .settings = {{"topic.metadata.refresh.interval.ms", "100"}}}));
  send(numbers(20, 200), topic);
  EXPECT_EQ(all_of<int>(topic, reading()), numbers(200));
  EXPECT_EQ(all_of<int>(topic, reading(tw::kafka_end::last)), numbers(220));
}

TEST_F(KafkaPlaces, ASenderThatWasKilledWhileItBeganCanBeGotPast) {
  for (const bool gave_up : {false, true}) {
    for (const int where : {0, 1}) {
      const auto topic = new_topic(2);
      raw_producer(topic).say(raw_producer::hello("i32"), raw_producer::label(1, 7, 0), where);
      if (gave_up) raw_producer(topic).say("no more", raw_producer::label(3, 7, 0), where);
      send(numbers(20), topic);
      EXPECT_THAT(failure_of_source<int>(topic),
                  HasSubstr(gave_up ? "has given up its stream" : "another stream begins before"));
      for (const auto end : {tw::kafka_end::mark, tw::kafka_end::last}) {
        auto how = reading(end);
        how.broken = tw::kafka_broken::go_on;
        EXPECT_EQ(all_of<int>(topic, how), numbers(20));
      }
    }
  }
}

TEST_F(KafkaPlaces, ASenderThatWasStoppedWhileItBeganCanBeGotPast) {
  const mock_cluster mine;
  rd_kafka_mock_broker_set_rtt(mine.get(), 1, 50);  // so that its messages wait for a while
  for (int when = 1; when < 8; ++when) {
    const tw::kafka_topic topic{mine.where(), "topic" + std::to_string(when)};
    mine.make(topic.name, 2);
    int asked = 0;
    {
      tw::net::kafka_outlet out(topic, {.tag = "i32", .given_up = [&] { return ++asked >= when; }});
      out.connect();
    }
    send(numbers(3), topic);
    auto how = reading();
    how.broken = tw::kafka_broken::go_on;
    EXPECT_EQ(all_of<int>(topic, how), numbers(3)) << when;
  }
}

TEST_F(KafkaPlaces, AStreamThatIsUnderWayIsJoinedWithWhatComes) {
  const auto topic = new_topic(2);
  std::atomic<int> allowed{5};
  sending sender(tw::source([&, n = 0]() mutable -> std::optional<int> {
                   if (n == 20) return {};
                   return eventually([&] { return n < allowed; }) ? std::optional(n++) : std::nullopt;
                 }) |
                 tw::kafka_sink<int>(topic));
  tw::net::kafka_inlet first(topic, {.settings = impatient});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(first.next());  // they are there
  tw::net::kafka_inlet from(topic, {.start = tw::kafka_start::next, .settings = impatient});
  ASSERT_FALSE(from.ready_by(tw::observe::now_ns()));  // it has begun to read
  allowed = 20;
  std::vector<int> seen;
  while (const auto bytes = from.next()) seen.push_back(tw::decode<int>(*bytes));
  EXPECT_EQ(sender.failure(), "");
  ASSERT_FALSE(seen.empty());
  EXPECT_GE(seen.front(), 5);
  EXPECT_TRUE(from.ended());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, numbers(20 - seen.front(), seen.front()));
}

TEST_F(KafkaPlaces, MessagesHaveKeysAndPlacesAndMayHaveNoValue) {
  const auto topic = new_topic(1);
  using message = tw::kafka_message<std::string>;
  std::vector<message> all(4);
  all[0].value = "one";
  all[1].key = "k";
  all[2].value = "";
  all[2].key = "";
  all[3].value = "three";
  all[3].key = "k";
  const auto before = std::chrono::system_clock::now();
  tw::run(tw::source(all) | tw::kafka_sink<message>(topic));
  const auto seen = all_of<message>(topic, reading());
  ASSERT_EQ(seen.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(seen[i].value, all[i].value) << i;
    EXPECT_EQ(seen[i].key, all[i].key) << i;
    EXPECT_EQ(seen[i].partition, 0);
    EXPECT_EQ(seen[i].offset, static_cast<std::int64_t>(i) + 1);  // behind the mark of the beginning
    EXPECT_GE(seen[i].time, std::chrono::floor<std::chrono::milliseconds>(before));
  }
  // A type of no message has no word for it.
  EXPECT_THAT(failure_of_source<std::string>(topic), HasSubstr("offset 2: a message has no value"));
  std::vector<std::string> values;
  tw::run(tw::kafka_source<std::string>(topic, reading(), {.on_error = tw::skip}) | tw::sink(values));
  EXPECT_THAT(values, ElementsAre("one", "", "three"));
}

}  // namespace
