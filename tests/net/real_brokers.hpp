#pragma once

#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include <librdkafka/rdkafka.h>

/// The brokers that the environment variable THALWEG_KAFKA names, as `host:port`. Tests that can do without
/// what only a mock does run there.
class real_brokers {
 public:
  explicit real_brokers(std::string where) : where_(std::move(where)) {}
  /// None if the variable names none.
  static const real_brokers* named() {
    static const auto one = [] {
      const char* where = std::getenv("THALWEG_KAFKA");
      return where != nullptr && *where != 0 ? std::make_unique<real_brokers>(where) : nullptr;
    }();
    return one.get();
  }

  [[nodiscard]] const std::string& where() const { return where_; }
  /// A name that no topic has there, also none of earlier runs.
  [[nodiscard]] static std::string new_name(const std::string& of_run) {
    static const auto run = std::chrono::system_clock::now().time_since_epoch().count();
    return "thalweg-test-" + std::to_string(run) + "-" + of_run;
  }
  /// Makes a topic, and returns when it is there.
  void make(const std::string& topic, int partitions) const {
    char wrong[256];
    auto* wanted = rd_kafka_NewTopic_new(topic.c_str(), partitions, 1, wrong, sizeof wrong);
    if (wanted == nullptr) throw std::runtime_error(wrong);
    ask([&](rd_kafka_t* client, rd_kafka_queue_t* answers) {
      rd_kafka_CreateTopics(client, &wanted, 1, nullptr, answers);
    });
    rd_kafka_NewTopic_destroy(wanted);
  }
  /// Gives a topic more partitions.
  void grow(const std::string& topic, std::size_t partitions) const {
    char wrong[256];
    auto* wanted = rd_kafka_NewPartitions_new(topic.c_str(), partitions, wrong, sizeof wrong);
    if (wanted == nullptr) throw std::runtime_error(wrong);
    ask([&](rd_kafka_t* client, rd_kafka_queue_t* answers) {
      rd_kafka_CreatePartitions(client, &wanted, 1, nullptr, answers);
    });
    rd_kafka_NewPartitions_destroy(wanted);
  }

 private:
  template <class Request> void ask(Request&& request) const {
    char wrong[256];
    auto* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", where_.c_str(), wrong, sizeof wrong);
    const std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)> client(
        rd_kafka_new(RD_KAFKA_PRODUCER, conf, wrong, sizeof wrong), rd_kafka_destroy);
    if (!client) throw std::runtime_error(wrong);
    const std::unique_ptr<rd_kafka_queue_t, decltype(&rd_kafka_queue_destroy)> answers(
        rd_kafka_queue_new(client.get()), rd_kafka_queue_destroy);
    request(client.get(), answers.get());
    const std::unique_ptr<rd_kafka_event_t, decltype(&rd_kafka_event_destroy)> answer(
        rd_kafka_queue_poll(answers.get(), -1), rd_kafka_event_destroy);
    if (rd_kafka_event_error(answer.get()))
      throw std::runtime_error(rd_kafka_event_error_string(answer.get()));
    // Of one topic, whichever the question was.
    std::size_t count = 0;
    const rd_kafka_topic_result_t** results = nullptr;
    if (const auto* made = rd_kafka_event_CreateTopics_result(answer.get()))
      results = rd_kafka_CreateTopics_result_topics(made, &count);
    else if (const auto* grown = rd_kafka_event_CreatePartitions_result(answer.get()))
      results = rd_kafka_CreatePartitions_result_topics(grown, &count);
    if (count != 1) throw std::runtime_error("no answer from " + where_);
    if (rd_kafka_topic_result_error(results[0]))
      throw std::runtime_error(rd_kafka_topic_result_error_string(results[0]));
  }

  std::string where_;
};
