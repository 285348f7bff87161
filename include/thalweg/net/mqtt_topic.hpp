/// Where messages of MQTT come from and go to, and what they are.
#pragma once

#include <thalweg/net/address.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace THALWEG_NAMESPACE {

/// What MQTT promises for a message on its way from a sender to the broker, and again from the broker to a
/// receiver. On the whole way the lower promise of the two holds. It ends where the source has read a
/// message: what happens to it in the stream is not part of it.
enum class mqtt_qos : std::uint8_t {
  at_most_once,   ///< QoS 0: it is sent, and may be lost
  at_least_once,  ///< QoS 1: it is confirmed, and may come twice when a connection breaks
  exactly_once,   ///< QoS 2: it is confirmed in two steps, and comes once
};

/// Files of TLS, which are PEM.
struct mqtt_tls {
  std::string trusted = {};  ///< who may have signed the broker's certificate; empty: whom the system trusts
  std::string certificate = {};  ///< that of this side, if the broker asks for one
  std::string key = {};          ///< the certificate's private key
};

/// A topic and its broker, which must speak MQTT 5: `{.host = "localhost", .topic = "readings/kitchen"}`.
struct mqtt_topic {
  std::string host;        ///< a name or a number
  std::string topic;       ///< for a source also a filter: `readings/+`, `readings/#`
  std::uint16_t port = 0;  ///< 0: the usual one, which is 1883, and 8883 with TLS
  std::string username = {};
  std::string password = {};
  std::optional<mqtt_tls> tls = {};  ///< encrypts, and proves the broker's identity; without it, neither

  [[nodiscard]] net::address broker() const;
  /// As a text, without the password: `mqtt://localhost:1883/readings/kitchen`.
  [[nodiscard]] std::string text() const;
  /// What is wrong with it for a source; empty if nothing is.
  [[nodiscard]] std::string problem_of_source() const;
  /// What is wrong with it for a sink, which may have no filter; empty if nothing is.
  [[nodiscard]] std::string problem_of_sink() const;
};

/// A message as MQTT's users see it. `mqtt_source<mqtt_message>` gives them, `mqtt_sink<mqtt_message>` sends
/// them.
struct mqtt_message {
  std::string topic{};    ///< to a sink: where it goes; empty: to the topic of the sink
  std::string payload{};  ///< any bytes
  mqtt_qos qos = mqtt_qos::at_least_once;
  /// From a source: the broker had kept it from before. To a sink: the broker keeps it for those who come
  /// later, in place of the one before.
  bool retain = false;

  bool operator==(const mqtt_message&) const = default;
};

/// What the broker keeps for a client that is away: which filter it reads, and the messages of QoS 1 and 2
/// that have come meanwhile. A name belongs to one source with one filter at a time.
struct mqtt_session {
  std::string name{};                                      ///< the client identifier of MQTT
  std::chrono::seconds kept_for = std::chrono::hours(24);  ///< after the client has left

  explicit operator bool() const { return !name.empty(); }
};

}  // namespace THALWEG_NAMESPACE
