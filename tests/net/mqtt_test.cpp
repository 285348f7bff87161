// Streams over MQTT, with the broker of Debian's package mosquitto: what comes, in which order, and what
// becomes of brokers and messages that are not as they should be.
#include <thalweg/net/mqtt.hpp>
#include <thalweg/thalweg.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../../src/net/mqtt/quiet_pipe.hpp"
#include "net/mosquitto_broker.hpp"
#include "net/relay.hpp"
#include "net/sending.hpp"
#include "support/difference.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/scale.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<int> numbers(int n, int from = 0) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), from);
  return all;
}

const std::string keeps = "allow_anonymous true\npersistence true\n";

class Mqtt : public testing::Test {
 protected:
  void SetUp() override {
    if (mosquitto_broker::program().empty()) GTEST_SKIP() << "apt-get install mosquitto";
  }
  static tw::mqtt_topic at(const mosquitto_broker& broker, const std::string& topic = "numbers") {
    return {.host = "127.0.0.1", .topic = topic, .port = broker.port()};
  }
  /// The broker keeps what comes to the topic for a source of that session from now on.
  static tw::mqtt_session subscribed(const tw::mqtt_topic& to, const std::string& name = "reader",
                                     tw::mqtt_qos qos = tw::mqtt_qos::at_least_once) {
    tw::net::mqtt_inlet from(to, {.qos = qos, .session = {name}});
    EXPECT_TRUE(from.await_sender());
    return {name};
  }
  template <class T>
  static std::vector<T> all_of(const tw::mqtt_topic& from, tw::mqtt_source_options how,
                               tw::options opts = {}) {
    std::vector<T> seen;
    how.come_within = 30s;
    tw::run(tw::mqtt_source<T>(from, std::move(how), std::move(opts)) | tw::sink(seen));
    return seen;
  }
  static std::string failure_of_source(const tw::mqtt_topic& from, tw::mqtt_source_options how = {}) {
    how.connect_within = 300ms;
    return failure_of([&] { tw::run(tw::mqtt_source<int>(from, how) | tw::sink([](int) {})); }).cause;
  }
  static std::string failure_of_sink(const tw::mqtt_topic& to, tw::mqtt_sink_options<int> how = {}) {
    how.connect_within = 300ms;
    return failure_of([&] { tw::run(tw::source(numbers(3)) | tw::mqtt_sink<int>(to, how)); }).cause;
  }
  /// What a sink says at its end, and how a source sees that.
  static tw::mqtt_message end_of(const tw::mqtt_topic& topic, tw::mqtt_qos qos) {
    return {.topic = topic.topic, .payload = "end", .qos = qos};
  }
  static bool is_end(const tw::mqtt_message& one) { return one.payload == "end"; }
  /// Keeps a number of a stream in which none may be left out, and with QoS 1 some may come again.
  static void take(int number, tw::mqtt_qos qos, std::vector<int>& seen) {
    if (qos == tw::mqtt_qos::exactly_once || number >= static_cast<int>(seen.size())) seen.push_back(number);
  }
  template <class T> static void send(const std::vector<T>& items, const tw::mqtt_topic& to) {
    tw::run(tw::source(items) | tw::mqtt_sink<T>(to));
  }
};

TEST_F(Mqtt, ItemsComeInOrderWithEachQos) {
  const mosquitto_broker broker;
  for (const auto qos :
       {tw::mqtt_qos::at_most_once, tw::mqtt_qos::at_least_once, tw::mqtt_qos::exactly_once}) {
    const auto topic = at(broker, "numbers" + std::to_string(static_cast<int>(qos)));
    std::vector<std::string> all;
    for (int i = 0; i < scaled(3'000); ++i)
      all.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i) % 100, '.'));
    tw::net::mqtt_inlet from(topic, {.qos = qos, .count = all.size()});
    ASSERT_TRUE(from.await_sender());
    sending sender(tw::source(all) | tw::mqtt_sink<std::string>(topic, {.qos = qos}));
    std::vector<std::string> seen;
    while (const auto item = from.next()) {
      EXPECT_EQ(from.message().qos, qos);
      seen.push_back(tw::decode<std::string>(*item));
    }
    EXPECT_EQ(sender.failure(), "");
    EXPECT_TRUE(seen == all);
    EXPECT_TRUE(from.ended());
  }
}

