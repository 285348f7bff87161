/// `mqtt_source`, `mqtt_sink`: streams from and to the topics of an MQTT broker. Not part of thalweg.hpp; in
/// the library `thalweg::mqtt`, which is built where libmosquitto is found. No header of libmosquitto is
/// included.
#pragma once

#include <thalweg/net/carried.hpp>
#include <thalweg/net/mqtt_inlet.hpp>
#include <thalweg/net/mqtt_outlet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// How a stream is taken from a topic, and where it ends: MQTT knows no end of a stream, so without `.count`
/// and `.until` it goes on until the run is stopped.
struct mqtt_source_options {
  /// The most that is asked for: a message never comes with more than its sender gave it.
  mqtt_qos qos = mqtt_qos::at_least_once;
  /// With a name, the source goes on with what has come since it left, also in another process.
  mqtt_session session = {};
  /// Whether to begin with what the broker has kept for the topics (`mqtt_message::retain`).
  bool retained = true;
  /// It ends after this number of messages.
  std::optional<std::uint64_t> count = {};
  /// It ends at the first message for which this is true; that message is not given.
  std::function<bool(const mqtt_message&)> until = {};
  mqtt_loss loss = mqtt_loss::error;
  /// How long to try to reach the broker, at first and after the connection broke.
  std::chrono::milliseconds connect_within = net::usual_wait;
  /// How long to wait for the next message; without it, forever.
  std::optional<std::chrono::milliseconds> come_within = {};
};

/// How a stream is given to a topic.
template <class T> struct mqtt_sink_options {
  mqtt_qos qos = mqtt_qos::at_least_once;
  /// The topic of an item. Without it, all go to the topic of the sink.
  std::function<std::string(const T&)> topic = {};
  /// Whether the broker keeps the last item of each topic for those who come later.
  bool retain = false;
  /// What is sent after the last item, when the broker has confirmed all: for the `.until` of a source.
  std::optional<mqtt_message> at_end = {};
  /// Items of QoS 1 and 2 that are sent and not confirmed, at most. The broker may allow fewer.
  std::uint16_t in_flight = 20;
  /// How long to try to reach the broker, and to wait for its next confirmation.
  std::chrono::milliseconds connect_within = net::usual_wait;
};

namespace net {

/// A message that is taken and sent as it is has no codec, and says of no type.
template <class T> struct mqtt_codec {
  static constexpr bool whole = std::is_same_v<T, mqtt_message>;

  [[nodiscard]] std::string tag() const {
    if constexpr (whole)
      return {};
    else
      return tag_of<T>();
  }
};

template <class T> struct open_mqtt_source : mqtt_codec<T> {
  static constexpr auto pattern = "mqtt_source";
  mqtt_topic from;
  mqtt_source_options how;

  open_mqtt_source(mqtt_topic topic, mqtt_source_options options)
      : from(std::move(topic)), how(std::move(options)) {}

  [[nodiscard]] std::string where() const { return from.text(); }
  void check(model::stage_info& info) const {
    if (auto problem = from.problem_of_source(); !problem.empty())
      info.problems.push_back(std::move(problem));
  }
  std::unique_ptr<incoming> operator()(std::string tag) const {
    return std::make_unique<mqtt_inlet>(from, mqtt_inlet_options{.tag = std::move(tag),
                                                                 .qos = how.qos,
                                                                 .session = how.session,
                                                                 .retained = how.retained,
                                                                 .count = how.count,
                                                                 .until = how.until,
                                                                 .loss = how.loss,
                                                                 .connect_within = how.connect_within,
                                                                 .come_within = how.come_within});
  }
  T item(incoming& inlet, std::span<const std::byte> bytes) const {
    const auto& message = static_cast<mqtt_inlet&>(inlet).message();
    if constexpr (mqtt_codec<T>::whole)
      return message;
    else
      return decode<T>(bytes);
  }
};

template <class T> struct open_mqtt_sink : mqtt_codec<T> {
  static constexpr auto pattern = "mqtt_sink";
  mqtt_topic to;
  mqtt_sink_options<T> how;

  open_mqtt_sink(mqtt_topic topic, mqtt_sink_options<T> options)
      : to(std::move(topic)), how(std::move(options)) {}

  void check(model::stage_info& info) const {
    if (auto problem = to.problem_of_sink(); !problem.empty()) info.problems.push_back(std::move(problem));
    if (how.in_flight == 0) info.problems.emplace_back(".in_flight is 0: it must be at least 1");
  }
  std::unique_ptr<outgoing> operator()(std::string tag) const {
    return std::make_unique<mqtt_outlet>(to, mqtt_outlet_options{.tag = std::move(tag),
                                                                 .qos = how.qos,
                                                                 .retain = how.retain,
                                                                 .at_end = how.at_end,
                                                                 .in_flight = how.in_flight,
                                                                 .connect_within = how.connect_within});
  }
  bool send(outgoing& to_topic, const T& item, std::vector<std::byte>& room) const {
    auto& out = static_cast<mqtt_outlet&>(to_topic);
    if constexpr (mqtt_codec<T>::whole) {
      const auto where = how.topic ? how.topic(item) : item.topic;
      return out.send_message(where, std::as_bytes(std::span(item.payload)), item.qos,
                              item.retain || how.retain);
    } else {
      encode(item, room);
      return out.send_message(how.topic ? how.topic(item) : to.topic, room, how.qos, how.retain);
    }
  }
};

}  // namespace net

