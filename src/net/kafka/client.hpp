// librdkafka with owners, settings and errors.
#pragma once

#include <thalweg/net/kafka_inlet.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <librdkafka/rdkafka.h>

#include "../socket.hpp"
#include "label.hpp"

namespace THALWEG_NAMESPACE::net::kafka {

/// Frees what librdkafka has made.
template <auto Free> struct freed {
  template <class T> void operator()(T* one) const noexcept { Free(one); }
};
struct freed_client {
  // A consumer that could not leave its group in time is not waited for.
  void operator()(rd_kafka_t* one) const noexcept {
    rd_kafka_destroy_flags(one, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }
};
using handle = std::unique_ptr<rd_kafka_t, freed_client>;
using topic_handle = std::unique_ptr<rd_kafka_topic_t, freed<rd_kafka_topic_destroy>>;
using queue = std::unique_ptr<rd_kafka_queue_t, freed<rd_kafka_queue_destroy>>;
using message = std::unique_ptr<rd_kafka_message_t, freed<rd_kafka_message_destroy>>;
using partition_list =
    std::unique_ptr<rd_kafka_topic_partition_list_t, freed<rd_kafka_topic_partition_list_destroy>>;

/// None if a message is not of a stream of Thalweg's. \throws network_error  if its label is none
std::optional<label> label_of(rd_kafka_message_t& one);

/// What goes away by itself, or may come yet.
bool passes(rd_kafka_resp_err_t error);
/// Where a message is, for a person: topic, partition and offset.
std::string text_of(const kafka_topic& topic, const rd_kafka_message_t& one);
kafka_place place_of(const rd_kafka_message_t& one);
/// Its value. One that there is not is one of no bytes.
std::span<const std::byte> value_of(const rd_kafka_message_t& one);

inline std::string text_of(rd_kafka_resp_err_t error) {
  return rd_kafka_err2str(error);
}

/// Settings of a consumer that reads so many bytes of each partition ahead.
kafka_settings settings_of_reader(std::size_t read_ahead);

/// A connection to the brokers of a topic, in either role.
class client {
 public:
  /// The topic, how long it is tried for, who may give a wait up. Then `open`.
  client(kafka_topic topic, std::chrono::milliseconds connect_within, std::function<bool()> given_up);
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// Makes the connection, with settings of ours and, behind them, of the user. `configure`: what else it
  /// needs. \throws network_error  naming the setting that is wrong
  void open(rd_kafka_type_t type, const kafka_settings& ours, const kafka_settings& of_user,
            const std::function<void(rd_kafka_conf_t*)>& configure);

  /// Waits until the topic is known, and gives its number of partitions. None if the wait was given up.
  /// \throws network_error  if it is not in time
  std::optional<std::int32_t> partitions();
  /// Asks the brokers, with calls that take so many milliseconds at most, until there is an answer or no time
  /// is left. False if the wait was given up. \throws network_error
  bool ask(const std::function<rd_kafka_resp_err_t(int)>& one);

  /// What went wrong last with a connection; empty if nothing did.
  [[nodiscard]] std::string trouble() const;

  /// Ends the connection, and has a thread of its own wait for brokers that do not answer. The last of all
  /// calls; `rings`: the queue that rings the bell.
  void abandon(queue rings) noexcept;

  void interrupt() noexcept;
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  [[nodiscard]] bool given_up() const { return interrupted_ || (asked_ && asked_()); }
  /// `open` has made them.
  [[nodiscard]] rd_kafka_t* get() const { return handle_.get(); }
  [[nodiscard]] rd_kafka_topic_t* topic() const { return topic_.get(); }
  /// Waits until the bell rings, every other time: what came before it was silenced is to be looked for
  /// first.
  waited wait_after_a_look(bool& silenced, moment until);
  /// Rung with what comes into a queue.
  void ring_with(rd_kafka_queue_t* one) const;

  /// For `rd_kafka_conf_set_rebalance_cb`.
  static void rebalance(rd_kafka_t* handle, rd_kafka_resp_err_t what,
                        rd_kafka_topic_partition_list_t* partitions, void* self);

  const kafka_topic where;
  /// What is done when a group gives partitions, or takes them.
  std::function<void(rd_kafka_resp_err_t what, rd_kafka_topic_partition_list_t& partitions)> on_rebalance;
  bell rung;
  patience waits;

 private:
  [[noreturn]] void fail(rd_kafka_resp_err_t error) const;
  static void note(rd_kafka_t* handle, int error, const char* reason, void* self);

  const std::chrono::milliseconds connect_within_;
  const std::function<bool()> asked_;
  std::atomic<bool> interrupted_{false};
  mutable std::mutex mutex_;
  std::string trouble_;
  handle handle_;
  topic_handle topic_;
};

}  // namespace THALWEG_NAMESPACE::net::kafka
