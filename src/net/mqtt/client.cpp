#include "client.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include <mqtt_protocol.h>
#include <unistd.h>

#include "../random_number.hpp"
#include "quiet_pipe.hpp"

namespace THALWEG_NAMESPACE::net::mqtt {

namespace {

using namespace std::chrono_literals;

void begin_library() {
  // It must not be called by two threads at once, and nothing needs its end.
  static std::once_flag once;
  std::call_once(once, [] { ::mosquitto_lib_init(); });
}

std::string random_name() {
  return "thalweg-" + std::to_string(random_number());
}

int number_of(mqtt_qos qos) {
  return static_cast<int>(qos);
}

bool is_refusal(int reason) {
  return reason >= MQTT_RC_UNSPECIFIED;  // the first of those that are errors
}

// A broker that says so may welcome the next try.
bool passes(int reason) {
  return reason == MQTT_RC_SERVER_UNAVAILABLE || reason == MQTT_RC_SERVER_BUSY ||
         reason == MQTT_RC_SERVER_SHUTTING_DOWN || reason == MQTT_RC_KEEP_ALIVE_TIMEOUT ||
         reason == MQTT_RC_CONNECTION_RATE_EXCEEDED;
}

std::string advice_for(int reason) {
  switch (reason) {
    case MQTT_RC_BAD_USERNAME_OR_PASSWORD:
    case MQTT_RC_NOT_AUTHORIZED:
      return ". Give a .username and a .password that it knows, and that may use this topic";
    case MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION:
      return ". It must speak MQTT 5";
    case MQTT_RC_SESSION_TAKEN_OVER:
      return ": another client has connected with the same name. Give each source a .session.name that no "
             "other client has";
    default:
      return {};
  }
}

std::string tried_for(std::chrono::milliseconds time) {
  return "; tried for " + std::to_string(time.count()) + " ms";
}

}  // namespace

void properties::add(int which, std::uint32_t number) {
  if (::mosquitto_property_add_int32(&first_, which, number) != MOSQ_ERR_SUCCESS) throw std::bad_alloc();
}

void properties::add(int which, const std::string& text) {
  if (::mosquitto_property_add_string(&first_, which, text.c_str()) != MOSQ_ERR_SUCCESS)
    throw std::bad_alloc();
}

client::client(mqtt_topic topic, client_options how)
    : where(std::move(topic)),
      how_(std::move(how)),
      id_(how_.session ? how_.session.name : random_name()),
      waits_{&rung_, [this] { return given_up(); }, static_cast<bool>(how_.given_up)},
      repeats_(id_) {
  begin_library();
  open();
}

client::~client() {
  leave();
}

void client::open() {
  // A session outlives its connection, so that nothing is lost when that breaks.
  constexpr bool forgets = false;
  handle_.reset(::mosquitto_new(id_.c_str(), forgets, this));
  if (!handle_) throw network_error(where.text() + ": " + std::generic_category().message(errno));
  auto* its = handle_.get();
  ::mosquitto_int_option(its, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
  ::mosquitto_int_option(its, MOSQ_OPT_TCP_NODELAY, 1);
  // So it only writes when it is told to. Otherwise it answers a message of QoS 2 while it reads it, and
  // forgets the message if the connection breaks there.
  ::mosquitto_threaded_set(its, true);
  ::mosquitto_int_option(its, MOSQ_OPT_SEND_MAXIMUM, how_.in_flight);
  if (!where.username.empty())
    ::mosquitto_username_pw_set(its, where.username.c_str(),
                                where.password.empty() ? nullptr : where.password.c_str());
  ::mosquitto_connect_v5_callback_set(
      its, [](mosquitto*, void* self, int reason, int flags, const mosquitto_property* with) {
        auto& my = *static_cast<client*>(self);
        std::uint16_t keep_alive = 0;
        ::mosquitto_property_read_int16(with, MQTT_PROP_SERVER_KEEP_ALIVE, &keep_alive, false);
        my.keep_alive_ = std::chrono::seconds(keep_alive);
        my.welcome_ = welcome{reason, (flags & 1) != 0};
      });
  ::mosquitto_subscribe_v5_callback_set(
      its, [](mosquitto*, void* self, int, int count, const int* granted, const mosquitto_property*) {
        static_cast<client*>(self)->granted_ = count > 0 ? *granted : int{MQTT_RC_UNSPECIFIED};
      });
  ::mosquitto_disconnect_v5_callback_set(its,
                                         [](mosquitto*, void* self, int reason, const mosquitto_property*) {
                                           if (is_refusal(reason))
                                             static_cast<client*>(self)->dismissed_ = reason;
                                         });
  ::mosquitto_message_v5_callback_set(
      its, [](mosquitto*, void* self, const mosquitto_message* one, const mosquitto_property* with) {
        auto& my = *static_cast<client*>(self);
        my.from_callback([&] {
          if (one->qos != number_of(mqtt_qos::exactly_once) || !my.repeats_.again(one->mid))
            my.on_message(*one, with);
        });
      });
  ::mosquitto_publish_v5_callback_set(
      its, [](mosquitto*, void* self, int number, int reason, const mosquitto_property*) {
        auto& my = *static_cast<client*>(self);
        my.from_callback([&] { my.on_confirmed(number, reason); });
      });
  ::mosquitto_log_callback_set(its, [](mosquitto*, void* self, int level, const char* text) {
    auto& my = *static_cast<client*>(self);
    my.from_callback([&] {
      if (level == MOSQ_LOG_ERR) my.said_ = text;
      if (level == MOSQ_LOG_DEBUG) my.repeats_.read(text);
    });
  });
  if (where.tls) secure();
}

void client::secure() {
  const auto& files = *where.tls;
  const auto given = [](const std::string& file) { return file.empty() ? nullptr : file.c_str(); };
  int result = MOSQ_ERR_SUCCESS;
  if (files.trusted.empty()) ::mosquitto_int_option(handle_.get(), MOSQ_OPT_TLS_USE_OS_CERTS, 1);
  // It takes no certificate of this side without a place of those that are trusted.
  const auto* folder = files.trusted.empty() ? "/etc/ssl/certs" : nullptr;
  result = ::mosquitto_tls_set(handle_.get(), given(files.trusted), folder, given(files.certificate),
                               given(files.key), nullptr);
  if (result != MOSQ_ERR_SUCCESS)
    throw network_error(where.text() + ": a file of .tls cannot be used: " + reason_of(result) +
                        ". .trusted, .certificate and .key must be PEM files that can be read");
}

template <class F> void client::from_callback(F&& f) noexcept {
  try {
    std::forward<F>(f)();
  } catch (...) {
    thrown_ = std::current_exception();  // libmosquitto is no C++
  }
}

template <class F> int client::call(F&& f) {
  int result = MOSQ_ERR_SUCCESS;
  {
    const quiet_pipe none;
    errno = 0;
    result = std::forward<F>(f)();
  }
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return result;
}

bool client::online() {
  if (!failure_.empty()) throw network_error(failure_);
  if (online_) return true;
  const auto until = from_now(how_.connect_within);
  constexpr auto pause = 50ms;
  for (;;) {
    if (given_up()) return false;
    if (attempt(until)) return true;
    const auto again = std::chrono::steady_clock::now() + pause;
    if (again >= until)
      fail("no MQTT broker answers at " + where.broker().text() + ": " + trouble_ +
           tried_for(how_.connect_within) + ". Is it running, and is this its port?");
    if (waits_.wait(-1, 0, again) == waited::given_up) return false;
  }
}

bool client::attempt(moment until) {
  welcome_.reset();
  granted_.reset();
  dismissed_.reset();
  said_.clear();
  trouble_ = "it has said nothing";
  shook_hands_ = broken_ = false;
  if (!reach(until) || !greet(until)) return false;
  if (was_online_ && !welcome_->session_is_known) {
    forgotten_ = true;
    // libmosquitto would still give what it keeps, in place of messages that get the same numbers.
    if (repeats_.keeps_any()) open();
    repeats_.clear(true);
    if (::mosquitto_socket(handle_.get()) < 0) return false;
  }
  if (!subscribe(until)) return false;
  check_grant();
  online_ = was_online_ = true;
  if (std::exchange(forgotten_, false) && on_new_session)
    if (const auto wrong = on_new_session(); !wrong.empty()) fail(wrong);
  return true;
}

// Connects. libmosquitto does so in one call that nothing ends before its time, or without trying the second
// address of a host. So it is only asked to where a connection has just been made.
bool client::reach(moment until) {
  try {
    if (!connect_to(where.broker(), waits_, until)) return false;
  } catch (const connection_lost& e) {
    trouble_ = e.what();
    return false;
  } catch (const network_error& e) {
    fail(where.text() + ": " + e.what());
  }
  properties asked;
  ask_properties(asked);
  // MQTT's own keep-alive would need a thread: TCP's notices a broker whose machine is gone.
  constexpr int no_keep_alive = 0;
  const auto broker = where.broker();
  ::mosquitto_int_option(handle_.get(), MOSQ_OPT_RECEIVE_MAXIMUM, how_.read_ahead);
  const auto result = call([&] {
    return ::mosquitto_connect_bind_v5(handle_.get(), broker.host.c_str(), broker.port, no_keep_alive,
                                       nullptr, asked.get());
  });
  if (result != MOSQ_ERR_SUCCESS) {
    lost(result);
    return false;
  }
  // The broker has been told. libmosquitto itself must not count: it ends the connection to a broker that
  // sends more, and takes copies for more.
  ::mosquitto_int_option(handle_.get(), MOSQ_OPT_RECEIVE_MAXIMUM, any_number);
  tune(::mosquitto_socket(handle_.get()));
  return true;
}

void client::ask_properties(properties& into) const {
  const auto unnamed = std::chrono::ceil<std::chrono::seconds>(how_.connect_within) + 1s;
  const auto kept = how_.session ? how_.session.kept_for : unnamed;
  constexpr std::int64_t longest = std::numeric_limits<std::uint32_t>::max() - 1;
  into.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL,
           static_cast<std::uint32_t>(std::clamp<std::int64_t>(kept.count(), 0, longest)));
}

// Waits for the broker's answer.
bool client::greet(moment until) {
  while (!welcome_)
    if (turn(until) != waited::ready || (broken_ && !welcome_)) return false;
  if (welcome_->reason == 0) return true;
  refused("it refuses the connection", welcome_->reason);
  return false;
}

bool client::subscribe(moment until) {
  if (!how_.reads) return true;
  const auto& its = *how_.reads;
  // What is kept comes once: not again when the session goes on.
  const int options = its.retained ? MQTT_SUB_OPT_SEND_RETAIN_NEW : MQTT_SUB_OPT_SEND_RETAIN_NEVER;
  const auto result = call([&] {
    return ::mosquitto_subscribe_v5(handle_.get(), nullptr, its.filter.c_str(), number_of(its.qos), options,
                                    nullptr);
  });
  if (result != MOSQ_ERR_SUCCESS) {
    lost(result);
    return false;
  }
  // What a session has kept may come before the answer, and is not read ahead for that.
  while (!granted_ && !welcome_->session_is_known)
    if (turn(until) != waited::ready || broken_) return false;
  return true;
}

// Looks at the answer to the subscription, if it has come.
void client::check_grant() {
  if (!granted_ || !how_.reads) return;
  const int granted = *std::exchange(granted_, std::nullopt), asked = number_of(how_.reads->qos);
  if (is_refusal(granted)) {
    fail(where.text() + user() + ": it does not let this client read the topic: " +
         ::mosquitto_reason_string(granted) + advice_for(granted));
  }
  if (granted < asked)
    fail(where.text() + ": the broker grants QoS " + std::to_string(granted) + ", not " +
         std::to_string(asked) + ". Ask for less with .qos");
}

void client::refused(const std::string& what, int reason) {
  trouble_ = what + ": " + ::mosquitto_reason_string(reason);
  if (passes(reason)) return;
  fail(where.text() + user() + ": " + trouble_ + advice_for(reason));
}

std::string client::user() const {
  return where.username.empty() ? std::string() : " (user '" + where.username + "')";
}

waited client::turn(moment until) {
  if (begin_anew()) return waited::ready;
  const int socket = ::mosquitto_socket(handle_.get());
  if (socket < 0) {
    lost(MOSQ_ERR_NO_CONN);
    return waited::ready;
  }
  const bool is_welcome = welcome_.has_value();
  // While hands are shaken, libmosquitto says that it wants to write until they are.
  const bool writes =
      (where.tls && !is_welcome) ? !std::exchange(shook_hands_, true) : has_to_write() && !only_reads_;
  std::vector<pollfd> one{{socket, static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0}};
  const auto look_again =
      keep_alive_ > 0s ? std::min(until, std::chrono::steady_clock::now() + keep_alive_ / 2) : until;
  const auto how = waits_.wait(one, look_again);
  if (how == waited::given_up) return how;
  const auto result = call([&] {
    auto* its = handle_.get();
    int step = ::mosquitto_loop_read(its, 1);
    if (step == MOSQ_ERR_SUCCESS) step = ::mosquitto_socket(its) < 0 ? MOSQ_ERR_NO_CONN : MOSQ_ERR_SUCCESS;
    if (step == MOSQ_ERR_SUCCESS && !only_reads_) step = ::mosquitto_loop_write(its, 1);
    if (step == MOSQ_ERR_SUCCESS && keep_alive_ > 0s) step = ::mosquitto_loop_misc(its);
    return step;
  });
  const bool broken = (one[0].revents & (POLLERR | POLLHUP)) != 0 && (one[0].revents & POLLIN) == 0;
  if (result != MOSQ_ERR_SUCCESS || ::mosquitto_socket(handle_.get()) < 0)
    lost(result != MOSQ_ERR_SUCCESS ? result : int{MOSQ_ERR_NO_CONN});
  else if (broken)
    lost(MOSQ_ERR_CONN_LOST);
  else if (how == waited::late && look_again == until)
    return waited::late;
  if (online_) check_grant();
  return waited::ready;
}

// Has libmosquitto forget the copies of messages that were given before. With them it forgets those that are
// not complete. So it first confirms no more of these, which the broker then sends again, and waits for those
// that it has confirmed. True if it has begun anew, without a connection.
bool client::begin_anew() {
  if (!repeats_.keeps_copies()) {
    only_reads_ = false;  // all have been given meanwhile, and passed over
    return false;
  }
  if (!only_reads_) {
    if (has_to_write()) return false;
    repeats_.confirm_no_more();
    only_reads_ = true;
  }
  if (repeats_.owes()) return false;
  open();
  repeats_.clear(false);
  lost(MOSQ_ERR_CONN_LOST);
  return true;
}

// The connection has broken: says why, and whether there is no use in making it again.
void client::lost(int result) {
  only_reads_ = false;
  const bool refusal = welcome_ && welcome_->reason != 0;  // which is said by who waits for it
  online_ = false;
  broken_ = true;
  if (refusal) return;
  if (dismissed_) return refused("it has ended the connection", *dismissed_);
  trouble_ = reason_of(result);
  switch (result) {
    case MOSQ_ERR_TLS: {
      const bool may_pass = said_.empty() || said_.find("eof") != said_.npos;
      if (!may_pass)
        fail(where.text() + ": the broker cannot be trusted, or does not trust this side: " + said_ +
             ". Look at the files of .tls, and whether this is its port for TLS");
      return;
    }
    case MOSQ_ERR_PROTOCOL:
    case MOSQ_ERR_MALFORMED_PACKET:
    case MOSQ_ERR_MALFORMED_UTF8:
    case MOSQ_ERR_OVERSIZE_PACKET:
    case MOSQ_ERR_INVAL:
    case MOSQ_ERR_NOMEM:
      fail(where.text() + ": " + trouble_);
    default:
      return;
  }
}

std::string client::reason_of(int result) const {
  if (result == MOSQ_ERR_ERRNO && errno != 0) return std::generic_category().message(errno);
  if (result == MOSQ_ERR_EAI) return "no such host";
  std::string says = ::mosquitto_strerror(result);
  if (!says.empty() && says.back() == '.') says.pop_back();
  return said_.empty() ? says : says + " (" + said_ + ")";
}

int client::publish(const std::string& topic, std::span<const std::byte> payload, mqtt_qos qos, bool retain,
                    const properties& with) {
  const auto what = "a message of " + std::to_string(payload.size()) + " bytes for '" + topic + "' at " +
                    where.broker().text();
  if (payload.size() > MQTT_MAX_PAYLOAD) throw network_error(what + " is longer than MQTT allows");
  int number = 0;
  const auto result = call([&] {
    return ::mosquitto_publish_v5(handle_.get(), &number, topic.c_str(), static_cast<int>(payload.size()),
                                  payload.data(), number_of(qos), retain, with.get());
  });
  switch (result) {
    case MOSQ_ERR_SUCCESS:
      return number;
    case MOSQ_ERR_INVAL:
      throw network_error(what + ": this cannot be a topic to send to: a topic has no + and no #");
    case MOSQ_ERR_OVERSIZE_PACKET:
      throw network_error(what + " is longer than the broker allows");
    case MOSQ_ERR_QOS_NOT_SUPPORTED:
      throw network_error(what + ": the broker does not support QoS " + std::to_string(number_of(qos)) +
                          ". Ask for less with .qos");
    case MOSQ_ERR_MALFORMED_UTF8:
      throw network_error(what + ": its topic is not UTF-8");
    default:
      lost(result);
      return number;
  }
}

void client::leave() noexcept {
  if (!online_) return;
  online_ = false;
  try {
    properties ends;
    if (!how_.session) ends.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, 0U);
    const quiet_pipe none;
    // What was confirmed last is lost on the way if the connection is closed while something comes.
    connection open(descriptor(::dup(::mosquitto_socket(handle_.get()))));
    ::mosquitto_disconnect_v5(handle_.get(), MQTT_RC_NORMAL_DISCONNECTION, ends.get());
    ::mosquitto_loop_write(handle_.get(), 1);
    if (open) say_last(std::move(open), {});
  } catch (const std::exception&) {
    return;  // the session ends by itself
  }
}

void client::fail(const std::string& says) {
  failure_ = says;
  leave();
  throw network_error(says);
}

void client::interrupt() noexcept {
  interrupted_ = true;
  rung_.ring();
}

}  // namespace THALWEG_NAMESPACE::net::mqtt