/// A source of the messages of a topic, or of all topics that a filter names: those of an `mqtt_sink<T>`, or
/// of any program that writes what the codec of `T` reads. `mqtt_source<mqtt_message>` takes them as they
/// are.
///
/// Order: that of the broker, which keeps it for the messages of one sender to one topic with one QoS.
/// Messages are read when the stream wants them. If that is slow, the broker has to keep them: how many, and
/// that it drops what is above, is set there. `stop()` and `cancel()` end all waits. The stage is `.blocking`
/// (unless it is on the caller's thread).
///
/// Errors: a broker that is not there in time, refuses, grants less than `.qos`, or has lost the session ends
/// the run with a `network_error`. Bytes that are no `T`, and items that an `mqtt_sink` has sent as another
/// type, are a `codec_error` that names broker and topic; `.on_error = tw::skip` passes over this message
/// alone.
///
/// ```c++
/// #include <thalweg/net/mqtt.hpp>
/// const tw::mqtt_topic readings{.host = "localhost", .topic = "readings/+"};
/// tw::run(tw::mqtt_source<tw::mqtt_message>(readings) | tw::sink(show));  // until it is stopped
/// tw::run(tw::mqtt_source<double>(readings, {.count = 100}) | tw::sink(show));
/// ```
template <class T> auto mqtt_source(mqtt_topic from, mqtt_source_options how = {}, options opts = {}) {
  return net::receive<T>(net::open_mqtt_source<T>(std::move(from), std::move(how)), std::move(opts));
}

/// Sends items to a topic, for an `mqtt_source<T>` or any other program. An `mqtt_sink<mqtt_message>` sends
/// each message with its own topic, QoS and retain flag.
///
/// Order: deterministic; it is serial, and refused in a farm. An item is on its way when the stage is done
/// with it. While `.in_flight` items are not confirmed, the stage waits. At the end it waits until the broker
/// has confirmed all, and then sends `.at_end`. A connection that breaks is replaced with the next item, or
/// at the end, and what is not confirmed is sent again. The stage is `.blocking` (unless it is on the
/// caller's thread).
///
/// Errors: an invalid topic is an `invalid_job`. A broker that is not there in time, refuses, or confirms
/// nothing for `.connect_within` ends the run with a `network_error`; so does an item that is too long for
/// it, or whose topic is invalid, which `.on_error = tw::skip` passes over.
///
/// ```c++
/// tw::run(numbers | tw::mqtt_sink<int>({.host = "localhost", .topic = "numbers"}));
/// ```
template <class T> auto mqtt_sink(mqtt_topic to, mqtt_sink_options<T> how = {}, options opts = {}) {
  return net::send<T>(net::open_mqtt_sink<T>(std::move(to), std::move(how)), std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
