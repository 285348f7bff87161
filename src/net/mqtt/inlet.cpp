#include <thalweg/model/codec.hpp>
#include <thalweg/net/mqtt_inlet.hpp>
#include <thalweg/observe/text.hpp>

#include <cstdlib>
#include <deque>
#include <utility>

#include <mqtt_protocol.h>

#include "../found.hpp"
#include "../interrupts.hpp"
#include "client.hpp"
#include "items_of.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

// A message, and what its sender says that it is.
struct arrived {
  mqtt_message message{};
  std::string tag{};
};

// A message of QoS 2 is given after those that have come meanwhile are confirmed. In a session that goes on,
// these would be lost with the source.
std::uint16_t read_ahead_of(const mqtt_inlet_options& how) {
  if (how.qos != mqtt_qos::exactly_once) return mqtt::any_number;
  return how.session ? 1 : 20;
}

mqtt::client_options options_of(const mqtt_topic& from, const mqtt_inlet_options& how) {
  return {.session = how.session,
          .reads = mqtt::subscription{from.topic, how.qos, how.retained},
          .read_ahead = read_ahead_of(how),
          .connect_within = how.connect_within,
          .given_up = how.given_up};
}

arrived taken(const mosquitto_message& one, const mosquitto_property* with) {
  const auto* bytes = static_cast<const char*>(one.payload);
  return {.message = {.topic = one.topic,
                      .payload = std::string(bytes, bytes + one.payloadlen),
                      .qos = static_cast<mqtt_qos>(one.qos),
                      .retain = one.retain},
          .tag = mqtt::items_of(with)};
}

}  // namespace

struct mqtt_inlet::state {
  state(const mqtt_topic& from, mqtt_inlet_options options)
      : how(std::move(options)), to(from, options_of(from, how)) {
    to.on_message = [this](const auto& one, const auto* with) { came.push_back(taken(one, with)); };
    to.on_confirmed = [](int, int) {};
    to.on_new_session = [this]() -> std::string {
      if (how.qos == mqtt_qos::at_most_once || how.loss == mqtt_loss::go_on) return {};
      return to.where.text() + ": the broker has lost this client's session while the connection was " +
             "broken, as one that was restarted and keeps nothing: messages can be missing. Have it keep " +
             "sessions (persistence), or go on without them with .loss = mqtt_loss::go_on";
    };
  }

  found advance(moment until);

  mqtt_inlet_options how;
  std::deque<arrived> came{};  // what libmosquitto has read in one step
  arrived in_hand{};
  std::uint64_t given = 0;
  bool over = false;
  std::string name{};
  mqtt::client to;

  std::optional<std::stop_callback<interrupts<mqtt_inlet>>> on_stop{};  // last: it uses the others
};

mqtt_inlet::mqtt_inlet(mqtt_topic from, mqtt_inlet_options how) {
  if (auto problem = from.problem_of_source(); !problem.empty()) throw network_error(problem);
  state_ = std::make_unique<state>(from, std::move(how));
}

mqtt_inlet::~mqtt_inlet() {
  if (state_) state_->on_stop.reset();
}

bool mqtt_inlet::await_sender() {
  return state_->over || state_->to.online();
}

const std::string& mqtt_inlet::name() const noexcept {
  return state_->name;
}

const std::string& mqtt_inlet::tag() const noexcept {
  return state_->in_hand.tag;
}

sender_clock mqtt_inlet::clock() const noexcept {
  return {};
}

bool mqtt_inlet::ended() const noexcept {
  return state_->over;
}

std::string mqtt_inlet::place() const {
  return "mqtt://" + state_->to.where.broker().text() + "/" +
         observe::printable(state_->in_hand.message.topic);
}

const mqtt_message& mqtt_inlet::message() const {
  const auto& my = *state_;
  if (!my.how.tag.empty() && !my.in_hand.tag.empty() && my.in_hand.tag != my.how.tag)
    throw codec_error("the message has an item of '" + observe::printable(my.in_hand.tag) +
                      "', but this source takes '" + my.how.tag + "'");
  return my.in_hand.message;
}

std::optional<std::span<const std::byte>> mqtt_inlet::next() {
  auto& my = *state_;
  const auto until = my.how.come_within ? from_now(*my.how.come_within) : moment::max();
  switch (my.advance(until)) {
    case found::late:
      my.to.fail("nothing has come from " + my.to.where.text() + " within " +
                 std::to_string(my.how.come_within->count()) + " ms");
    case found::end:
    case found::given_up:
      return {};
    case found::item:
      break;
  }
  my.in_hand = std::move(my.came.front());
  my.came.pop_front();
  ++my.given;
  return std::as_bytes(std::span(my.in_hand.message.payload));
}

bool mqtt_inlet::ready_by(std::int64_t until_ns) {
  return is_ready_by(until_ns, [this](moment until) { return state_->advance(until); });
}

void mqtt_inlet::close(std::string_view /*why*/) {
  state_->over = true;
  state_->to.leave();
}

void mqtt_inlet::interrupt() noexcept {
  state_->to.interrupt();
}

void mqtt_inlet::interrupt_on(const std::stop_token& stop) {
  if (!state_->on_stop) state_->on_stop.emplace(stop, interrupts<mqtt_inlet>{this});
}

// Goes on until the next message is there, or there is none.
found mqtt_inlet::state::advance(moment until) {
  while (!over) {
    if (how.count && given == *how.count) break;
    if (!came.empty()) {
      if (!how.until || !how.until(came.front().message)) return found::item;
      break;
    }
    if (!to.online()) return found::given_up;
    const auto how_it_ended = to.turn(until);
    if (how_it_ended == waited::given_up) return found::given_up;
    if (how_it_ended == waited::late && came.empty()) return found::late;
  }
  if (!std::exchange(over, true)) to.leave();
  return found::end;
}

}  // namespace THALWEG_NAMESPACE::net
