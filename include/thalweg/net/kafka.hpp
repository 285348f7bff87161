/// `kafka_source`, `kafka_sink`: streams from and to the topics of a Kafka broker. Not part of thalweg.hpp;
/// in the library `thalweg::kafka`, which is there where librdkafka is. No header of librdkafka is included.
#pragma once

#include <thalweg/net/carried.hpp>
#include <thalweg/net/kafka_inlet.hpp>
#include <thalweg/net/kafka_member.hpp>
#include <thalweg/net/kafka_outlet.hpp>

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

/// A message as Kafka's users see it: an item with its key, its place and its time.
/// `kafka_source<kafka_message<T>>` gives them, `kafka_sink<kafka_message<T>>` sends key and value.
template <class T> struct kafka_message {
  std::optional<T> value{};  ///< without one it says that what its key had is gone
  std::optional<std::string> key{};
  /// Where it was, for a received message.
  std::int32_t partition = -1;
  std::int64_t offset = -1;
  std::chrono::system_clock::time_point time{};
};

/// How a stream is taken from a topic.
struct kafka_source_options {
  kafka_start start = kafka_start::first;
  /// `mark`, unless something else is said; in a group, `never`, and there `last` is the only other one.
  std::optional<kafka_end> end = {};
  kafka_broken broken = kafka_broken::error;
  /// The consumer group that it belongs to: its members share the partitions, and the group later goes on
  /// where it left off. Without it, the source takes all partitions, and stores nothing.
  kafka_group group = {};
  /// How long to try to reach a broker and the topic.
  std::chrono::milliseconds connect_within = net::usual_wait;
  /// How long to wait for the next message; without it, forever.
  std::optional<std::chrono::milliseconds> come_within = {};
  /// How many bytes of each partition, in a group of all together, are read ahead; each message counts for
  /// 256 bytes more than it has.
  std::size_t read_ahead = net::usual_read_ahead;
  kafka_settings settings = {};
};

/// How a stream is given to a topic.
template <class T> struct kafka_sink_options {
  /// The key of an item: items of one key go to one partition. Without it they are spread.
  std::function<std::string(const T&)> key = {};
  /// In bytes. A longer one is an error of its item. The broker has a limit, too.
  std::uint32_t longest_item = net::usual_longest_message;
  /// Bytes that wait to be sent, or to be confirmed.
  std::size_t capacity = std::size_t{4} << 20U;
  /// How long to try to reach a broker and the topic, and to deliver each item.
  std::chrono::milliseconds connect_within = net::usual_wait;
  kafka_settings settings = {};
};