TEST_F(Mqtt, ASessionGoesOnWhereItLeft) {
  const mosquitto_broker broker;
  for (const auto qos : {tw::mqtt_qos::at_least_once, tw::mqtt_qos::exactly_once}) {
    const auto topic = at(broker, "numbers" + std::to_string(static_cast<int>(qos)));
    const auto session = subscribed(topic, topic.topic, qos);
    tw::run(tw::source(numbers(500)) | tw::mqtt_sink<int>(topic, {.qos = qos}));
    EXPECT_EQ(all_of<int>(topic, {.qos = qos, .session = session, .count = 200}), numbers(200));
    tw::run(tw::source(numbers(10, 500)) | tw::mqtt_sink<int>(topic, {.qos = qos}));
    const auto rest =
        all_of<int>(topic, {.qos = qos, .session = session, .until = [](const auto& x) {
                              return tw::decode<int>(std::as_bytes(std::span(x.payload))) == 509;
                            }});
    ASSERT_FALSE(rest.empty());
    // With QoS 1, what a source has confirmed last may come again: the broker need not have heard of it.
    EXPECT_TRUE(rest.front() == 200 || (rest.front() < 200 && qos == tw::mqtt_qos::at_least_once))
        << rest.front();
    EXPECT_EQ(rest, numbers(509 - rest.front(), rest.front()));
  }
}

TEST_F(Mqtt, ASinkSaysWhenASourceEnds) {
  const mosquitto_broker broker;
  const auto topic = at(broker, "readings/#");
  const auto session = subscribed(topic);
  tw::run(tw::source(numbers(5)) | tw::mqtt_sink<int>(at(broker, "readings/kitchen"),
                                                      {.at_end = tw::mqtt_message{.topic = "readings/end"}}));
  EXPECT_EQ(all_of<int>(topic, {.session = session,
                                .until = [](const auto& x) { return x.topic == "readings/end"; }}),
            numbers(5));
}

TEST_F(Mqtt, MessagesOfOthersComeAndGoAsTheyAre) {
  const mosquitto_broker broker;
  const auto topic = at(broker, "rooms/+/light");
  const auto session = subscribed(topic, "reader", tw::mqtt_qos::exactly_once);
  const std::vector<tw::mqtt_message> all{
      {"rooms/kitchen/light", "on", tw::mqtt_qos::exactly_once},
      {"rooms/kitchen/heat", "not asked for"},
      {"rooms/hall/light", std::string("\0off", 4), tw::mqtt_qos::at_least_once},
      {"rooms/hall/light", ""},
  };
  send(all, at(broker, "rooms"));
  auto seen =
      all_of<tw::mqtt_message>(topic, {.qos = tw::mqtt_qos::exactly_once, .session = session, .count = 3});
  // Only messages of one QoS keep their order.
  EXPECT_THAT(seen, testing::UnorderedElementsAre(all[0], all[2], all[3]));
}

TEST_F(Mqtt, WhatIsRetainedComesFirstAndOnce) {
  const mosquitto_broker broker;
  tw::run(
      tw::source(numbers(6)) |
      tw::mqtt_sink<int>(at(broker, "state"),
                         {.topic = [](int x) { return "state/" + std::to_string(x % 2); }, .retain = true}));
  const auto topic = at(broker, "state/+");
  const auto kept = all_of<tw::mqtt_message>(topic, {.count = 2});
  ASSERT_EQ(kept.size(), 2U);
  for (const auto& one : kept) EXPECT_TRUE(one.retain);
  EXPECT_THAT(all_of<int>(topic, {.count = 2}), testing::UnorderedElementsAre(4, 5));
  // Without what was kept, and not again where a session goes on.
  tw::net::mqtt_inlet without(topic, {.session = {"without"}, .retained = false, .count = 1});
  ASSERT_TRUE(without.await_sender());
  EXPECT_EQ(all_of<int>(topic, {.session = {"goes on"}, .count = 2}).size(), 2U);
  send(std::vector{7}, at(broker, "state/0"));
  EXPECT_EQ(all_of<int>(topic, {.session = {"goes on"}, .count = 1}), std::vector{7});
  const auto next = without.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(tw::decode<int>(*next), 7);
  EXPECT_FALSE(without.message().retain);
}

