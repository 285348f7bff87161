/// `sse_server`: tells browsers what happens, as server-sent events.
#pragma once

#include <thalweg/net/address.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE {

struct sse_server_options {
  /// Where the events are; it begins with `/`.
  std::string path = "/events";
  /// Bytes that wait for one client, at most. Events that find no room are dropped for that client alone.
  std::size_t capacity = std::size_t{1} << 20U;
  /// Clients at a time; further ones are turned away with the status 503.
  std::size_t clients = 64;
  /// Bytes of the latest events, at most, that are kept for clients that come back after their connection has
  /// broken: browsers do so by themselves, and say which event they have had last (`Last-Event-ID`).
  std::size_t history = std::size_t{1} << 16U;
  /// How long a client may take to say what it wants. After that it is turned away with the status 408.
  std::chrono::milliseconds ask_within{5000};
  /// The origin whose pages may listen besides those of this server, as `https://example.org` or `*`; empty:
  /// none (CORS).
  std::string allow_origin = {};
};

/// Serves events to all browsers and other clients that ask for them, over HTTP/1.1, from its construction
/// on. Copies are the same server. The last of them closes it: connections still get what they can take at
/// once. A client gets what is published while it is connected, and if it comes back, first what it has
/// missed and `.history` still has. No client is authenticated, and nothing is encrypted. Any thread.
///
/// A slow client holds nothing up. It has a queue of `.capacity` bytes; when there is room again, an event
/// `dropped` tells it how many others it has missed there. So it does where the history does not go back far
/// enough.
///
/// ```cpp
/// #include <thalweg/net/sse.hpp>
/// const tw::sse_server here("localhost:0");  // any free port
/// here.publish("hello");  // to those who are there
/// assert(here.url() == "http://" + here.where() + "/events");
/// assert(here.clients() == 0 && here.dropped() == 0);
/// ```
class sse_server {
 public:
  /// `address`: as for `tcp_listener`. \throws network_error  if it or `.path` is invalid, or listening there
  /// is not possible
  explicit sse_server(std::string_view address, sse_server_options how = {});

  /// The address, with the actual port.
  [[nodiscard]] std::string where() const;
  /// What a page listens to: `new EventSource(url)`.
  [[nodiscard]] std::string url() const;
  /// Clients that listen now.
  [[nodiscard]] std::size_t clients() const;
  /// Events that were dropped so far, counted once for each client that has missed one while it was
  /// connected.
  [[nodiscard]] std::uint64_t dropped() const;

  /// Sends an event to all that listen. It waits for no client. `data`: any text of any number of lines;
  /// `event`: its type, one line; empty: `message`.
  void publish(std::string_view data, std::string_view event = {}) const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE
