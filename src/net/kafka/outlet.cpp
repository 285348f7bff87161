#include <thalweg/net/kafka_outlet.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "../clock.hpp"
#include "../interrupts.hpp"
#include "../protocol.hpp"
#include "../random_number.hpp"
#include "client.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace kafka;
using namespace std::chrono_literals;

// What a message has beside the item: the label, a key, and the protocol's own.
constexpr std::size_t beside_item = 4096;

// librdkafka takes no address for no value, and what has no bytes may have no address.
const void* there(const void* bytes) {
  return bytes != nullptr ? bytes : "";
}

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes;
  protocol::put_bytes(bytes, text.data(), text.size());
  return bytes;
}

}  // namespace

struct kafka_outlet::state {
  state(kafka_topic topic, kafka_outlet_options options)
      : how(std::move(options)), to(std::move(topic), how.connect_within, how.given_up) {}

  bool connect();
  bool put(kind is, std::uint64_t number, std::optional<std::span<const std::byte>> value,
           std::optional<std::string_view> key, std::int32_t partition);
  bool mark_end();
  bool all_delivered();
  void give_up() noexcept;
  void look() const;
  void note(const rd_kafka_message_t& delivered);

  kafka_outlet_options how;
  client to;
  queue reports{};
  const std::uint64_t stream = random_number() | 1U;  // 0 is no stream
  std::int32_t partitions = 0;                        // in so many of them its beginning was put
  bool begun = false;                                 // its beginning is in all of them
  std::uint64_t number = 0;                           // of the next item
  std::uint64_t under_way = 0;                        // messages whose delivery has not been told
  bool ended = false;
  std::string failure{};

  std::optional<std::stop_callback<interrupts<kafka_outlet>>> on_stop{};  // last: it uses the others
};

kafka_outlet::kafka_outlet(kafka_topic to, kafka_outlet_options how)
    : state_(std::make_unique<state>(std::move(to), std::move(how))) {
  auto& my = *state_;
  constexpr std::size_t kilobyte = 1024, most_kilobytes = 2'147'483'647, most_bytes = 1'000'000'000;
  constexpr std::int64_t longest_wait_ms = 2'147'483'647;  // librdkafka's
  const auto longest = std::min(my.how.longest_item + beside_item, most_bytes);
  const auto within =
      std::to_string(std::clamp<std::int64_t>(my.how.connect_within.count(), 1, longest_wait_ms));
  const kafka_settings ours{
      {"enable.idempotence", "true"},  // in order, and once
      {"linger.ms", "0"},
      {"message.max.bytes", std::to_string(std::max(longest, std::size_t{1000}))},
      {"message.timeout.ms", within},
      {"queue.buffering.max.messages", "0"},
      {"queue.buffering.max.kbytes", std::to_string(std::clamp(std::max(my.how.capacity, longest) / kilobyte,
                                                               std::size_t{1}, most_kilobytes))},
      {"partitioner", "murmur2_random"}};  // as Java's clients have it
  my.to.open(RD_KAFKA_PRODUCER, ours, my.how.settings, [](rd_kafka_conf_t* conf) {
    rd_kafka_conf_set_dr_msg_cb(conf, [](rd_kafka_t*, const rd_kafka_message_t* delivered, void*) {
      static_cast<state*>(delivered->_private)->note(*delivered);
    });
  });
  my.reports.reset(rd_kafka_queue_get_main(my.to.get()));
  my.to.ring_with(my.reports.get());
}

kafka_outlet::~kafka_outlet() {
  state_->on_stop.reset();
  if (!state_->ended) state_->give_up();
}

bool kafka_outlet::connect() {
  return state_->connect();
}

bool kafka_outlet::send(std::span<const std::byte> item, std::string_view key) {
  return send_message(item, key.empty() ? std::nullopt : std::optional(key));
}

bool kafka_outlet::send_message(std::optional<std::span<const std::byte>> value,
                                std::optional<std::string_view> key) {
  auto& my = *state_;
  const auto size = (value ? value->size() : 0) + (key ? key->size() : 0);
  if (size > my.how.longest_item)
    throw network_error("an item of " + std::to_string(size) + " bytes for " + my.to.where.text() +
                        " is longer than .longest_item, " + std::to_string(my.how.longest_item));
  if (!my.connect()) return false;
  if (!my.put(kind::item, my.number, value, key, RD_KAFKA_PARTITION_UA)) return false;
  ++my.number;
  return true;
}

bool kafka_outlet::end() {
  auto& my = *state_;
  // The marks only when all items are there: a stream with an end is complete.
  if (!my.connect() || !my.all_delivered()) return false;
  my.ended = my.mark_end() && my.all_delivered();
  return my.ended;
}

void kafka_outlet::interrupt() noexcept {
  state_->to.interrupt();
}

void kafka_outlet::interrupt_on(const std::stop_token& stop) {
  if (!state_->on_stop) state_->on_stop.emplace(stop, interrupts{this});
}

