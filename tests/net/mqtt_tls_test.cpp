// Streams over MQTT with TLS: who is trusted, and what is said where nobody is.
#include <thalweg/net/mqtt.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/certificates.hpp"
#include "net/mosquitto_broker.hpp"
#include "net/sending.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class MqttTls : public testing::Test {
 protected:
  void SetUp() override {
    if (mosquitto_broker::program().empty()) GTEST_SKIP() << "apt-get install mosquitto";
  }
  static const authority& ours() {
    static const authority one("ours");
    return one;
  }
  static const authority& others() {
    static const authority one("others");
    return one;
  }
  static std::string secured(const std::string& more = {}) {
    static const auto its = ours().issue("broker", "DNS:localhost,IP:127.0.0.1");
    return "allow_anonymous true\ncertfile " + its.certificate + "\nkeyfile " + its.key + "\n" + more;
  }
  static tw::mqtt_topic at(const mosquitto_broker& broker, tw::mqtt_tls tls) {
    return {.host = "127.0.0.1", .topic = "numbers", .port = broker.port(), .tls = std::move(tls)};
  }
  static std::string failure_of_source(const tw::mqtt_topic& from) {
    return failure_of(
               [&] { tw::run(tw::mqtt_source<int>(from, {.connect_within = 20s}) | tw::sink([](int) {})); })
        .cause;
  }
  static void expect_stream_through(const tw::mqtt_topic& topic) {
    const std::vector<int> all{1, 2, 3};
    tw::net::mqtt_inlet from(topic, {.count = all.size()});
    ASSERT_TRUE(from.await_sender());
    sending sender(tw::source(all) | tw::mqtt_sink<int>(topic));
    std::vector<int> seen;
    while (const auto item = from.next()) seen.push_back(tw::decode<int>(*item));
    EXPECT_EQ(sender.failure(), "");
    EXPECT_EQ(seen, all);
  }
};

TEST_F(MqttTls, ATrustedBrokerCarriesAStream) {
  const mosquitto_broker broker(secured());
  expect_stream_through(at(broker, {.trusted = ours().path()}));
}

TEST_F(MqttTls, ABrokerMayAskForACertificate) {
  const mosquitto_broker broker(secured("cafile " + ours().path() + "\nrequire_certificate true\n"));
  const auto its = ours().issue("reader", "DNS:reader");
  expect_stream_through(
      at(broker, {.trusted = ours().path(), .certificate = its.certificate, .key = its.key}));
}

TEST_F(MqttTls, ABrokerThatNobodyVouchesForEndsTheRun) {
  const mosquitto_broker broker(secured());
  for (const tw::mqtt_tls& tls : {tw::mqtt_tls{.trusted = others().path()}, tw::mqtt_tls{}}) {
    const auto topic = at(broker, tls);
    EXPECT_THAT(failure_of_source(topic), AllOf(HasSubstr(topic.text() + ": the broker cannot be trusted"),
                                                HasSubstr("certificate verify failed")));
  }
}

TEST_F(MqttTls, FilesThatCannotBeUsedEndTheRun) {
  const auto topic =
      tw::mqtt_topic{.host = "localhost", .topic = "a", .tls = tw::mqtt_tls{.trusted = "/none"}};
  EXPECT_THAT(failure_of_source(topic),
              AllOf(HasSubstr("a file of .tls cannot be used"), HasSubstr("must be PEM files")));
}

}  // namespace