TEST_F(Mqtt, ABrokerThatIsNotThereEndsTheRun) {
  const auto nowhere = raw_peer::listening().port();
  const tw::mqtt_topic topic{.host = "127.0.0.1", .topic = "numbers", .port = nowhere};
  const auto its = "127.0.0.1:" + std::to_string(nowhere);
  EXPECT_THAT(failure_of_source(topic), AllOf(HasSubstr("no MQTT broker answers at " + its),
                                              HasSubstr("tried for 300 ms"), HasSubstr("refused")));
  EXPECT_THAT(failure_of_sink(topic), HasSubstr("no MQTT broker answers at " + its));
  EXPECT_THAT(failure_of_source({.host = "no-such-host.invalid", .topic = "numbers"}),
              HasSubstr("no-such-host.invalid:1883"));
}

TEST_F(Mqtt, WhoIsNoBrokerEndsTheRun) {
  const auto silent = raw_peer::listening();
  const tw::mqtt_topic topic{.host = "127.0.0.1", .topic = "numbers", .port = silent.port()};
  EXPECT_THAT(failure_of_source(topic), HasSubstr("it has said nothing"));
  const auto other = raw_peer::listening();
  const std::jthread speaks([&] {
    (void)other.accepted();  // who only looks whether somebody is there
    const auto one = other.accepted();
    one.say("HTTP/1.1 400 Bad Request\r\n\r\n");
    (void)one.hear();
  });
  EXPECT_THAT(failure_of_source({.host = "127.0.0.1", .topic = "numbers", .port = other.port()}),
              HasSubstr("127.0.0.1:" + std::to_string(other.port())));
}

TEST_F(Mqtt, AWrongPasswordEndsTheRun) {
  const scratch files;
  const auto passwords = (files / "passwords").string();
  ASSERT_EQ(std::system(("mosquitto_passwd -c -b " + passwords + " reader secret").c_str()), 0);
  const mosquitto_broker broker("allow_anonymous false\npassword_file " + passwords + "\n");
  auto topic = at(broker);
  EXPECT_THAT(failure_of_source(topic), HasSubstr("Give a .username and a .password"));
  topic.username = "reader";
  topic.password = "guessed";
  for (const auto& says : {failure_of_source(topic), failure_of_sink(topic)})
    EXPECT_THAT(says, AllOf(HasSubstr(topic.text() + " (user 'reader'): it refuses the connection"),
                            testing::Not(HasSubstr("guessed"))));
  topic.password = "secret";
  const auto session = subscribed(topic);
  send(numbers(3), topic);
  EXPECT_EQ(all_of<int>(topic, {.session = session, .count = 3}), numbers(3));
}

TEST_F(Mqtt, ATopicThatMayNotBeReadOrWrittenEndsTheRun) {
  const scratch files;
  std::ofstream(files / "acl") << "topic read open\ntopic write open\n";
  const mosquitto_broker broker("allow_anonymous true\nacl_file " + (files / "acl").string() + "\n");
  EXPECT_THAT(failure_of_sink(at(broker, "closed")),
              AllOf(HasSubstr("/closed: the broker does not take a message"), HasSubstr("Not authorized")));
}