// Waits for the topic, and begins the stream in all its partitions. False if the wait was given up.
//
// No item is under way before that has come: a broker takes any sequence number from a producer that is new
// to the partition. Where the first request fails in passing, as in a topic that is being made, and a second
// one behind it does not, librdkafka takes both for delivered, and what was in the first one is lost.
bool kafka_outlet::state::connect() {
  if (begun) return !to.given_up();
  const auto found = to.partitions();
  if (!found) return false;
  const auto said = packed(beginning{how.tag, how.name, clock_name(), wall_ahead_ns()});
  for (; partitions < *found; ++partitions)
    if (!put(kind::begin, 0, said, {}, partitions)) return false;
  return begun = all_delivered();
}

// Takes a message, once there is room. False if the wait was given up.
bool kafka_outlet::state::put(kind is, std::uint64_t number_of_it,
                              std::optional<std::span<const std::byte>> value,
                              std::optional<std::string_view> key, std::int32_t partition) {
  const void* its_key = key ? there(key->data()) : nullptr;
  const void* its_value = value ? there(value->data()) : nullptr;
  const std::size_t key_size = key ? key->size() : 0, size = value ? value->size() : 0;
  const auto head = packed(label{is, stream, number_of_it});
  for (bool silenced = false;;) {
    if (to.given_up()) return false;
    rd_kafka_poll(to.get(), 0);
    look();
    const auto error =
        rd_kafka_producev(to.get(), RD_KAFKA_V_RKT(to.topic()), RD_KAFKA_V_PARTITION(partition),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(its_key, key_size),
                          RD_KAFKA_V_VALUE(const_cast<void*>(its_value), size),  // NOLINT: it is copied
                          RD_KAFKA_V_HEADER(label_name, head.data(), static_cast<ssize_t>(head.size())),
                          RD_KAFKA_V_OPAQUE(this), RD_KAFKA_V_END);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      ++under_way;
      return true;
    }
    if (error != RD_KAFKA_RESP_ERR__QUEUE_FULL)
      throw network_error(to.where.text() + " takes no message of " + std::to_string(size) +
                          " bytes: " + text_of(error));
    if (to.wait_after_a_look(silenced, moment::max()) == waited::given_up) return false;
  }
}

// In all partitions that there are by now: those that the topic has got since then can have items, too.
bool kafka_outlet::state::mark_end() {
  const auto found = to.partitions();
  if (!found) return false;
  for (std::int32_t i = 0; i < std::max(partitions, *found); ++i)
    if (!put(kind::end, number, std::span<const std::byte>(), {}, i)) return false;
  return true;
}

// Waits until the broker has confirmed all messages. False if the wait was given up.
bool kafka_outlet::state::all_delivered() {
  for (;;) {
    if (to.given_up()) return false;
    to.rung.silence();
    rd_kafka_poll(to.get(), 0);
    look();
    if (under_way == 0) return true;
    if (to.waits.wait(-1, 0, moment::max(), true) == waited::given_up) return false;
  }
}

// Says that the stream was given up, if it has begun. A second at most, so that nothing waits for a broker
// that is gone.
void kafka_outlet::state::give_up() noexcept {
  try {
    if (partitions == 0) return;
    constexpr auto within = 1s;
    // What has begun it stays before its end.
    if (begun) rd_kafka_purge(to.get(), RD_KAFKA_PURGE_F_QUEUE);
    const auto why = bytes_of("its run has failed or was cancelled");
    const auto head = packed(label{kind::gave_up, stream, number});
    for (std::int32_t i = 0; i < partitions; ++i)
      rd_kafka_producev(
          to.get(), RD_KAFKA_V_RKT(to.topic()), RD_KAFKA_V_PARTITION(i),
          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
          RD_KAFKA_V_VALUE(const_cast<std::byte*>(why.data()), why.size()),  // NOLINT: it is copied
          RD_KAFKA_V_HEADER(label_name, head.data(), static_cast<ssize_t>(head.size())),
          RD_KAFKA_V_OPAQUE(this), RD_KAFKA_V_END);
    rd_kafka_flush(to.get(), static_cast<int>(std::chrono::milliseconds(within).count()));
    rd_kafka_purge(to.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  } catch (const std::exception&) {
    return;  // the receiver waits
  }
}

void kafka_outlet::state::look() const {
  if (!failure.empty()) throw network_error(failure);
}

// A message has come to the broker, or never will.
void kafka_outlet::state::note(const rd_kafka_message_t& delivered) {
  --under_way;
  if (delivered.err == RD_KAFKA_RESP_ERR_NO_ERROR || !failure.empty()) return;
  failure = "a message of " + std::to_string(delivered.len) + " bytes has not reached " + to.where.text() +
            ", partition " + std::to_string(delivered.partition) + ": " + text_of(delivered.err);
  // Which of the brokers did not answer, and why, as where it says of itself that it is somewhere else.
  if (const auto why = to.trouble(); !why.empty() && delivered.err == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT)
    failure += "; " + why;
}

}  // namespace THALWEG_NAMESPACE::net
