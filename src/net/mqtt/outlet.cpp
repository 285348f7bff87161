#include <thalweg/net/mqtt_outlet.hpp>

#include <chrono>
#include <unordered_set>
#include <utility>

#include <mqtt_protocol.h>

#include "../interrupts.hpp"
#include "client.hpp"
#include "items_of.hpp"

namespace THALWEG_NAMESPACE::net {

struct mqtt_outlet::state {
  state(const mqtt_topic& where, mqtt_outlet_options options)
      : how(std::move(options)),
        to(where,
           {.in_flight = how.in_flight, .connect_within = how.connect_within, .given_up = how.given_up}) {
    to.on_message = [](const auto&, const auto*) {};
    to.on_confirmed = [this](int number, int reason) { note(number, reason); };
    to.on_new_session = [this]() -> std::string {
      if (how.qos != mqtt_qos::exactly_once || under_way.empty()) return {};
      return to.where.text() + ": the broker has lost this client's session while the connection was " +
             "broken, as one that was restarted and keeps nothing: whether the last " +
             std::to_string(under_way.size()) + " items have come is not known. Have it keep sessions " +
             "(persistence), or send with .qos = mqtt_qos::at_least_once";
    };
    mqtt::say_items(with, how.tag);
  }

  void note(int number, int reason);
  bool look_around();
  bool wait_for(std::size_t most);
  bool put(const std::string& topic, std::span<const std::byte> payload, mqtt_qos qos, bool retain);

  mqtt_outlet_options how;
  std::unordered_set<int> under_way{};  // messages of QoS 1 and 2 that are not confirmed
  std::optional<int> refusal{};         // what the broker says of a message that it does not take
  mqtt::properties with{};
  mqtt::client to;

  std::optional<std::stop_callback<interrupts<mqtt_outlet>>> on_stop{};  // last: it uses the others
};

mqtt_outlet::mqtt_outlet(mqtt_topic to, mqtt_outlet_options how) {
  if (auto problem = to.problem_of_sink(); !problem.empty()) throw network_error(problem);
  state_ = std::make_unique<state>(to, std::move(how));
}

mqtt_outlet::~mqtt_outlet() {
  if (state_) state_->on_stop.reset();
}

bool mqtt_outlet::connect() {
  return state_->to.online();
}

bool mqtt_outlet::send(std::span<const std::byte> item, std::string_view /*key*/) {
  return send_message(state_->to.where.topic, item, state_->how.qos, state_->how.retain);
}

bool mqtt_outlet::send_message(const std::string& topic, std::span<const std::byte> payload, mqtt_qos qos,
                               bool retain) {
  return state_->put(topic.empty() ? state_->to.where.topic : topic, payload, qos, retain);
}

bool mqtt_outlet::end() {
  auto& my = *state_;
  if (!my.to.online() || !my.wait_for(0)) return false;
  if (const auto& last = my.how.at_end)
    if (!send_message(last->topic, std::as_bytes(std::span(last->payload)), last->qos, last->retain) ||
        !my.wait_for(0))
      return false;
  my.to.leave();
  return true;
}

void mqtt_outlet::interrupt() noexcept {
  state_->to.interrupt();
}

void mqtt_outlet::interrupt_on(const std::stop_token& stop) {
  if (!state_->on_stop) state_->on_stop.emplace(stop, interrupts<mqtt_outlet>{this});
}

void mqtt_outlet::state::note(int number, int reason) {
  under_way.erase(number);
  constexpr int first_error = MQTT_RC_UNSPECIFIED;
  if (reason >= first_error && !refusal) refusal = reason;
}

// Takes what has come meanwhile, such as the end of the connection. False if a wait was given up.
bool mqtt_outlet::state::look_around() {
  return to.online() && to.turn(std::chrono::steady_clock::now()) != waited::given_up && to.online();
}

// Waits until everything is written, and so many messages at most are not confirmed. False if the wait was
// given up.
bool mqtt_outlet::state::wait_for(std::size_t most) {
  auto before = under_way.size();
  auto until = from_now(how.connect_within);
  while (under_way.size() > most || to.has_to_write() || !to.is_online()) {
    if (!to.online()) return false;
    const auto how_it_ended = to.turn(until);
    if (refusal)
      to.fail(to.where.text() +
              ": the broker does not take a message: " + ::mosquitto_reason_string(*refusal));
    if (how_it_ended == waited::given_up) return false;
    if (const auto now = under_way.size(); std::exchange(before, now) != now) {
      until = from_now(how.connect_within);
    } else if (how_it_ended == waited::late) {
      to.fail(to.where.text() + ": the broker has not confirmed " + std::to_string(under_way.size()) +
              " items within " + std::to_string(how.connect_within.count()) + " ms");
    }
  }
  return true;
}

// Sends a message, once there is room for it.
bool mqtt_outlet::state::put(const std::string& topic, std::span<const std::byte> payload, mqtt_qos qos,
                             bool retain) {
  if (!look_around() || !wait_for(how.in_flight - std::size_t{1})) return false;
  const int number = to.publish(topic, payload, qos, retain, with);
  if (qos != mqtt_qos::at_most_once) under_way.insert(number);
  return wait_for(how.in_flight);
}

}  // namespace THALWEG_NAMESPACE::net