TEST_F(Mqtt, ABrokerThatDiesEndsTheRunsThatUseIt) {
  mosquitto_broker broker;
  const auto topic = at(broker);
  std::atomic<int> came{0};
  std::string of_source;
  std::jthread reads([&] {
    of_source =
        failure_of([&] {
          tw::run(tw::mqtt_source<int>(topic, {.connect_within = 300ms}) | tw::sink([&](int) { ++came; }));
        }).cause;
  });
  std::atomic<bool> gone{false};
  sending sender(tw::source([&, n = 0]() mutable -> std::optional<int> {
                   if (n == 1'000) eventually([&] { return gone.load(); });
                   if (n < 1'000) eventually([&] { return n < 10 || came > 0; }, 10ms);
                   return n++;
                 }) |
                 tw::mqtt_sink<int>(topic, {.connect_within = 300ms}));
  EXPECT_TRUE(eventually([&] { return came > 0; }));
  broker.kill();
  gone = true;
  const auto its = HasSubstr("no MQTT broker answers at 127.0.0.1:" + std::to_string(broker.port()));
  EXPECT_THAT(sender.failure(), its);
  reads.join();
  EXPECT_THAT(of_source, its);
}

TEST_F(Mqtt, ABrokerThatComesBackLosesNothing) {
  mosquitto_broker broker(keeps);
  for (const auto qos : {tw::mqtt_qos::at_least_once, tw::mqtt_qos::exactly_once}) {
    const auto topic = at(broker, "numbers" + std::to_string(static_cast<int>(qos)));
    const int items = 300;
    tw::net::mqtt_inlet from(topic, {.qos = qos, .until = is_end, .come_within = 30s});
    ASSERT_TRUE(from.await_sender());
    std::atomic<int> given{0};
    std::atomic<bool> back{false};
    sending sender(tw::source([&]() -> std::optional<int> {
                     if (given == 200) eventually([&] { return back.load(); });
                     return given < items ? std::optional(given++) : std::nullopt;
                   }) |
                   tw::mqtt_sink<int>(topic, {.qos = qos, .at_end = end_of(topic, qos)}));
    std::vector<int> seen;
    while (const auto item = from.next()) {
      // Debian's broker (2.0.11) forgets in a restart which of more than 20 messages of QoS 2 have come.
      take(tw::decode<int>(*item), tw::mqtt_qos::at_least_once, seen);
      if (seen.size() != 100 || back) continue;
      broker.stop();
      ASSERT_TRUE(broker.start());
      back = true;
    }
    EXPECT_EQ(sender.failure(), "");
    EXPECT_EQ(seen, numbers(items)) << difference(numbers(items), seen);
  }
}

TEST_F(Mqtt, ABrokerThatHasForgottenTheSessionEndsTheRun) {
  mosquitto_broker broker;
  const auto topic = at(broker);
  const auto forget = [&] {
    broker.kill();
    ASSERT_TRUE(broker.start());
  };
  tw::net::mqtt_inlet strict(topic, {});
  tw::net::mqtt_inlet may_lose(topic, {.loss = tw::mqtt_loss::go_on});
  tw::net::mqtt_inlet loses(topic, {.qos = tw::mqtt_qos::at_most_once});
  for (auto* one : {&strict, &may_lose, &loses}) ASSERT_TRUE(one->await_sender());
  forget();
  try {
    strict.next();
    FAIL() << "nothing was lost";
  } catch (const tw::network_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr(topic.text()), HasSubstr("lost this client's session"),
                                HasSubstr(".loss = mqtt_loss::go_on")));
  }
  EXPECT_THROW(strict.next(), tw::network_error);
  for (auto* one : {&may_lose, &loses}) {
    EXPECT_FALSE(one->ready_by(tw::observe::now_ns() + 500'000'000));  // it is back by then, as a rule
    std::atomic<bool> enough{false};
    sending sender(tw::source([&, n = 0]() mutable -> std::optional<int> {
                     std::this_thread::sleep_for(10ms);
                     return enough ? std::nullopt : std::optional(n++);
                   }) |
                   tw::mqtt_sink<int>(topic));
    EXPECT_TRUE(one->next());
    enough = true;
    one->close("enough");
  }
}

