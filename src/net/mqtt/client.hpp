// libmosquitto with owners and errors, driven by the calls of its user: it has no thread.
#pragma once

#include <thalweg/net/mqtt_topic.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <mosquitto.h>

#include "../socket.hpp"
#include "repeats.hpp"

namespace THALWEG_NAMESPACE::net::mqtt {

/// Frees what libmosquitto has made.
template <auto Free> struct freed {
  template <class T> void operator()(T* one) const noexcept { Free(one); }
};
using handle = std::unique_ptr<mosquitto, freed<mosquitto_destroy>>;

/// The properties of a packet of MQTT 5.
class properties {
 public:
  properties() = default;
  properties(const properties&) = delete;
  properties& operator=(const properties&) = delete;
  ~properties() { mosquitto_property_free_all(&first_); }

  void add(int which, std::uint32_t number);
  void add(int which, const std::string& text);
  [[nodiscard]] const mosquitto_property* get() const { return first_; }

 private:
  mosquitto_property* first_ = nullptr;
};

/// The most messages that MQTT can have under way.
inline constexpr std::uint16_t any_number = 65535;

/// What a client asks the broker to send.
struct subscription {
  std::string filter;
  mqtt_qos qos = mqtt_qos::at_least_once;
  bool retained = true;  // what was kept there, too, where the subscription is new
};

struct client_options {
  mqtt_session session = {};
  std::optional<subscription> reads = {};
  std::uint16_t in_flight = 20;
  std::uint16_t read_ahead = any_number;  // messages of QoS 1 and 2 that come before others are complete
  std::chrono::milliseconds connect_within{};
  std::function<bool()> given_up = {};
};

/// A connection to a broker, which is made again when it breaks. All calls but `interrupt` are for one thread
/// at a time. Errors are `network_error`s, and are thrown again by later calls.
class client {
 public:
  client(mqtt_topic where, client_options how);
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client();

  /// Waits until the broker has welcomed this client, and reads for it. False if the wait was given up.
  bool online();
  [[nodiscard]] bool is_online() const noexcept { return online_; }
  /// Waits until something comes or can be sent, and takes one step. A connection that breaks is `ready`.
  waited turn(moment until);
  /// Sends a message, and gives its number. If the connection breaks, one of QoS 1 or 2 is sent on the next
  /// one. \throws network_error  that is not thrown again, if there is no sense in sending it
  int publish(const std::string& topic, std::span<const std::byte> payload, mqtt_qos qos, bool retain,
              const properties& with);
  /// Whether something waits to be written.
  [[nodiscard]] bool has_to_write() const { return mosquitto_want_write(handle_.get()); }
  /// Says good-bye. A session without a name ends with that.
  void leave() noexcept;
  [[noreturn]] void fail(const std::string& says);

  void interrupt() noexcept;
  [[nodiscard]] bool given_up() const { return interrupted_ || (how_.given_up && how_.given_up()); }

  const mqtt_topic where;
  // Called within `online`, `turn` and `publish`.
  std::function<void(const mosquitto_message&, const mosquitto_property*)> on_message;
  /// The broker has a message of QoS 1 or 2, or refuses it; or one of QoS 0 is written.
  std::function<void(int number, int reason)> on_confirmed;
  /// The broker has forgotten the session in which it has been: what is wrong about that; empty: nothing.
  std::function<std::string()> on_new_session;

 private:
  struct welcome {
    int reason = 0;
    bool session_is_known = false;
  };

  void open();
  void secure();
  bool attempt(moment until);
  bool reach(moment until);
  bool greet(moment until);
  bool subscribe(moment until);
  void check_grant();
  [[nodiscard]] std::string user() const;
  void ask_properties(properties& into) const;
  template <class F> int call(F&& f);
  template <class F> void from_callback(F&& f) noexcept;
  void lost(int result);
  bool begin_anew();
  [[nodiscard]] std::string reason_of(int result) const;
  void refused(const std::string& what, int reason);

  const client_options how_;
  std::string id_;
  handle handle_;
  bell rung_;
  std::atomic<bool> interrupted_{false};
  const patience waits_;

  repeats repeats_;
  bool only_reads_ = false;  // until libmosquitto can begin anew

  bool online_ = false;
  bool was_online_ = false;
  bool forgotten_ = false;    // by the broker, which nobody has been told yet
  bool broken_ = false;       // this connection, which may still be open
  bool shook_hands_ = false;  // of TLS: there was room to write the first words
  std::optional<welcome> welcome_{};
  std::optional<int> granted_{};
  std::optional<int> dismissed_{};      // why the broker has ended the connection
  std::chrono::seconds keep_alive_{0};  // what the broker insists on; 0: nothing
  std::string said_{};                  // what libmosquitto has logged of an error
  std::string trouble_{};               // why the last try has failed
  std::string failure_{};
  std::exception_ptr thrown_{};  // by what was called back
};

}  // namespace THALWEG_NAMESPACE::net::mqtt
