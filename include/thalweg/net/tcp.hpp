/// `tcp_source`, `tcp_sink`: streams from and to other processes. Not part of thalweg.hpp.
#pragma once

#include <thalweg/net/carried.hpp>
#include <thalweg/net/inlet.hpp>
#include <thalweg/net/outlet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {

/// How a stream is taken from another process.
struct tcp_source_options {
  /// In bytes. A longer one ends the run with an error.
  std::uint32_t longest_item = net::usual_longest_item;
  /// How long to wait for the sender at first; without it, forever.
  std::optional<std::chrono::milliseconds> come_within = {};
  /// How long to wait for a sender whose connection broke.
  std::chrono::milliseconds return_within = net::usual_wait;
};

/// How a stream is given to another process.
struct tcp_sink_options {
  /// In bytes. A longer one is an error of its item.
  std::uint32_t longest_item = net::usual_longest_item;
  /// Bytes that wait to be sent, or to be confirmed.
  std::size_t capacity = std::size_t{4} << 20U;
  /// How long to try to connect, at first and after a connection broke; and how long the receiver may then
  /// take to answer. On the first connection it may take any time.
  std::chrono::milliseconds connect_within = net::usual_wait;
  /// Proves the receiver's identity, and encrypts (tls.hpp); without it, neither.
  std::shared_ptr<const net::connecting_security> security = {};
};

namespace net {

struct open_tcp_source {
  static constexpr auto pattern = "tcp_source";
  tcp_listener at;
  tcp_source_options how;

  [[nodiscard]] std::string where() const { return at.where(); }
  std::unique_ptr<incoming> operator()(std::string tag) const {
    return std::make_unique<inlet>(
        at, inlet_options{std::move(tag), how.longest_item, how.come_within, how.return_within, {}});
  }
};

struct open_tcp_sink {
  static constexpr auto pattern = "tcp_sink";
  static constexpr bool waited_for = true;
  std::string where;
  tcp_sink_options how;

  void check(model::stage_info& info) const {
    if (auto problem = problem_with(where); !problem.empty()) info.problems.push_back(std::move(problem));
  }
  std::unique_ptr<outgoing> operator()(std::string tag) const {
    return std::make_unique<outlet>(
        address::parse(where),
        outlet_options{
            std::move(tag), {}, how.longest_item, how.capacity, how.connect_within, how.security, {}});
  }
};

}  // namespace net

/// A source of the items that another process sends: a `tcp_sink<T>` there, or `./thalweg feed`. It waits for
/// the sender to connect. Both must agree on `T`: their codecs' tags are compared, see `codec`.
///
/// Order: deterministic, that of the sender; each item once. A sender whose connection breaks comes back, and
/// goes on where it was. Items are read when the stream wants them; if that is slow, the sender waits.
/// `stop()` and `cancel()` end all waits, and tell the sender. The stage is `.blocking` (unless it is on the
/// caller's thread).
///
/// Errors: a peer that does not send such items, a sender that gives up or does not come in time, and an item
/// that is too long end the run with a `network_error`. An item whose bytes are no `T` is a `codec_error`;
/// `.on_error = tw::skip` passes over it alone.
///
/// ```cpp
/// #include <thalweg/net/tcp.hpp>
/// const tw::tcp_listener here("localhost:0");
/// std::jthread sender([there = here.where()] {  // another process, as a rule
///   tw::run(tw::source(std::vector<std::string>{"one", "two"}) | tw::tcp_sink<std::string>(there));
/// });
/// std::vector<std::string> seen;
/// tw::run(tw::tcp_source<std::string>(here) | tw::sink(seen));
/// assert((seen == std::vector<std::string>{"one", "two"}));
/// ```
template <class T> auto tcp_source(tcp_listener at, tcp_source_options how = {}, options opts = {}) {
  return net::receive<T>(net::open_tcp_source{std::move(at), how}, std::move(opts));
}

/// Sends items to another process: to a `tcp_source<T>` there. `address`: its `host:port`.
///
/// Order: deterministic; it is serial, and refused in a farm. A separate thread carries the items: each at
/// once, and those that wait together. At the end of the stream it waits until the other side has taken all.
/// A connection that breaks is replaced, and what may be lost is sent again, once. The stage is `.blocking`
/// (unless it is on the caller's thread).
///
/// Errors: an invalid address is an `invalid_job`. A receiver that it cannot reach in time, that refuses, or
/// that ends before the stream does, ends the run with a `network_error`; so does an item that is longer than
/// `.longest_item`, which `.on_error = tw::skip` passes over. A run that fails or is cancelled tells the
/// other side, whose run fails.
///
/// Example: `tcp_source`.
template <class T> auto tcp_sink(std::string address, tcp_sink_options how = {}, options opts = {}) {
  return net::send<T>(net::open_tcp_sink{std::move(address), std::move(how)}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
