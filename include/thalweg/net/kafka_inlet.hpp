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

/// Where in a topic a source begins to read. In the middle of a stream, its first items can be missing: items
/// come in the order of their partition until the first ones of all partitions have come; from there on they
/// are in the order of the stream.
struct kafka_start {
  enum class where : std::uint8_t { first, next, offset, offsets, time };

  static const kafka_start first;  ///< with the first message that the topic has
  static const kafka_start next;   ///< with what comes from now on
  /// With the message of this number, in each partition.
  static kafka_start offset(std::int64_t number) { return {where::offset, {number}}; }
  /// The same with a number for each partition, in their order.
  static kafka_start offsets(std::vector<std::int64_t> numbers) {
    return {where::offsets, std::move(numbers)};
  }
  /// With the first message of each partition that is not older.
  static kafka_start time(std::chrono::system_clock::time_point at) {
    return {where::time, {std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count()}};
  }

  /// What is wrong with it; empty if nothing is.
  [[nodiscard]] std::string problem() const;

  where at = where::first;
  std::vector<std::int64_t> numbers{};  ///< offsets, or a time in milliseconds since the epoch
};
inline const kafka_start kafka_start::first{};
inline const kafka_start kafka_start::next{where::next, {}};

/// Where a source ends.
enum class kafka_end : std::uint8_t {
  mark,   ///< where a sender, a `kafka_sink`, has ended its stream
  last,   ///< with the last message that the topic has
  never,  ///< nowhere: streams follow each other until the run is stopped
};

/// What happens to a stream without an end: its sender has given up, or another stream begins before its end.
enum class kafka_broken : std::uint8_t {
  error,  ///< ends the run
  go_on,  ///< what there is of it comes, and then the stream that follows
};

namespace net {

/// The longest message by default: brokers usually take 1 MiB.
inline constexpr std::uint32_t usual_longest_message = 1'000'000;
/// librdkafka pauses for up to a second when it has this much, so less could hold up a fast stream.
inline constexpr std::size_t usual_read_ahead = std::size_t{64} << 20U;

struct kafka_inlet_options {
  std::string tag = {};  ///< as `inlet_options::tag`
  kafka_start start = kafka_start::first;
  kafka_end end = kafka_end::mark;
  kafka_broken broken = kafka_broken::error;
  /// How long to try to reach a broker and the topic.
  std::chrono::milliseconds connect_within = usual_wait;
  /// How long to wait for the next message; without it, forever.
  std::optional<std::chrono::milliseconds> come_within = {};
  /// How many bytes of each partition are read ahead; each message counts for 256 bytes more than it has.
  std::size_t read_ahead = usual_read_ahead;
  kafka_settings settings = {};
  std::function<bool()> given_up = {};
};

/// What a message has besides the bytes of an item.
struct kafka_place {
  std::optional<std::string> key{};
  bool has_value = true;
  std::int32_t partition = -1;
  std::int64_t offset = -1;
  std::chrono::system_clock::time_point time{};
};

/// A receiving end that knows the last message that `next` gave.
class kafka_incoming : public incoming {
 public:
  [[nodiscard]] virtual kafka_place where() const = 0;
};

/// Takes the items of one stream from all partitions of a topic. What a `kafka_outlet` has sent comes in its
/// order, each item once: messages are numbered. Messages of other programs come in the order of their
/// partition. Reading ahead is bounded.
///
/// It cannot tell a sender that died from one that has nothing to send.
class kafka_inlet final : public kafka_incoming {
 public:
  /// \throws network_error  if the topic or a setting cannot be
  kafka_inlet(kafka_topic from, kafka_inlet_options how);
  ~kafka_inlet() override;

  bool await_sender() override;
  [[nodiscard]] const std::string& name() const noexcept override;
  [[nodiscard]] const std::string& tag() const noexcept override;
  [[nodiscard]] sender_clock clock() const noexcept override;
  /// \throws network_error  if no broker can be reached, there is no such topic, or the stream was given up,
  /// has other items, or lacks some; also when called again
  std::optional<std::span<const std::byte>> next() override;
  bool ready_by(std::int64_t until_ns) override;
  [[nodiscard]] std::string place() const override;
  [[nodiscard]] kafka_place where() const override;
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
