// Streams over Kafka, with the brokers that librdkafka pretends to have: what comes, in which order, and what
// becomes of brokers, topics and messages that are not as they should be.
#include <thalweg/net/kafka.hpp>
#include <thalweg/observe/resources.hpp>
#include <thalweg/pipe/sanitizer.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/net/kafka/client.hpp"
#include "net/kafka_topics.hpp"
#include "net/sending.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/scale.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

/// A line of text as others write it: nothing but its characters.
struct line {
  std::string text;
};

}  // namespace

template <> struct tw::codec<line> {
  static std::string tag() { return "line"; }
  static void write(byte_writer& to, const line& x) { to.bytes(x.text.data(), x.text.size()); }
  static void read(byte_reader& from, line& x) {
    const auto all = from.bytes(from.left());
    x.text.assign(reinterpret_cast<const char*>(all.data()), all.size());
  }
};

namespace {

class Kafka : public kafka_topics {};

TEST_F(Kafka, ItemsComeInOrderThroughAllPartitions) {
  const auto topic = new_topic(4);
  std::vector<std::string> all;
  for (int i = 0; i < scaled(20'000); ++i)
    all.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i) % 100, '.'));
  sending sender(tw::source(all) | tw::kafka_sink<std::string>(topic));
  const auto seen = all_of<std::string>(topic, reading());
  EXPECT_EQ(sender.failure(), "");
  EXPECT_TRUE(seen == all);
}

TEST_F(Kafka, BothWaitForTheTopic) {
  const auto topic = new_topic(0);
  deny(topic);
  sending sender(tw::source(numbers(3)) | tw::kafka_sink<int>(topic));
  std::jthread later([&] {
    std::this_thread::sleep_for(100ms);
    deny(topic, RD_KAFKA_RESP_ERR_NO_ERROR);
  });
  EXPECT_EQ(all_of<int>(topic, reading()), numbers(3));
  EXPECT_EQ(sender.failure(), "");
}

TEST_F(Kafka, ASenderMakesItsTopic) {
  const auto topic = new_topic(0);
  send(numbers(3), topic);
  EXPECT_EQ(all_of<int>(topic, reading()), numbers(3));
}

TEST_F(Kafka, AStreamCanBeReadAgainAndMayBeEmpty) {
  const auto topic = new_topic(2);
  send(numbers(10), topic);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(all_of<int>(topic, reading()), numbers(10));
  const auto nothing = new_topic(2);
  send(std::vector<int>{}, nothing);
  EXPECT_TRUE(all_of<int>(nothing, reading()).empty());
}

TEST_F(Kafka, ItemsOfOneKeyComeToOnePartition) {
  const auto topic = new_topic(4);
  tw::run(tw::source(numbers(100)) |
          tw::kafka_sink<int>(topic, {.key = [](int x) { return "key" + std::to_string(x % 10); }}));
  tw::net::kafka_inlet from(topic, {.settings = impatient});
  std::map<int, std::set<std::string>> places;
  std::set<std::string> all;
  for (int i = 0; from.next(); ++i) {
    const auto place = from.place().substr(0, from.place().find(", offset"));
    places[i % 10].insert(place);
    all.insert(place);
  }
  ASSERT_EQ(places.size(), 10U);
  for (const auto& [key, of_key] : places) EXPECT_EQ(of_key.size(), 1U) << key;
  EXPECT_GT(all.size(), 1U);
}

TEST_F(Kafka, StreamsEndWhereTheReaderWants) {
  const auto topic = new_topic(2);
  send(numbers(5), topic);
  auto last = reading(tw::kafka_end::last);
  EXPECT_EQ(all_of<int>(topic, last), numbers(5));
  last.start = tw::kafka_start::next;
  EXPECT_TRUE(all_of<int>(topic, last).empty());

  // Streams that follow each other, until there is a stop.
  send(numbers(5, 5), topic);
  EXPECT_EQ(all_of<int>(topic, reading()), numbers(5));
  std::atomic<int> came{0};
  auto all = tw::launch(tw::kafka_source<int>(topic, reading(tw::kafka_end::never)) |
                        tw::sink([&](int x) { EXPECT_EQ(x, came++); }));
  EXPECT_TRUE(eventually([&] { return came == 10; }));
  all.stop();
  all.wait();
}

