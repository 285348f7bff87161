#include "client.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <thread>
#include <utility>

namespace THALWEG_NAMESPACE {

std::string kafka_topic::problem() const {
  constexpr std::size_t longest = 249;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (brokers.empty()) return "'" + text() + "' names no broker to connect to";
  if (name.empty()) return "'" + text() + "' names no topic";
  if (name.size() > longest || name == "." || name == ".." || !std::all_of(name.begin(), name.end(), fits))
    return "'" + name + "' cannot be the name of a topic: use only letters, digits, '.', '_' and '-'";
  return {};
}

std::string kafka_start::problem() const {
  const bool by_number = at != where::first && at != where::next;
  if (by_number && numbers.empty()) return at == where::time ? ".start has no time" : ".start has no offsets";
  for (const auto number : numbers)
    if (number < 0) return ".start has " + std::to_string(number) + ": offsets and times must be at least 0";
  return {};
}

namespace net::kafka {

namespace {

using namespace std::chrono_literals;

struct conf_owner {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  conf_owner() = default;
  conf_owner(const conf_owner&) = delete;
  conf_owner& operator=(const conf_owner&) = delete;
  ~conf_owner() {
    if (conf != nullptr) rd_kafka_conf_destroy(conf);
  }
};

bool is_of_topic(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

}  // namespace

bool passes(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      return true;
    default:
      return false;
  }
}

std::string text_of(const kafka_topic& topic, const rd_kafka_message_t& one) {
  return topic.text() + ", partition " + std::to_string(one.partition) + ", offset " +
         std::to_string(one.offset);
}

kafka_place place_of(const rd_kafka_message_t& one) {
  kafka_place made{.has_value = one.payload != nullptr, .partition = one.partition, .offset = one.offset};
  if (one.key != nullptr) made.key.emplace(static_cast<const char*>(one.key), one.key_len);
  rd_kafka_timestamp_type_t kind{};
  const std::chrono::milliseconds since_epoch(rd_kafka_message_timestamp(&one, &kind));
  if (kind != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE)
    made.time = std::chrono::system_clock::time_point(since_epoch);
  return made;
}

std::span<const std::byte> value_of(const rd_kafka_message_t& one) {
  return {static_cast<const std::byte*>(one.payload), one.payload != nullptr ? one.len : 0};
}

std::optional<label> label_of(rd_kafka_message_t& one) {
  rd_kafka_headers_t* headers = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  if (rd_kafka_message_headers(&one, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR ||
      rd_kafka_header_get_last(headers, label_name, &value, &size) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return {};
  return label_in({static_cast<const std::byte*>(value), size});
}

kafka_settings settings_of_reader(std::size_t read_ahead) {
  constexpr std::size_t kilobyte = 1024, of_message = 256, most_messages = 10'000'000;
  return {{"queued.max.messages.kbytes",
           std::to_string(std::clamp<std::size_t>(read_ahead / kilobyte, 1, 2'097'151))},
          {"queued.min.messages",
           std::to_string(std::clamp<std::size_t>(read_ahead / of_message, 1, most_messages))},
          {"fetch.message.max.bytes",
           std::to_string(std::clamp<std::size_t>(read_ahead, kilobyte, std::size_t{1} << 20U))},
          {"enable.partition.eof", "true"},
          {"allow.auto.create.topics", "false"}};
}

client::client(kafka_topic topic, std::chrono::milliseconds connect_within, std::function<bool()> given_up)
    : where(std::move(topic)),
      waits{&rung, [this] { return this->given_up(); }, static_cast<bool>(given_up)},
      connect_within_(connect_within),
      asked_(std::move(given_up)) {
  if (auto problem = where.problem(); !problem.empty()) throw network_error(problem);
}

void client::open(rd_kafka_type_t type, const kafka_settings& ours, const kafka_settings& of_user,
                  const std::function<void(rd_kafka_conf_t*)>& configure) {
  conf_owner made;
  std::array<char, 512> wrong{};
  const auto set = [&](const std::string& name, const std::string& value) {
    const auto result = rd_kafka_conf_set(made.conf, name.c_str(), value.c_str(), wrong.data(), wrong.size());
    if (result != RD_KAFKA_CONF_OK) throw network_error(where.text() + ": " + wrong.data());
  };
  set("bootstrap.servers", where.brokers);
  set("client.id", "thalweg");
  for (const auto& [name, value] : ours) set(name, value);
  for (const auto& [name, value] : of_user) set(name, value);
  rd_kafka_conf_set_opaque(made.conf, this);
  rd_kafka_conf_set_error_cb(made.conf, note);
  // What it has to say comes as errors; a library does not write to standard error.
  rd_kafka_conf_set_log_cb(made.conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  if (configure) configure(made.conf);
  handle_.reset(rd_kafka_new(type, made.conf, wrong.data(), wrong.size()));
  if (!handle_) throw network_error(where.text() + ": " + wrong.data());
  made.conf = nullptr;  // it is the handle's
  topic_.reset(rd_kafka_topic_new(get(), where.name.c_str(), nullptr));
  if (!topic_) throw network_error(where.text() + ": " + text_of(rd_kafka_last_error()));
}

void client::note(rd_kafka_t* /*handle*/, int error, const char* reason, void* self) {
  auto& my = *static_cast<client*>(self);
  const std::lock_guard held(my.mutex_);
  // That all are down follows from what was said before, which tells why.
  if (error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || my.trouble_.empty()) my.trouble_ = reason;
}

void client::rebalance(rd_kafka_t* /*handle*/, rd_kafka_resp_err_t what,
                       rd_kafka_topic_partition_list_t* partitions, void* self) {
  static_cast<client*>(self)->on_rebalance(what, *partitions);
}

// librdkafka waits for answers to what a member has asked last, or for up to a minute each
// (`socket.timeout.ms`).
void client::abandon(queue rings) noexcept {
  rd_kafka_queue_io_event_enable(rings.get(), -1, nullptr, 0);
  rings.reset();
  topic_.reset();
  try {
    std::thread([left = std::move(handle_)]() mutable { left.reset(); }).detach();
  } catch (const std::system_error&) {
    return;  // without a thread it was waited for here
  }
}

void client::interrupt() noexcept {
  interrupted_ = true;
  rung.ring();
}

void client::ring_with(rd_kafka_queue_t* one) const {
  constexpr std::uint64_t once = 1;
  rd_kafka_queue_io_event_enable(one, rung.fd(), &once, sizeof once);
}

waited client::wait_after_a_look(bool& silenced, moment until) {
  if (std::exchange(silenced, !silenced)) return waits.wait(-1, 0, until, true);
  rung.silence();
  return waited::ready;
}

std::optional<std::int32_t> client::partitions() {
  std::int32_t found = 0;
  const bool answered = ask([&](int ms) {
    const rd_kafka_metadata_t* told = nullptr;
    if (const auto error = rd_kafka_metadata(get(), 0, topic(), &told, ms)) return error;
    const std::unique_ptr<const rd_kafka_metadata_t, freed<rd_kafka_metadata_destroy>> owner(told);
    if (told->topic_cnt != 1) return RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    if (told->topics[0].err != RD_KAFKA_RESP_ERR_NO_ERROR) return told->topics[0].err;
    found = told->topics[0].partition_cnt;
    return found > 0 ? RD_KAFKA_RESP_ERR_NO_ERROR : RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
  });
  return answered ? std::optional(found) : std::nullopt;
}

bool client::ask(const std::function<rd_kafka_resp_err_t(int)>& one) {
  // A call cannot be ended before its time, so each is short, though not too short for a broker far away.
  constexpr std::chrono::milliseconds first = 100ms, longest = 1s;
  const auto until = from_now(connect_within_);
  auto says = RD_KAFKA_RESP_ERR__TIMED_OUT;
  for (auto most = first;; most = std::min(2 * most, longest)) {
    if (given_up()) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const auto error = one(static_cast<int>(std::clamp(left, 1ms, most).count()));
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
    // The last call has little time: that it had no answer is not the reason if there was one before.
    if (error != RD_KAFKA_RESP_ERR__TIMED_OUT) says = error;
    rd_kafka_poll(get(), 0);  // what there is to say of connections
    const auto again = std::chrono::steady_clock::now() + 20ms;
    if (!passes(error) || again >= until) fail(says);
    if (waits.wait(-1, 0, again) == waited::given_up) return false;
  }
}

void client::fail(rd_kafka_resp_err_t error) const {
  const auto tried = "; tried for " + std::to_string(connect_within_.count()) + " ms";
  if (is_of_topic(error))
    throw network_error("there is no topic '" + where.name + "' at " + where.brokers + tried);
  if (!passes(error)) throw network_error(where.text() + ": " + text_of(error));
  const bool said_by_broker = error > 0;
  if (said_by_broker) throw network_error(where.text() + ": " + text_of(error) + tried);
  const auto says = trouble();
  throw network_error("no broker answers at " + where.brokers + ": " +
                      (says.empty() ? text_of(error) : says) + tried);
}

std::string client::trouble() const {
  const std::lock_guard held(mutex_);
  return trouble_;
}

}  // namespace net::kafka
}  // namespace THALWEG_NAMESPACE