TEST_F(Mqtt, AConnectionThatBreaksIsReplaced) {
  const mosquitto_broker broker;
  relay to_source(broker.port()), to_sink(broker.port());
  auto from_there = at(broker), to_there = from_there;
  const auto port_of = [](const relay& one) { return tw::net::address::parse(one.where()).port; };
  from_there.port = port_of(to_source);
  to_there.port = port_of(to_sink);
  const int items = 2'000;
  for (const auto qos : {tw::mqtt_qos::at_least_once, tw::mqtt_qos::exactly_once}) {
    tw::net::mqtt_inlet from(from_there, {.qos = qos, .until = is_end, .come_within = 30s});
    ASSERT_TRUE(from.await_sender());
    std::atomic<int> given{0};
    sending sender(tw::source([&]() -> std::optional<int> {
                     if (given % 100 == 50) to_sink.cut();
                     return given < items ? std::optional(given++) : std::nullopt;
                   }) |
                   tw::mqtt_sink<int>(to_there, {.qos = qos, .at_end = end_of(to_there, qos)}));
    std::vector<int> seen;
    int came = 0;
    while (const auto item = from.next()) {
      if (std::exchange(came, came + 1) % 100 == 50) to_source.cut();
      take(tw::decode<int>(*item), qos, seen);
    }
    EXPECT_EQ(sender.failure(), "");
    EXPECT_EQ(seen, numbers(items)) << difference(numbers(items), seen);
  }
}

TEST_F(Mqtt, AStopEndsAllWaits) {
  const mosquitto_broker broker;
  const auto topic = at(broker);
  tw::run(tw::source(numbers(1)) | tw::mqtt_sink<int>(topic, {.retain = true}));
  for (const bool cancels : {false, true}) {
    std::atomic<int> came{0};
    auto waits =
        tw::launch(tw::mqtt_source<int>(topic, {.connect_within = 600s}) | tw::sink([&](int) { ++came; }));
    EXPECT_TRUE(eventually([&] { return came == 1; }));
    if (cancels)
      waits.cancel();
    else
      waits.stop();
    waits.wait();
  }
}

TEST_F(Mqtt, AStopEndsWaitsForABrokerThatIsNotThere) {
  const auto silent = raw_peer::listening();  // takes the connection, and says nothing
  for (const auto port : {raw_peer::listening().port(), silent.port()}) {
    const tw::mqtt_topic topic{.host = "127.0.0.1", .topic = "numbers", .port = port};
    auto reads = tw::launch(tw::mqtt_source<int>(topic, {.connect_within = 600s}) | tw::sink([](int) {}));
    std::this_thread::sleep_for(50ms);
    reads.stop();
    reads.wait();
    auto writes = tw::launch(tw::source(numbers(1)) | tw::mqtt_sink<int>(topic, {.connect_within = 600s}));
    std::this_thread::sleep_for(50ms);
    writes.cancel();
    writes.wait();
  }
}

TEST_F(Mqtt, ABrokerThatConfirmsNothingEndsTheRun) {
  const mosquitto_broker broker;
  const auto topic = at(broker);
  tw::net::mqtt_outlet to(topic, {.in_flight = 2, .connect_within = 300ms});
  ASSERT_TRUE(to.connect());
  broker.freeze();
  EXPECT_TRUE(to.send({}));
  EXPECT_TRUE(to.send({}));
  try {
    to.send({});
    FAIL() << "a third one is under way";
  } catch (const tw::network_error& e) {
    EXPECT_THAT(e.what(),
                AllOf(HasSubstr(topic.text()), HasSubstr("has not confirmed 2 items within 300 ms")));
  }
}

