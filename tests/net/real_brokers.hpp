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
    const std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)> client(connected(), rd_kafka_destroy);
    const std::unique_ptr<rd_kafka_queue_t, decltype(&rd_kafka_queue_destroy)> answers(
        rd_kafka_queue_new(client.get()), rd_kafka_queue_destroy);
    auto* wanted = rd_kafka_NewTopic_new(topic.c_str(), partitions, 1, wrong, sizeof wrong);
    if (wanted == nullptr) throw std::runtime_error(wrong);
    rd_kafka_CreateTopics(client.get(), &wanted, 1, nullptr, answers.get());
    rd_kafka_NewTopic_destroy(wanted);
    const std::unique_ptr<rd_kafka_event_t, decltype(&rd_kafka_event_destroy)> answer(
        rd_kafka_queue_poll(answers.get(), -1), rd_kafka_event_destroy);
    if (rd_kafka_event_error(answer.get()))
      throw std::runtime_error(rd_kafka_event_error_string(answer.get()));
    std::size_t count = 0;
    const auto* results =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(answer.get()), &count);
    if (count != 1 || rd_kafka_topic_result_error(results[0]))
      throw std::runtime_error("no topic " + topic + " at " + where_);
  }

 private:
  [[nodiscard]] rd_kafka_t* connected() const {
    char wrong[256];
    auto* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", where_.c_str(), wrong, sizeof wrong);
    auto* made = rd_kafka_new(RD_KAFKA_PRODUCER, conf, wrong, sizeof wrong);
    if (made == nullptr) throw std::runtime_error(wrong);
    return made;
  }

  std::string where_;
};