TEST_F(Kafka, WhatComesFromNowOn) {
  const auto topic = new_topic(2);
  send(numbers(5), topic);
  auto how = reading();
  how.start = tw::kafka_start::next;
  tw::net::kafka_inlet from(topic, {.start = how.start, .settings = impatient});
  EXPECT_FALSE(from.ready_by(tw::observe::now_ns() + 100'000'000));
  sending sender(tw::source(numbers(3, 7)) | tw::kafka_sink<int>(topic));
  for (int i = 7; i < 10; ++i) {
    EXPECT_TRUE(from.ready_by(tw::observe::now_ns() + 10'000'000'000));
    const auto item = from.next();
    ASSERT_TRUE(item);
    EXPECT_EQ(tw::decode<int>(*item), i);
  }
  EXPECT_FALSE(from.next());
  EXPECT_TRUE(from.ended());
  EXPECT_EQ(from.tag(), "i32");
  EXPECT_EQ(from.clock().by, tw::net::sender_clock::relation::shared);
}

TEST_F(Kafka, MessagesOfOthersComeAsTheirCodecReadsThem) {
  const auto topic = new_topic(1);
  {
    const raw_producer others(topic);
    for (const auto* text : {"one", "", "three"}) others.say(text);
  }
  std::vector<std::string> seen;
  tw::run(tw::kafka_source<line>(topic, reading(tw::kafka_end::last)) |
          tw::map([](const line& x) { return x.text; }) | tw::sink(seen));
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "", "three"}));
}

