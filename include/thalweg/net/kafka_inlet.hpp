/// The receiving end of a stream of items that comes from a Kafka topic.
#pragma once

#include <thalweg/net/carrier.hpp>
#include <thalweg/net/inlet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// A topic, and the brokers to ask for it: `{"localhost:9092", "numbers"}`.
struct kafka_topic {
  std::string brokers;  ///< `host[:port]`, or several with commas between them
  std::string name;

  /// As a text: `kafka://localhost:9092/numbers`.
  [[nodiscard]] std::string text() const { return "kafka://" + brokers + "/" + name; }
  /// What is wrong with it; empty if nothing is.
  [[nodiscard]] std::string problem() const;
};

/// Settings of librdkafka, by its own names: `{{"security.protocol", "ssl"}}`.
using kafka_settings = std::vector<std::pair<std::string, std::string>>;

/// Where in a topic a stream begins.
enum class kafka_start : std::uint8_t {
  first,  ///< with the first message that the topic has
  next,   ///< with what comes from now on
};

/// Where it ends.
enum class kafka_end : std::uint8_t {
  mark,   ///< where its sender, a `kafka_sink`, has ended it
  last,   ///< with the last message that the topic has
  never,  ///< nowhere: streams follow each other until the run is stopped
};

namespace net {

/// What a message may have, unless somebody says otherwise: brokers take 1 MiB as a rule.
inline constexpr std::uint32_t usual_longest_message = 1'000'000;
/// librdkafka fetches again up to a second after it had this, so less could hold a fast stream up.
inline constexpr std::size_t usual_read_ahead = std::size_t{64} << 20U;

struct kafka_inlet_options {
  std::string tag = {};  ///< as `inlet_options::tag`
  kafka_start start = kafka_start::first;
  kafka_end end = kafka_end::mark;
  /// How long a broker, and the topic, are tried for.
  std::chrono::milliseconds connect_within = usual_wait;
  /// How long the next message is waited for; without it, for ever.
  std::optional<std::chrono::milliseconds> come_within = {};
  /// Bytes that are read ahead of each partition, each message taken for 256 more than it has.
  std::size_t read_ahead = usual_read_ahead;
  kafka_settings settings = {};
  std::function<bool()> given_up = {};
};

/// Takes the items of one stream from all partitions of a topic. What a `kafka_outlet` has sent comes in its
/// order, each item once: messages are numbered. Messages of others come in the order of their partition.
/// What is read ahead is bounded.
///
/// A sender that is gone without a word cannot be told from one that has nothing to say.
class kafka_inlet final : public incoming {
 public:
  /// \throws network_error  if the topic or a setting cannot be
  kafka_inlet(kafka_topic from, kafka_inlet_options how);
  ~kafka_inlet() override;

  bool await_sender() override;
  [[nodiscard]] const std::string& name() const noexcept override;
  [[nodiscard]] const std::string& tag() const noexcept override;
  [[nodiscard]] sender_clock clock() const noexcept override;
  /// \throws network_error  if no broker can be reached, there is no such topic, the stream was given up, is
  /// of other items, or lacks some; again, too
  std::optional<std::span<const std::byte>> next() override;
  bool ready_by(std::int64_t until_ns) override;
  [[nodiscard]] std::string place() const override;
  [[nodiscard]] bool ended() const noexcept override;

  /// Ends the stream here; there is no way to tell the sender.
  void close(std::string_view why) override;
  void interrupt() noexcept override;
  void interrupt_on(const std::stop_token& stop) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace net
}  // namespace THALWEG_NAMESPACE
