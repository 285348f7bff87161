#pragma once

#include <thalweg/net/kafka.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "net/mock_cluster.hpp"
#include "net/raw_peer.hpp"
#include "net/real_brokers.hpp"
#include "support/failure.hpp"

// The broker that is none says that nothing has come when so much time is over.
inline const thalweg::kafka_settings impatient{{"fetch.wait.max.ms", "20"}};

/// A test with topics of its own at brokers that are none, or at those that THALWEG_KAFKA names.
class kafka_topics : public testing::Test {
 protected:
  static mock_cluster& mock() {
    static mock_cluster one;
    return one;
  }
  /// A topic that nobody else uses.
  static thalweg::kafka_topic new_topic(int partitions = 1) {
    static int n = 0;
    const auto name = "topic" + std::to_string(n++);
    const auto* real = real_brokers::named();
    if (real == nullptr && partitions > 0) mock().make(name, partitions);
    if (real == nullptr) return {mock().where(), name};
    const thalweg::kafka_topic made{real->where(), real_brokers::new_name(name)};
    if (partitions > 0) real->make(made.name, partitions);
    return made;
  }
  /// What the mock says of a topic, instead of making it. A real broker makes one only for a sender.
  static void deny(const thalweg::kafka_topic& topic,
                   rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
    if (!real_brokers::named()) rd_kafka_mock_topic_set_error(mock().get(), topic.name.c_str(), error);
  }
  static thalweg::kafka_source_options reading(thalweg::kafka_end end = thalweg::kafka_end::mark) {
    return {.end = end,
            .connect_within = std::chrono::seconds(5),
            .come_within = std::chrono::seconds(20),
            .settings = impatient};
  }
  template <class T>
  static std::vector<T> all_of(const thalweg::kafka_topic& from, thalweg::kafka_source_options how) {
    std::vector<T> seen;
    thalweg::run(thalweg::kafka_source<T>(from, std::move(how)) | thalweg::sink(seen));
    return seen;
  }
  template <class T>
  static std::string failure_of_source(const thalweg::kafka_topic& from,
                                       thalweg::kafka_source_options how = reading()) {
    return failure_of(
               [&] { thalweg::run(thalweg::kafka_source<T>(from, how) | thalweg::sink([](const T&) {})); })
        .cause;
  }
  template <class T> static void send(const std::vector<T>& items, const thalweg::kafka_topic& to) {
    thalweg::run(thalweg::source(items) | thalweg::kafka_sink<T>(to));
  }
};

inline std::vector<int> numbers(int n, int from = 0) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), from);
  return all;
}

/// Writes messages as they are.
class raw_producer {
 public:
  explicit raw_producer(const thalweg::kafka_topic& to) : topic_(to.name) {
    char wrong[256];
    auto* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", to.brokers.c_str(), wrong, sizeof wrong);
    // In order, also where a broker has yet to make the topic and refuses the first ones.
    rd_kafka_conf_set(conf, "max.in.flight", "1", wrong, sizeof wrong);
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, wrong, sizeof wrong);
  }
  ~raw_producer() {
    rd_kafka_flush(handle_, 5'000);
    rd_kafka_destroy(handle_);
  }
  /// `time`: now, if nothing is said.
  void say(std::optional<std::string_view> text, std::string_view label = {}, std::int32_t partition = 0,
           std::optional<std::string_view> key = {}, std::chrono::system_clock::time_point time = {}) const {
    const auto value = text.value_or(std::string_view()), its_key = key.value_or(std::string_view());
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
    auto* headers = rd_kafka_headers_new(1);
    if (!label.empty())
      rd_kafka_header_add(headers, "thalweg", -1, label.data(), static_cast<ssize_t>(label.size()));
    rd_kafka_producev(handle_, RD_KAFKA_V_TOPIC(topic_.c_str()), RD_KAFKA_V_PARTITION(partition),
                      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                      RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
                      RD_KAFKA_V_KEY(its_key.data(), its_key.size()), RD_KAFKA_V_HEADERS(headers),
                      RD_KAFKA_V_TIMESTAMP(ms.count()), RD_KAFKA_V_END);
  }
  /// What stands in the header of a message: 0 for an item, 1 and 2 for beginning and end, 3: given up.
  static std::string label(char kind, std::uint64_t stream, std::uint64_t number) {
    return std::string(1, kind) + bytes_of(stream) + bytes_of(number);
  }
  static std::string hello(std::string_view tag, std::int64_t wall_ahead_ns = 0) {
    return text_bytes(tag) + text_bytes("") + text_bytes("another clock") + bytes_of(wall_ahead_ns);
  }

 private:
  std::string topic_;
  rd_kafka_t* handle_ = nullptr;
};