TEST_F(Kafka, ABrokerThatIsGoneHoldsTheSenderUp) {
  const mock_cluster mine;
  const tw::kafka_topic topic{mine.where(), "numbers"};
  constexpr int items = 2'000;
  std::atomic<int> given{0};
  std::atomic<bool> gone{false};
  sending sender(tw::source([&]() -> std::optional<std::string> {
                   if (given == items) return {};
                   if (given == 20) {
                     // What was sent has been answered by then. Otherwise it is sent once more, and the mock,
                     // other than a broker, keeps both.
                     std::this_thread::sleep_for(500ms);
                     rd_kafka_mock_broker_set_down(mine.get(), -1);
                     gone = true;
                   }
                   return std::string(1'000, static_cast<char>('a' + given++ % 26));
                 }) |
                 tw::kafka_sink<std::string>(topic, {.longest_item = 20'000, .capacity = 100'000}));
  int before = -1;
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(100ms);
    return std::exchange(before, given.load()) == given && gone;
  }));
  EXPECT_LT(given, 1'500) << "the sink keeps 100";
  rd_kafka_mock_broker_set_up(mine.get(), -1);
  EXPECT_EQ(sender.failure(), "");
  int n = 0;
  for (const auto& text : all_of<std::string>(topic, reading()))
    EXPECT_TRUE(text == std::string(1'000, static_cast<char>('a' + n++ % 26)));
  EXPECT_EQ(n, items);
}

TEST_F(Kafka, ASlowReaderDoesNotReadAllAhead) {
  if (THALWEG_ADDRESS_SANITIZER) GTEST_SKIP() << "the sanitizer keeps memory that was freed";
  const auto topic = new_topic(16);  // a partition that is none keeps 5 MB
  constexpr int items = 3'000;
  constexpr std::size_t size = 10'000;
  tw::run(tw::source([n = 0]() mutable -> std::optional<std::string> {
            return n++ < items ? std::optional(std::string(size, 'x')) : std::nullopt;
          }) |
          tw::kafka_sink<std::string>(topic));
  tw::net::kafka_inlet from(topic, {.read_ahead = 100'000, .settings = impatient});
  const auto before = tw::observe::process_resources().resident_bytes;
  ASSERT_TRUE(from.next());
  std::this_thread::sleep_for(300ms);
  EXPECT_LT(tw::observe::process_resources().resident_bytes, before + 10'000'000);
}

TEST_F(Kafka, AnErrorThatPassesLosesNothingAndDoublesNothing) {
  const mock_cluster mine;
  const tw::kafka_topic topic{mine.where(), "numbers"};
  constexpr std::int16_t produce = 0, fetch = 1;
  rd_kafka_mock_push_request_errors(mine.get(), produce, 3, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
                                    RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR__TRANSPORT);
  rd_kafka_mock_push_request_errors(mine.get(), fetch, 1, RD_KAFKA_RESP_ERR__TRANSPORT);
  send(numbers(100), topic);
  EXPECT_EQ(all_of<int>(topic, reading()), numbers(100));
}

TEST_F(Kafka, AnErrorOfTheFirstMessageThatPassesLosesNothing) {
  // Brokers take any number from a sender that is new to them. Were a second request under way when the first
  // one has failed, as in a topic that has just been made, librdkafka would take both for delivered.
  const mock_cluster mine;
  const tw::kafka_topic topic{mine.where(), "numbers"};
  mine.make(topic.name, 1);
  constexpr std::int16_t produce = 0;
  rd_kafka_mock_broker_set_rtt(mine.get(), 1, 50);
  rd_kafka_mock_push_request_errors(mine.get(), produce, 1, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION);
  tw::run(tw::source(numbers(10)) |
          tw::kafka_sink<int>(topic, {.settings = {{"batch.num.messages", "1"}}}));  // a request each
  EXPECT_EQ(all_of<int>(topic, reading()), numbers(10));
}

TEST_F(Kafka, AnItemThatIsNotDeliveredEndsTheRun) {
  const mock_cluster mine;
  const tw::kafka_topic topic{mine.where(), "numbers"};
  tw::net::kafka_outlet out(topic, {});
  ASSERT_TRUE(out.connect());
  constexpr std::int16_t produce = 0;
  const std::vector<rd_kafka_resp_err_t> errors(20, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  rd_kafka_mock_push_request_errors_array(mine.get(), produce, errors.size(), errors.data());
  try {
    std::vector<std::byte> bytes(4);
    out.send(bytes);
    out.end();
    FAIL() << "it was delivered";
  } catch (const tw::network_error& e) {
    // Mostly "authorization failed"; where the machine is busy the broker may say something else first.
    EXPECT_THAT(e.what(), HasSubstr("has not reached " + topic.text() + ", partition "));
  }
}

TEST_F(Kafka, NoBrokerIsAnErrorAfterAWhile) {
  const tw::kafka_topic nowhere{"127.0.0.1:1", "numbers"};
  const auto* const says = "no broker answers at 127.0.0.1:1: ";
  EXPECT_THAT(failure_of_source<int>(nowhere, {.connect_within = 200ms}), HasSubstr(says));
  sending sender(tw::source(numbers(3)) | tw::kafka_sink<int>(nowhere, {.connect_within = 200ms}));
  EXPECT_THAT(sender.failure(), HasSubstr(says));
  EXPECT_THAT(sender.failure(), testing::MatchesRegex(".*Connection refused.*; tried for 200 ms"));
}

TEST_F(Kafka, APartitionWhoseBrokerDoesNotAnswerIsAnErrorAfterAWhile) {
  const mock_cluster mine(2);
  const tw::kafka_topic topic{mine.where(), "numbers"};
  mine.make(topic.name, 2);
  rd_kafka_mock_partition_set_leader(mine.get(), topic.name.c_str(), 0, 1);
  rd_kafka_mock_partition_set_leader(mine.get(), topic.name.c_str(), 1, 2);
  send(numbers(3), topic);
  rd_kafka_mock_broker_set_down(mine.get(), 2);
  tw::kafka_source_options how{.connect_within = 500ms, .come_within = 10s, .settings = impatient};
  for (const auto& start : {tw::kafka_start::first, tw::kafka_start::next, tw::kafka_start::offset(1),
                            tw::kafka_start::time(std::chrono::system_clock::now())}) {
    how.start = start;
    EXPECT_THAT(failure_of_source<int>(topic, how), HasSubstr("no broker answers at " + topic.brokers));
  }
  how.start = {};
  how.group = tw::kafka_group::when_taken("a");
  EXPECT_THAT(failure_of_source<int>(topic, how), HasSubstr("no broker answers at " + topic.brokers));
  sending sender(tw::source(numbers(3)) | tw::kafka_sink<int>(topic, {.connect_within = 500ms}));
  EXPECT_THAT(sender.failure(), testing::MatchesRegex(".* has not reached .*, partition 1: .*timed out; .*"));
}

TEST_F(Kafka, ATopicThatIsNotThereIsNamed) {
  const auto topic = new_topic(0);
  deny(topic);
  EXPECT_THAT(failure_of_source<int>(topic, {.connect_within = 2s, .come_within = 5s}),
              HasSubstr("there is no topic '" + topic.name + "' at " + topic.brokers));
}

TEST_F(Kafka, AnAnswerIsTheReasonAndNotThatThereWasNoTimeForAnother) {
  tw::net::kafka::client to({"127.0.0.1:1", "numbers"}, 100ms, {});
  to.open(RD_KAFKA_CONSUMER, {}, {}, {});
  int asked = 0;
  const auto answer = [&](int) {
    return asked++ == 0 ? RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART : RD_KAFKA_RESP_ERR__TIMED_OUT;
  };
  EXPECT_THAT([&] { to.ask(answer); },
              testing::ThrowsMessage<tw::network_error>(HasSubstr("there is no topic 'numbers'")));
}

TEST_F(Kafka, WhatABrokerSaysInsteadOfAnAnswerIsSaid) {
  const mock_cluster mine;
  const tw::kafka_topic topic{mine.where(), "numbers"};
  rd_kafka_mock_topic_set_error(mine.get(), topic.name.c_str(), RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE);
  EXPECT_THAT(failure_of_source<int>(topic, {.connect_within = 2s, .come_within = 5s}),
              HasSubstr(topic.text() + ": Broker: Leader not available; tried for 2000 ms"));
}

TEST_F(Kafka, TopicsAndSettingsThatCannotBe) {
  for (const auto& [topic, says] : {std::pair<tw::kafka_topic, const char*>{{"", "t"}, "names no broker"},
                                    {{"h:1", ""}, "names no topic"},
                                    {{"h:1", "a b"}, "'a b' cannot be the name of a topic"}}) {
    EXPECT_THAT(problems_of([&] { tw::run(tw::source(numbers(1)) | tw::kafka_sink<int>(topic)); }).at(0),
                HasSubstr(says));
    EXPECT_THAT(problems_of([&] { tw::run(tw::kafka_source<int>(topic) | tw::sink([](int) {})); }).at(0),
                HasSubstr(says));
  }
  EXPECT_THAT(failure_of_source<int>(new_topic(), {.settings = {{"no.such", "1"}}}),
              HasSubstr("\"no.such\""));
}

TEST_F(Kafka, ASinkMayTryForEver) {
  const auto topic = new_topic(1);
  const auto seen = numbers(3);
  tw::run(tw::source(seen) |
          tw::kafka_sink<int>(topic, {.connect_within = std::chrono::milliseconds::max()}));
  EXPECT_EQ(all_of<int>(topic, reading()), seen);
}

TEST_F(Kafka, AMessageThatIsNoItemIsNamedAndCanBePassedOver) {
  const auto topic = new_topic(1);
  {
    const raw_producer others(topic);
    for (const auto* text : {"1234", "123", "12345", "abcd"}) others.say(text);
  }
  EXPECT_THAT(failure_of_source<int>(topic),
              HasSubstr(topic.text() + ", partition 0, offset 1: an item is cut off"));
  int n = 0;
  tw::run(tw::kafka_source<int>(topic, reading(tw::kafka_end::last), {.on_error = tw::skip}) |
          tw::sink([&](int) { ++n; }));
  EXPECT_EQ(n, 2);
}

TEST_F(Kafka, AStreamOfOtherItemsIsRefused) {
  const auto topic = new_topic(1);
  send(std::vector<std::string>{"a"}, topic);
  EXPECT_THAT(failure_of_source<int>(topic), HasSubstr("has items of 'text', but this source takes 'i32'"));
}

TEST_F(Kafka, AnItemThatIsTooLongCanBeLeftOut) {
  const auto topic = new_topic(1);
  const std::vector<std::string> all{"a", std::string(1'000, 'x'), "b"};
  tw::run(tw::source(all) |
          tw::kafka_sink<std::string>(topic, {.longest_item = 100}, {.on_error = tw::skip}));
  EXPECT_EQ(all_of<std::string>(topic, reading()), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Kafka, StreamsThatCannotBeAreErrors) {
  const auto begin = raw_producer::label(1, 7, 0), other = raw_producer::label(1, 9, 0);
  const auto hello = raw_producer::hello("i32");
  using messages = std::vector<std::pair<std::string, std::string>>;
  const auto item = [](std::uint64_t number, std::uint64_t stream = 7) {
    return std::pair<std::string, std::string>{"1234", raw_producer::label(0, stream, number)};
  };
  const auto end = [](std::uint64_t items) {
    return std::pair<std::string, std::string>{"", raw_producer::label(2, 7, items)};
  };
  for (const auto& [what, says] : std::vector<std::pair<messages, const char*>>{
           {{{hello, begin}, item(0), item(2)}, "offset 2: item 2 comes, but item 1 of the stream has not"},
           {{{hello, begin}, item(0), end(2)}, "the stream has 2 items, but 1 have come"},
           {{item(5)}, "offset 0: the beginning of this stream is not there any more"},
           {{{hello, begin}, item(0), {hello, other}}, "another stream begins before this one has ended"},
           {{{hello, begin}, item(0), item(1, 9)},
            "a message of another stream is in the middle of this one"},
           {{{hello, begin}, item(0), {"1234", ""}},
            "a message of another program is in the middle of a stream"},
           {{{"1234", "nonsense"}}, "its header 'thalweg' was not written by Thalweg"},
           {{{"xy", begin}}, "offset 0: an item is cut off"},
           {{{hello, begin}, {"no more", raw_producer::label(3, 7, 0)}},
            "the sender has given up its stream"}}) {
    const auto topic = new_topic(1);
    {
      const raw_producer by_hand(topic);
      for (const auto& [text, label] : what) by_hand.say(text, label);
    }
    EXPECT_THAT(failure_of_source<int>(topic), HasSubstr(says));
  }
}

TEST_F(Kafka, TheClockOfAnotherMachineIsKnownThroughTheWallClocks) {
  const auto topic = new_topic(1);
  const auto ns = [](auto time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  };
  const auto wall_ahead = ns(std::chrono::system_clock::now()) - tw::observe::now_ns();
  constexpr std::int64_t earlier = 7'000'000'000'000;  // so much before ours that machine was started
  {
    const raw_producer by_hand(topic);
    by_hand.say(raw_producer::hello("i32", wall_ahead - earlier), raw_producer::label(1, 7, 0));
  }
  tw::net::kafka_inlet from(topic, {.settings = impatient});
  ASSERT_TRUE(from.await_sender());
  EXPECT_EQ(from.clock().by, tw::net::sender_clock::relation::wall_clocks);
  EXPECT_NEAR(static_cast<double>(from.clock().ahead_ns), static_cast<double>(earlier), 1e9);
}

TEST_F(Kafka, ARunThatFailsTellsTheReceiver) {
  const auto topic = new_topic(2);
  std::atomic<int> came{0};
  sending sender(tw::source([&came, n = 0]() mutable -> std::optional<int> {
                   if (n < 3) return n++;
                   EXPECT_TRUE(eventually([&] { return came > 0; }));
                   throw std::runtime_error("the well is dry");
                 }) |
                 tw::kafka_sink<int>(topic));
  const auto why = failure_of([&] {
                     tw::run(tw::kafka_source<int>(topic, reading()) | tw::sink([&](int) { ++came; }));
                   }).cause;
  EXPECT_THAT(why, HasSubstr("has given up its stream"));
  EXPECT_THAT(sender.failure(), HasSubstr("the well is dry"));
}

TEST_F(Kafka, ASenderThatSaysNothingIsWaitedForAsLongAsAsked) {
  const auto topic = new_topic(1);
  EXPECT_THAT(failure_of_source<int>(topic, {.come_within = 50ms}),
              HasSubstr("nothing has come from " + topic.text() + " within 50 ms"));
}

TEST_F(Kafka, StopAndCancelEndEveryWaitOfASource) {
  for (const auto& topic : {new_topic(2), tw::kafka_topic{"127.0.0.1:1", "numbers"}}) {
    for (const bool cancel : {false, true}) {
      auto run = tw::launch(tw::kafka_source<int>(topic) | tw::sink([](int) {}));
      std::this_thread::sleep_for(20ms);
      if (cancel)
        run.cancel();
      else
        run.stop();
      run.wait();  // or the test hangs
    }
  }
}

TEST_F(Kafka, CancelEndsEveryWaitOfASink) {
  const mock_cluster mine;
  for (const bool there : {false, true}) {
    const tw::kafka_topic topic{there ? mine.where() : "127.0.0.1:1", "numbers"};
    std::atomic<int> given{0};
    auto run = tw::launch(tw::source([&] {
                            if (there && given == 5) rd_kafka_mock_broker_set_down(mine.get(), -1);
                            return std::optional(std::string(10'000, 'x') + std::to_string(++given));
                          }) |
                          tw::kafka_sink<std::string>(
                              topic, {.longest_item = 20'000, .capacity = 50'000, .connect_within = 1h}));
    int before = -1;
    EXPECT_TRUE(eventually([&] {
      std::this_thread::sleep_for(50ms);
      return given > 0 && std::exchange(before, given.load()) == given;
    }));
    run.cancel();
    run.wait();  // or the test hangs
  }
}

}  // namespace
