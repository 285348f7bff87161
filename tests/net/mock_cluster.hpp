#pragma once

#include <stdexcept>
#include <string>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

/// Brokers that librdkafka pretends to have, in this process. They make topics as real ones do, of four
/// partitions, if a sender asks for one.
class mock_cluster {
 public:
  explicit mock_cluster(int brokers = 1) {
    char wrong[256];
    auto* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    owner_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, wrong, sizeof wrong);
    if (owner_ == nullptr) throw std::runtime_error(wrong);
    cluster_ = rd_kafka_mock_cluster_new(owner_, brokers);
  }
  mock_cluster(const mock_cluster&) = delete;
  mock_cluster& operator=(const mock_cluster&) = delete;
  ~mock_cluster() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(owner_);
  }

  [[nodiscard]] std::string where() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }
  [[nodiscard]] rd_kafka_mock_cluster_t* get() const { return cluster_; }
  void make(const std::string& topic, int partitions) const {
    if (rd_kafka_mock_topic_create(cluster_, topic.c_str(), partitions, 1) != RD_KAFKA_RESP_ERR_NO_ERROR)
      throw std::runtime_error("no topic " + topic);
  }

 private:
  rd_kafka_t* owner_ = nullptr;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
};
