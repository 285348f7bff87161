/// `kafka_source`, `kafka_sink`: streams from and to the topics of a Kafka broker. Not part of thalweg.hpp;
/// in the library `thalweg::kafka`, which is there where librdkafka is. No header of librdkafka is included.
#pragma once

#include <thalweg/net/carried.hpp>
#include <thalweg/net/kafka_inlet.hpp>
#include <thalweg/net/kafka_outlet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {

/// How a stream is taken from a topic.
struct kafka_source_options {
  kafka_start start = kafka_start::first;
  kafka_end end = kafka_end::mark;
  /// How long a broker, and the topic, are tried for.
  std::chrono::milliseconds connect_within = net::usual_wait;
  /// How long the next message is waited for; without it, for ever.
  std::optional<std::chrono::milliseconds> come_within = {};
  /// Bytes that are read ahead of each partition, each message taken for 256 more than it has.
  std::size_t read_ahead = net::usual_read_ahead;
  kafka_settings settings = {};
};

/// How a stream is given to a topic.
template <class T> struct kafka_sink_options {
  /// The key of an item: items of one key come to one partition. Without it they are spread.
  std::function<std::string(const T&)> key = {};
  /// In bytes. A longer one is an error of its item. The broker has a limit, too.
  std::uint32_t longest_item = net::usual_longest_message;
  /// Bytes that wait to be sent, or to be confirmed.
  std::size_t capacity = std::size_t{4} << 20U;
  /// How long a broker and the topic are tried for, and the delivery of each item.
  std::chrono::milliseconds connect_within = net::usual_wait;
  kafka_settings settings = {};
};

namespace net {

struct open_kafka_source {
  static constexpr auto pattern = "kafka_source";
  kafka_topic from;
  kafka_source_options how;

  [[nodiscard]] std::string where() const { return from.text(); }
  void check(model::stage_info& info) const {
    if (auto problem = from.problem(); !problem.empty()) info.problems.push_back(std::move(problem));
  }
  std::unique_ptr<incoming> operator()(std::string tag) const {
    return std::make_unique<kafka_inlet>(from, kafka_inlet_options{std::move(tag),
                                                                   how.start,
                                                                   how.end,
                                                                   how.connect_within,
                                                                   how.come_within,
                                                                   how.read_ahead,
                                                                   how.settings,
                                                                   {}});
  }
};

template <class T> struct open_kafka_sink {
  static constexpr auto pattern = "kafka_sink";
  kafka_topic to;
  kafka_sink_options<T> how;

  void check(model::stage_info& info) const {
    if (auto problem = to.problem(); !problem.empty()) info.problems.push_back(std::move(problem));
  }
  std::unique_ptr<outgoing> operator()(std::string tag) const {
    return std::make_unique<kafka_outlet>(
        to, kafka_outlet_options{
                std::move(tag), {}, how.longest_item, how.capacity, how.connect_within, how.settings, {}});
  }
  [[nodiscard]] std::string key_of(const T& item) const { return how.key ? how.key(item) : std::string(); }
};

}  // namespace net

/// A source of the items in a topic: those of a `kafka_sink<T>`, or of anybody who writes what the codec of
/// `T` reads.
///
/// Order: what a `kafka_sink` has sent comes as it was sent, each item once, however many partitions the
/// topic has: messages are numbered, and one that is missing is an error. Messages of others come in the
/// order of their partition. Messages are read when the stream wants them, and `.read_ahead` bytes of each
/// partition before. `stop()` and `cancel()` end all waits. The stage is `.blocking` (unless it is on the
/// caller's thread).
///
/// Errors: no broker, no such topic, a stream of other items, one that was given up or lacks messages end the
/// run with a `network_error`; bytes that are no `T`, with a `codec_error` that names topic, partition and
/// offset, and that message alone can be passed over by `.on_error = tw::skip`. Wrong settings of librdkafka
/// are a `network_error`, too.
///
/// ```c++
/// #include <thalweg/net/kafka.hpp>
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::kafka_sink<int>({"localhost:9092", "numbers"}));
/// std::vector<int> seen;
/// tw::run(tw::kafka_source<int>({"localhost:9092", "numbers"}) | tw::sink(seen));
/// assert((seen == std::vector{1, 2, 3}));
/// ```
template <class T> auto kafka_source(kafka_topic from, kafka_source_options how = {}, options opts = {}) {
  return net::receive<T>(net::open_kafka_source{std::move(from), std::move(how)}, std::move(opts));
}

/// Sends items to a topic, for a `kafka_source<T>` or anybody else.
///
/// Order: deterministic; it is serial, and refused in a farm. Items with a `.key` come to the partition of
/// the key, others are spread. librdkafka's threads carry the items, each at once. Every one is confirmed by
/// the broker, once; at the end the stage waits for that, and marks the end in each partition. Where
/// `.capacity` bytes are not confirmed, it waits. The stage is `.blocking` (unless it is on the caller's
/// thread).
///
/// Errors: a topic that cannot be is an `invalid_job`. A broker or topic that is not there in time, and an
/// item that is not delivered, end the run with a `network_error`; so does an item that is longer than
/// `.longest_item`, which `.on_error = tw::skip` passes over. A run that fails or is cancelled tells that in
/// the topic.
///
/// Example: `kafka_source`.
template <class T> auto kafka_sink(kafka_topic to, kafka_sink_options<T> how = {}, options opts = {}) {
  return net::send<T>(net::open_kafka_sink<T>{std::move(to), std::move(how)}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