TEST_F(Mqtt, BytesThatAreNoItemAreAnErrorOfThatMessage) {
  const mosquitto_broker broker;
  const auto topic = at(broker, "mixed/#");
  const auto session = subscribed(topic), strict = subscribed(topic, "strict");
  send(std::vector<tw::mqtt_message>{{"mixed/raw", "no int"}}, at(broker, "mixed"));
  send(std::vector<std::string>{"a text"}, at(broker, "mixed/texts"));
  send(numbers(2), at(broker, "mixed/numbers"));
  EXPECT_EQ(all_of<int>(topic, {.session = session, .count = 4}, {.on_error = tw::skip}), numbers(2));
  const auto where = "mqtt://127.0.0.1:" + std::to_string(broker.port());
  EXPECT_THAT(failure_of_source(topic, {.session = strict}), HasSubstr(where + "/mixed/raw: "));
  EXPECT_THAT(failure_of_source(topic, {.session = strict}),
              AllOf(HasSubstr(where + "/mixed/texts: "), HasSubstr("but this source takes 'i32'")));
}

TEST_F(Mqtt, AnItemThatCannotBeSentIsAnErrorOfThatItem) {
  const mosquitto_broker broker;
  const auto topic = at(broker, "state/#");
  const auto session = subscribed(topic);
  const auto to = [&](tw::error_policy on_error) {
    return tw::mqtt_sink<int>(at(broker, "state"),
                              {.topic = [](int x) { return x == 1 ? "state/+" : "state/0"; }},
                              {.on_error = on_error});
  };
  EXPECT_THAT(failure_of([&] { tw::run(tw::source(numbers(3)) | to(tw::stop)); }).cause,
              AllOf(HasSubstr("'state/+'"), HasSubstr("no + and no #")));
  tw::run(tw::source(numbers(3)) | to(tw::skip));
  EXPECT_EQ(all_of<int>(topic, {.session = session, .count = 3}), (std::vector{0, 0, 2}));
}

// Debian's broker does not say so: both would take the session from each other.
TEST_F(Mqtt, AnotherSourceOfTheSameNameEndsTheRun) {
  const auto broker = raw_peer::listening();
  const std::jthread speaks([&] {
    (void)broker.accepted();  // of a client that looks whether there is a broker
    const auto one = broker.accepted();
    const auto packet = [&](std::string_view bytes) { one.say(bytes); };
    (void)one.hear(10);
    packet({"\x20\x03\x00\x00\x00", 5});      // welcome
    packet({"\x90\x04\x00\x01\x00\x01", 6});  // subscribed
    packet({"\xe0\x02\x8e\x00", 4});          // session taken over
    (void)one.hear();
  });
  EXPECT_THAT(failure_of_source({.host = "127.0.0.1", .topic = "numbers", .port = broker.port()},
                                {.session = {"same"}}),
              AllOf(HasSubstr("127.0.0.1:" + std::to_string(broker.port()) + "/numbers: "),
                    HasSubstr("Session taken over"), HasSubstr(".session.name")));
}

TEST_F(Mqtt, NothingComesInTime) {
  const mosquitto_broker broker;
  EXPECT_THAT(failure_of_source(at(broker), {.come_within = 50ms}),
              AllOf(HasSubstr("nothing has come from " + at(broker).text()), HasSubstr("50 ms")));
}

