/// The sending end of a stream of items that goes to a Kafka topic.
#pragma once

#include <thalweg/net/kafka_inlet.hpp>

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

struct kafka_outlet_options {
  std::string tag = {};   ///< what its items are (`tag_of`)
  std::string name = {};  ///< of the stream, for the receiver
  std::uint32_t longest_item = usual_longest_message;
  /// Bytes that may wait here, or be on their way without being confirmed. A single item may be larger.
  std::size_t capacity = std::size_t{4} << 20U;
  /// How long to try to reach a broker and the topic, and to deliver each item.
  std::chrono::milliseconds connect_within = usual_wait;
  kafka_settings settings = {};
  std::function<bool()> given_up = {};
};

/// Sends the items of one stream to a topic. librdkafka's threads carry them: each at once, and those that
/// wait together. Every delivery is confirmed by the broker, in order and once; an item that cannot be
/// delivered is an error of the next call, or of `end`.
class kafka_outlet final : public outgoing {
 public:
  /// Begins to connect. \throws network_error  if the topic or a setting cannot be
  kafka_outlet(kafka_topic to, kafka_outlet_options how);
  /// Says in the topic that the stream was given up, unless it has ended.
  ~kafka_outlet() override;

  /// Waits for a broker and the topic. \throws network_error  as all others do: if they are not there in time
  bool connect() override;
  using outgoing::send;
  /// \throws network_error  also if it is longer than `longest_item`, which does not harm the stream
  bool send(std::span<const std::byte> item, std::string_view key) override;
  /// The same with a key that may be empty, or a message without a value.
  bool send_message(std::optional<std::span<const std::byte>> value, std::optional<std::string_view> key);
  bool end() override;

  void interrupt() noexcept override;
  void interrupt_on(const std::stop_token& stop) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE::net
