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

/// Where in a topic a source begins to read. Behind the beginning of a stream, its first items can be
/// missing: those that come are in the order of their partition, until the first ones of all partitions have
/// come; from there on they are in the order of the stream.
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

/// What becomes of a stream whose sender has broken off: it has given up, or another stream begins before its
/// end.
enum class kafka_broken : std::uint8_t {
  error,  ///< ends the run
  go_on,  ///< what there is of it comes, and then the stream that follows
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
  kafka_broken broken = kafka_broken::error;
  /// How long a broker, and the topic, are tried for.
  std::chrono::milliseconds connect_within = usual_wait;
  /// How long the next message is waited for; without it, for ever.
  std::optional<std::chrono::milliseconds> come_within = {};
  /// Bytes that are read ahead of each partition, each message taken for 256 more than it has.
  std::size_t read_ahead = usual_read_ahead;
  kafka_settings settings = {};
  std::function<bool()> given_up = {};
};

/// What a message has beside the bytes of an item.
struct kafka_place {
  std::optional<std::string> key{};
  bool has_value = true;
  std::int32_t partition = -1;
  std::int64_t offset = -1;
  std::chrono::system_clock::time_point time{};
};

/// A receiving end that can tell of the message which `next` gave last.
class kafka_incoming : public incoming {
 public:
  [[nodiscard]] virtual kafka_place where() const = 0;
};

/// Takes the items of one stream from all partitions of a topic. What a `kafka_outlet` has sent comes in its
/// order, each item once: messages are numbered. Messages of others come in the order of their partition.
/// What is read ahead is bounded.
///
/// A sender that is gone without a word cannot be told from one that has nothing to say.
class kafka_inlet final : public kafka_incoming {
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
