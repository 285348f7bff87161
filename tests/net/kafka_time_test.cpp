// A source that begins at a time. The mock has no index of times, and answers that nothing is as late: what a
// broker finds in its index is tried where THALWEG_KAFKA names one.
#include <thalweg/net/kafka.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/net/kafka/beginnings.hpp"
#include "net/kafka_topics.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using time_point = std::chrono::system_clock::time_point;

namespace {

class KafkaTime : public kafka_topics {
 protected:
  static tw::kafka_source_options from(time_point at, tw::kafka_end end = tw::kafka_end::last) {
    auto how = reading(end);
    how.start = tw::kafka_start::time(at);
    return how;
  }
  static std::string bytes_of_int(int x) { return bytes_of(static_cast<std::uint32_t>(x)); }
};

TEST_F(KafkaTime, IsAskedForInMillisecondsSinceTheEpoch) {
  const auto start = tw::kafka_start::time(time_point(1'234'567us));
  EXPECT_THAT(start.numbers, ElementsAre(1'234));  // a message of this millisecond may be as late
  EXPECT_EQ(start.problem(), "");
  EXPECT_THAT(tw::kafka_start::time(time_point(-1us)).problem(), HasSubstr(".start has -1"));
  EXPECT_EQ(tw::kafka_start::time(time_point()).problem(), "");
  const tw::kafka_start no_time{tw::kafka_start::where::time, {}};
  EXPECT_EQ(no_time.problem(), ".start has no time");
  EXPECT_THROW(tw::net::kafka_inlet(new_topic(), {.start = no_time}), tw::network_error);

  const auto asked = tw::net::kafka::question("numbers", 2, start.numbers.front());
  ASSERT_EQ(asked->cnt, 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_STREQ(asked->elems[i].topic, "numbers");
    EXPECT_EQ(asked->elems[i].partition, i);
    EXPECT_EQ(asked->elems[i].offset, 1'234);
  }
}

TEST_F(KafkaTime, APartitionWithoutAMessageAsLateIsReadFromItsEndOn) {
  const auto answer = tw::net::kafka::question("numbers", 3, 0);
  answer->elems[0].offset = 5;
  answer->elems[1].offset = RD_KAFKA_OFFSET_END;  // librdkafka's answer
  EXPECT_THAT(tw::net::kafka::places_in(*answer, {7, 8, 9}), ElementsAre(5, 8, 0));
  // The question was where they end, and that is no answer.
  EXPECT_THAT([&] { (void)tw::net::kafka::places_in(*answer, {}); },
              testing::ThrowsMessage<tw::network_error>(HasSubstr("partition 1: the broker does not say")));
}

TEST_F(KafkaTime, BehindAllMessagesIsWhatComesFromNowOn) {
  const auto topic = new_topic(2);
  send(numbers(5), topic);
  const auto later = std::chrono::system_clock::now() + 1h;
  EXPECT_TRUE(all_of<int>(topic, from(later)).empty());
  tw::net::kafka_inlet inlet(topic, {.start = tw::kafka_start::time(later), .settings = impatient});
  ASSERT_FALSE(inlet.ready_by(tw::observe::now_ns()));  // it has begun to read
  send(numbers(3, 7), topic);
  for (int i = 7; i < 10; ++i) {
    const auto item = inlet.next();
    ASSERT_TRUE(item);
    EXPECT_EQ(tw::decode<int>(*item), i);
  }
  EXPECT_FALSE(inlet.next());
}

TEST_F(KafkaTime, IsTheFirstMessageOfEachPartitionThatIsNotOlder) {
  if (!real_brokers::named()) GTEST_SKIP() << "THALWEG_KAFKA names no broker";
  const auto topic = new_topic(3);
  const auto first = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now() - 1min);
  {
    const raw_producer others(topic);
    for (int i = 0; i < 4; ++i) others.say(bytes_of_int(i), {}, 0, {}, first + i * 1s);
    others.say(bytes_of_int(10), {}, 1, {}, first + 1500ms);
    others.say(bytes_of_int(20), {}, 2, {}, first);
  }
  EXPECT_THAT(all_of<int>(topic, from(first)), UnorderedElementsAre(0, 1, 2, 3, 10, 20));
  EXPECT_THAT(all_of<int>(topic, from(first + 1ms)), UnorderedElementsAre(1, 2, 3, 10));
  EXPECT_THAT(all_of<int>(topic, from(first + 2s)), ElementsAre(2, 3));
  EXPECT_THAT(all_of<int>(topic, from(first + 2s + 999us)), ElementsAre(2, 3));
  EXPECT_THAT(all_of<int>(topic, from(first + 3s)), ElementsAre(3));
  EXPECT_TRUE(all_of<int>(topic, from(first + 3001ms)).empty());
}

TEST_F(KafkaTime, WhatComesBetweenItsQuestionsIsNotMissed) {
  if (!real_brokers::named()) GTEST_SKIP() << "THALWEG_KAFKA names no broker";
  for (int when = 1; when < 7; ++when) {
    const auto topic = new_topic(1);
    const auto begin = std::chrono::system_clock::now();
    int asked = 0;
    const auto say_something = [&] {
      if (++asked == when) raw_producer(topic).say(bytes_of_int(7));
      return false;
    };
    tw::net::kafka_inlet inlet(topic, {.start = tw::kafka_start::time(begin),
                                       .come_within = 10s,
                                       .settings = impatient,
                                       .given_up = say_something});
    EXPECT_TRUE(inlet.next()) << when;
  }
}

TEST_F(KafkaTime, ReadsAStreamFromItsMiddle) {
  if (!real_brokers::named()) GTEST_SKIP() << "THALWEG_KAFKA names no broker";
  const auto topic = new_topic(2);
  const auto first = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now() - 1min);
  constexpr int items = 10;
  {
    const raw_producer by_hand(topic);
    for (int i = 0; i < 2; ++i)
      by_hand.say(raw_producer::hello("i32"), raw_producer::label(1, 7, 0), i, {}, first);
    for (int i = 0; i < items; ++i)
      by_hand.say(bytes_of_int(i), raw_producer::label(0, 7, static_cast<unsigned>(i)), i % 2, {},
                  first + 1s + i * 1s);
    for (int i = 0; i < 2; ++i) by_hand.say("", raw_producer::label(2, 7, items), i, {}, first + 1min);
  }
  EXPECT_EQ(all_of<int>(topic, from(first, tw::kafka_end::mark)), numbers(items));
  EXPECT_EQ(all_of<int>(topic, from(first + 5s, tw::kafka_end::mark)), numbers(6, 4));
  // Nothing but its end.
  EXPECT_TRUE(all_of<int>(topic, from(first + 50s)).empty());
}

}  // namespace