// Of what the broker sends again, libmosquitto keeps copies, and gives them when it should not.
TEST_F(Mqtt, WhatTheBrokerSendsAgainComesOnce) {
  const auto broker = raw_peer::listening();
  const auto number_of = [](int n) { return std::string{'\0', static_cast<char>(n)}; };
  const auto publish = [&](const raw_peer& to, int n, const std::string& payload, bool again = false) {
    to.say((again ? "\x3c" : "\x34") + std::string{static_cast<char>(12 + payload.size()), '\0', '\x07'} +
           "numbers" + number_of(n) + std::string(1, '\0') + payload);
  };
  const auto complete = [&](const raw_peer& to, int n) { to.say("\x62\x02" + number_of(n)); };
  const auto hear = [](const raw_peer& from, const std::string& bytes) {
    std::string all;
    while (all.find(bytes) == all.npos) {
      const auto more = from.hear(1);
      if (more.empty()) return;
      all += more;
    }
  };
  const auto confirmed = [&](const raw_peer& from, int n) { hear(from, "\x50\x02" + number_of(n)); };
  const auto connected = [&](bool known) {
    for (;;) {
      auto one = broker.accepted();
      if (one.fd() < 0) return one;
      if (one.hear(10).empty()) continue;  // a client that looks whether there is a broker
      one.say(std::string{'\x20', '\x03', known ? '\x01' : '\0', '\0', '\0'});
      return one;
    }
  };
  const std::jthread speaks([&](const std::stop_token& stop) {
    const std::stop_callback ends(stop, [&] { broker.cut(); });
    {
      const auto first = connected(false);
      hear(first, "numbers");
      first.say({"\x90\x04\x00\x01\x00\x02", 6});
      publish(first, 1, "a");
      publish(first, 2, "b");
      confirmed(first, 2);
    }
    for (const bool lost : {true, false}) {  // a confirmation of the first
      const auto next = connected(true);
      publish(next, 1, "a", true);
      confirmed(next, 1);
      if (lost) continue;
      complete(next, 1);
      hear(next, "\x70\x02" + number_of(1));  // which is lost, too
    }
    {
      const auto next = connected(true);
      complete(next, 1);
      complete(next, 2);
      (void)next.hear();
    }
    // The number is used for another message.
    const auto last = connected(true);
    publish(last, 1, "c");
    confirmed(last, 1);
    complete(last, 1);
    (void)last.hear();
  });
  std::vector<std::string> seen;
  for (const auto& one :
       all_of<tw::mqtt_message>({.host = "127.0.0.1", .topic = "numbers", .port = broker.port()},
                                {.qos = tw::mqtt_qos::exactly_once, .count = 3}))
    seen.push_back(one.payload);
  EXPECT_THAT(seen, ElementsAre("a", "b", "c"));
}

// Or the signal would end this process.
TEST(MqttPipes, AWriteToAConnectionThatIsGoneRaisesNoSignal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  {
    const tw::net::mqtt::quiet_pipe none;
    EXPECT_EQ(::write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }
  ::close(ends[1]);
}

TEST(MqttTopics, InvalidOnesAreRefusedBeforeTheRun) {
  const auto of_source = [](tw::mqtt_topic topic) {
    return problems_of([&] { tw::run(tw::mqtt_source<int>(topic) | tw::sink([](int) {})); });
  };
  const auto of_sink = [](tw::mqtt_topic topic, tw::mqtt_sink_options<int> how = {}) {
    return problems_of([&] { tw::run(tw::source(numbers(1)) | tw::mqtt_sink<int>(topic, how)); });
  };
  EXPECT_THAT(of_source({.host = "", .topic = "a"}), ElementsAre(HasSubstr("names no broker")));
  EXPECT_THAT(of_source({.host = "here", .topic = ""}), ElementsAre(HasSubstr("names no topic")));
  EXPECT_THAT(of_source({.host = "here", .topic = "a+/b"}),
              ElementsAre(HasSubstr("cannot be a topic filter")));
  EXPECT_THAT(of_source({.host = "here", .topic = "a", .password = "x"}),
              ElementsAre(HasSubstr("no .username")));
  EXPECT_THAT(of_source({.host = "here", .topic = "a", .tls = tw::mqtt_tls{.key = "x"}}),
              ElementsAre(HasSubstr("only one of .certificate and .key")));
  EXPECT_THAT(of_sink({.host = "here", .topic = "a/#"}), ElementsAre(HasSubstr("a topic has no + and no #")));
  EXPECT_THAT(of_sink({.host = "here", .topic = "a"}, {.in_flight = 0}),
              ElementsAre(HasSubstr(".in_flight is 0")));
  EXPECT_EQ((tw::mqtt_topic{.host = "::1", .topic = "a", .tls = tw::mqtt_tls{}}).text(),
            "mqtts://[::1]:8883/a");
}

}  // namespace