namespace net {

template <class T> struct kafka_item {
  using type = T;
};
template <class T> struct kafka_item<kafka_message<T>> {
  using type = T;
};

/// For the other side, the type of a message is that of its value.
template <class T> struct kafka_codec {
  using item_type = typename kafka_item<T>::type;
  static constexpr bool whole = !std::is_same_v<T, item_type>;  // with what is beside the item

  [[nodiscard]] std::string tag() const { return tag_of<item_type>(); }
};

template <class T> struct open_kafka_source : kafka_codec<T> {
  static constexpr auto pattern = "kafka_source";
  kafka_topic from;
  kafka_source_options how;

  open_kafka_source(kafka_topic topic, kafka_source_options options)
      : from(std::move(topic)), how(std::move(options)) {}

  [[nodiscard]] std::string where() const { return from.text(); }
  void check(model::stage_info& info) const {
    if (auto problem = from.problem(); !problem.empty()) info.problems.push_back(std::move(problem));
    if (auto problem = how.start.problem(); !problem.empty()) info.problems.push_back(std::move(problem));
    if (auto problem = how.group.problem(how.start, how.end, how.broken); !problem.empty())
      info.problems.push_back(std::move(problem));
  }
  std::unique_ptr<incoming> operator()(std::string tag) const {
    kafka_inlet_options its{.tag = std::move(tag),
                            .start = how.start,
                            .end = how.end.value_or(how.group ? kafka_end::never : kafka_end::mark),
                            .broken = how.broken,
                            .connect_within = how.connect_within,
                            .come_within = how.come_within,
                            .read_ahead = how.read_ahead,
                            .settings = how.settings};
    if (how.group) return std::make_unique<kafka_member>(from, how.group, std::move(its));
    return std::make_unique<kafka_inlet>(from, std::move(its));
  }
  T item(incoming& inlet, std::span<const std::byte> bytes) const {
    auto where = static_cast<kafka_incoming&>(inlet).where();
    if constexpr (kafka_codec<T>::whole) {
      T made{.key = std::move(where.key),
             .partition = where.partition,
             .offset = where.offset,
             .time = where.time};
      if (where.has_value) made.value.emplace(decode<typename kafka_codec<T>::item_type>(bytes));
      return made;
    } else {
      if (!where.has_value)
        throw codec_error(
            "a message has no value: only a source of kafka_message<T> can take it, not one of T");
      return decode<T>(bytes);
    }
  }
};

template <class T> struct open_kafka_sink : kafka_codec<T> {
  static constexpr auto pattern = "kafka_sink";
  kafka_topic to;
  kafka_sink_options<T> how;

  open_kafka_sink(kafka_topic topic, kafka_sink_options<T> options)
      : to(std::move(topic)), how(std::move(options)) {}

  void check(model::stage_info& info) const {
    if (auto problem = to.problem(); !problem.empty()) info.problems.push_back(std::move(problem));
  }
  std::unique_ptr<outgoing> operator()(std::string tag) const {
    return std::make_unique<kafka_outlet>(
        to, kafka_outlet_options{
                std::move(tag), {}, how.longest_item, how.capacity, how.connect_within, how.settings, {}});
  }
  bool send(outgoing& to_topic, const T& item, std::vector<std::byte>& room) const {
    auto& out = static_cast<kafka_outlet&>(to_topic);
    std::optional<std::string> key;
    if (how.key) key = how.key(item);
    if constexpr (kafka_codec<T>::whole) {
      if (!key) key = item.key;
      if (!item.value) return out.send_message({}, key);
      encode(*item.value, room);
    } else {
      encode(item, room);
    }
    return out.send_message(room, key);
  }
};

}  // namespace net

/// A source of the items in a topic: those of a `kafka_sink<T>`, or of any program that writes what the codec
/// of `T` reads.
///
/// Order: what a `kafka_sink` has sent comes as it was sent, each item once, however many partitions the
/// topic has: messages are numbered, and one that is missing is an error. Messages of other programs come in
/// the order of their partition. Messages are read when the stream wants them, and `.read_ahead` bytes of
/// each partition before. `stop()` and `cancel()` end all waits. The stage is `.blocking` (unless it is on
/// the caller's thread).
///
/// Errors: no broker, no such topic, a stream of other items, one that was given up or lacks messages end the
/// run with a `network_error`. Bytes that are no `T` are a `codec_error` that names topic, partition and
/// offset; `.on_error = tw::skip` passes over this message alone. Wrong settings of librdkafka are also a
/// `network_error`.
///
/// ```c++
/// #include <thalweg/net/kafka.hpp>
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::kafka_sink<int>({"localhost:9092", "numbers"}));
/// std::vector<int> seen;
/// tw::run(tw::kafka_source<int>({"localhost:9092", "numbers"}) | tw::sink(seen));
/// assert((seen == std::vector{1, 2, 3}));
/// ```
template <class T> auto kafka_source(kafka_topic from, kafka_source_options how = {}, options opts = {}) {
  return net::receive<T>(net::open_kafka_source<T>(std::move(from), std::move(how)), std::move(opts));
}

/// Sends items to a topic, for a `kafka_source<T>` or any other program.
///
/// Order: deterministic; it is serial, and refused in a farm. Items with a `.key` go to the partition of the
/// key, others are spread. librdkafka's threads carry the items, each at once. Every one is confirmed by the
/// broker, once; at the end the stage waits for that, and marks the end in each partition. While `.capacity`
/// bytes are not confirmed, it waits. The stage is `.blocking` (unless it is on the caller's thread).
///
/// Errors: an invalid topic is an `invalid_job`. A broker or topic that is not there in time, and an item
/// that is not delivered, end the run with a `network_error`; so does an item that is longer than
/// `.longest_item`, which `.on_error = tw::skip` passes over. A run that fails or is cancelled says so in the
/// topic.
///
/// Example: `kafka_source`.
template <class T> auto kafka_sink(kafka_topic to, kafka_sink_options<T> how = {}, options opts = {}) {
  return net::send<T>(net::open_kafka_sink<T>(std::move(to), std::move(how)), std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
