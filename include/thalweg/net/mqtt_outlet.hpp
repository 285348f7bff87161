/// The sending end of a stream of messages that go to an MQTT broker.
#pragma once

#include <thalweg/net/carrier.hpp>
#include <thalweg/net/inlet.hpp>
#include <thalweg/net/mqtt_topic.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::net {

struct mqtt_outlet_options {
  std::string tag = {};  ///< what its items are (`tag_of`); empty: it is not said
  mqtt_qos qos = mqtt_qos::at_least_once;
  bool retain = false;
  /// What is sent when the stream has ended and all items are confirmed.
  std::optional<mqtt_message> at_end = {};
  /// Items of QoS 1 and 2 that are sent and not confirmed, at most. The broker may allow fewer.
  std::uint16_t in_flight = 20;
  /// How long to try to reach the broker, and to wait for its next confirmation.
  std::chrono::milliseconds connect_within = usual_wait;
  std::function<bool()> given_up = {};
};

/// Sends messages in the calls of its user: it has no thread. Each is on its way when `send` returns, at once
/// and in order. A connection that broke is replaced in the next call, which also sends again what is not
/// confirmed.
class mqtt_outlet final : public outgoing {
 public:
  /// \throws network_error  if there can be no such topic, or a file of TLS cannot be used
  mqtt_outlet(mqtt_topic to, mqtt_outlet_options how);
  /// Leaves the broker.
  ~mqtt_outlet() override;

  /// \throws network_error  as all others do: if the broker cannot be reached in time, or refuses
  bool connect() override;
  using outgoing::send;
  bool send(std::span<const std::byte> item, std::string_view key) override;
  /// \throws network_error  also if the topic is invalid or the message is too long for the broker, which
  /// does not harm the stream
  bool send_message(const std::string& topic, std::span<const std::byte> payload, mqtt_qos qos, bool retain);
  /// Waits until the broker has confirmed all.
  bool end() override;

  void interrupt() noexcept override;
  void interrupt_on(const std::stop_token& stop) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE::net
