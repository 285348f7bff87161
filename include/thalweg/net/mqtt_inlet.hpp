/// The receiving end of a stream of messages that come from an MQTT broker.
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

namespace THALWEG_NAMESPACE {

/// What a broken connection does to a source if the broker has lost its session meanwhile, so that messages
/// of QoS 1 and 2 can be missing.
enum class mqtt_loss : std::uint8_t {
  error,  ///< it ends the run
  go_on,  ///< the source goes on with what comes from then on
};

namespace net {

struct mqtt_inlet_options {
  std::string tag = {};  ///< as `inlet_options::tag`; a message of other items is a `codec_error`
  mqtt_qos qos = mqtt_qos::at_least_once;
  mqtt_session session = {};
  bool retained = true;
  std::optional<std::uint64_t> count = {};
  std::function<bool(const mqtt_message&)> until = {};
  mqtt_loss loss = mqtt_loss::error;
  /// How long to try to reach the broker, at first and after the connection broke.
  std::chrono::milliseconds connect_within = usual_wait;
  /// How long to wait for the next message; without it, forever.
  std::optional<std::chrono::milliseconds> come_within = {};
  std::function<bool()> given_up = {};
};

/// Takes the messages of a topic or a filter. It reads from the connection when an item is asked for, so
/// that a slow stream holds the broker up, which keeps what comes as far as it is set to.
class mqtt_inlet final : public incoming {
 public:
  /// \throws network_error  if there can be no such topic, or a file of TLS cannot be used
  mqtt_inlet(mqtt_topic from, mqtt_inlet_options how);
  /// Leaves the broker. A session without a name ends there.
  ~mqtt_inlet() override;

  /// Waits until the broker sends what comes from then on.
  bool await_sender() override;
  [[nodiscard]] const std::string& name() const noexcept override;
  [[nodiscard]] const std::string& tag() const noexcept override;
  [[nodiscard]] sender_clock clock() const noexcept override;
  /// \throws network_error  if the broker cannot be reached, refuses, or has lost the session; also when
  /// called again
  std::optional<std::span<const std::byte>> next() override;
  bool ready_by(std::int64_t until_ns) override;
  [[nodiscard]] std::string place() const override;
  [[nodiscard]] bool ended() const noexcept override;
  /// What `next` gave last. \throws codec_error  if its sender says that it is an item of another type
  [[nodiscard]] const mqtt_message& message() const;

  /// Leaves the broker; there is no way to tell the senders.
  void close(std::string_view why) override;
  void interrupt() noexcept override;
  void interrupt_on(const std::stop_token& stop) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace net
}  // namespace THALWEG_NAMESPACE
